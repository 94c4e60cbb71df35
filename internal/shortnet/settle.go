package shortnet

import (
	"slices"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// shared are members of layers that a network's setting determines, with that setting.
var shared = []struct{ setting, member string }{
	{"updater", "iupdater"}, {"weightInit", "weightInitFn"}, {"activation", "activationFn"},
	{"regularization", "regularization"}, {"convolutionMode", "convolutionMode"},
	{"gradientNormalization", "gradientNormalization"},
}

// settle finds the settings of the network, and then the settings that each layer still needs.
func (w *writer) settle() error {
	for _, s := range shared {
		if v, ok := w.commonest(s.member); ok {
			w.defaults = append(w.defaults, dl4j.Member{Name: s.setting, Value: v})
		}
	}
	conf := w.first()
	for _, m := range []struct{ setting, of string }{{"seed", "seed"}, {"miniBatch", "miniBatch"}} {
		if v, ok := conf.Get(m.of); ok && v != true {
			w.defaults = append(w.defaults, dl4j.Member{Name: m.setting, Value: v})
		}
	}
	usual := map[string]any{"backpropType": "Standard", "tbpttFwdLength": dl4j.Number("20"),
		"tbpttBackLength":           dl4j.Number("20"),
		"validateOutputLayerConfig": true}
	for _, name := range []string{"backpropType", "tbpttFwdLength", "tbpttBackLength", "validateOutputLayerConfig"} {
		if v, ok := w.want.Get(name); ok && v != usual[name] {
			w.defaults = append(w.defaults, dl4j.Member{Name: name, Value: v})
		}
	}
	of := whole{MiniBatch: true, ValidateOutput: true, BackpropType: nn.Standard}
	if err := dl4j.FromTree(w.defaults, &of); err != nil {
		return err
	}
	w.d = of.configuration().LayerDefaults()
	for _, m := range w.members {
		w.needs(m)
	}
	return nil
}

// first returns the configuration of the first layer, or that of a graph's defaults.
func (w *writer) first() dl4j.Object {
	if w.graphed {
		return object(w.want, "defaultConfiguration")
	}
	if len(w.members) > 0 {
		return w.members[0].conf
	}
	return nil
}

// commonest returns the value of a member that most layers have.
func (w *writer) commonest(name string) (any, bool) {
	counts := map[string]int{}
	values := map[string]any{}
	var best string
	for _, m := range w.members {
		v, ok := m.tree.Get(name)
		if !ok || v == nil || m.t != layerType {
			continue
		}
		b, err := dl4j.Format(v)
		if err != nil {
			continue
		}
		counts[string(b)]++
		values[string(b)] = v
		if counts[string(b)] > counts[best] {
			best = string(b)
		}
	}
	if counts[best] < 2 {
		return nil, false
	}
	v := values[best]
	if list, ok := v.([]any); ok && len(list) == 0 || v == string(layer.NoNormalization) || v == string(layer.Truncate) {
		return nil, false // the same as without the setting
	}
	o, _ := v.(dl4j.Object)
	class, _ := o.Get("@class")
	return v, class != "org.deeplearning4j.nn.weights.WeightInitXavier"
}

// always are members that are always written, even if they could follow from the data.
var always = []string{"nout", "lossFn"}

// needs finds the settings of a layer or vertex from which the others follow.
func (w *writer) needs(m *member) {
	table, _ := dl4j.TableOf(m.t)
	class, _ := m.tree.Get(table.Key())
	name, _ := class.(string)
	c, _, ok := find(m.t, name)
	m.own = m.tree.Without(table.Key())
	m.text, _ = dl4j.Format(m.tree)
	if !ok || !w.follows(c, m, m.own) {
		w.exact[m.name] = true
		return
	}
	m.own = w.without(m.own, func(o dl4j.Object) bool { return w.follows(c, m, o) })
}

// without removes settings that follow from the others, also in inner layers.
func (w *writer) without(o dl4j.Object, follows func(dl4j.Object) bool) dl4j.Object {
	for _, m := range slices.Clone(o) {
		if slices.Contains(always, m.Name) {
			continue
		}
		if less := o.Without(m.Name); follows(less) {
			o = less
			continue
		}
		inner, ok := m.Value.(dl4j.Object)
		if class, _ := inner.Get("@class"); !ok || !isLayer(class) {
			continue
		}
		i := slices.IndexFunc(o, func(x dl4j.Member) bool { return x.Name == m.Name })
		o = slices.Clone(o)
		o[i].Value = w.without(inner, func(less dl4j.Object) bool {
			with := slices.Clone(o)
			with[i].Value = less
			_, named := less.Get("@class")
			return named && follows(with)
		})
	}
	return o
}

func isLayer(class any) bool {
	name, _ := class.(string)
	_, is := tableOf(layerType).byClass[name]
	return is
}

// follows reports whether a layer or vertex with these settings becomes the wanted one.
func (w *writer) follows(c named, m *member, own dl4j.Object) bool {
	full, err := c.over(filled(own), m.t)
	if err != nil {
		return false
	}
	d := w.d
	d.Name = m.name
	if m.t == layerType && !w.graphed {
		d.Name = "layer" + m.name
	}
	var text []byte
	if m.t == vertexType {
		var v vertex.Vertex
		if err := dl4j.FromTree(full, &v); err != nil {
			return false
		}
		if p, ok := v.(vertex.Parametric); ok {
			if v, err = p.Complete(d, m.in); err != nil {
				return false
			}
		}
		text, err = dl4j.Marshal(&v)
	} else {
		var l layer.Layer
		if err := dl4j.FromTree(full, &l); err != nil {
			return false
		}
		r := &reader{}
		if l, err = r.fit(l); err != nil {
			return false
		}
		if l, err = layer.Complete(l, d, m.in); err != nil {
			return false
		}
		text, err = dl4j.Marshal(&l)
	}
	return err == nil && string(text) == string(m.text)
}

// filled gives inner layers the usual settings that they leave out.
func filled(own dl4j.Object) dl4j.Object {
	out := slices.Clone(own)
	for i, m := range out {
		inner, ok := m.Value.(dl4j.Object)
		class, _ := inner.Get("@class")
		if !ok || !isLayer(class) {
			continue
		}
		c, _, _ := find(layerType, class.(string))
		if full, err := c.over(filled(inner.Without("@class")), layerType); err == nil {
			out[i].Value = full
		}
	}
	return out
}
