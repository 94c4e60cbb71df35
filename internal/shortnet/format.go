package shortnet

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
)

// Format returns the short form of a configuration.json of Deeplearning4j 1.0.0-M2.1, as returned by a Network.
// Configuration of the text is the same configuration again.
func Format(configuration []byte) ([]byte, error) {
	tree, err := dl4j.Parse(string(configuration))
	if err != nil {
		return nil, err
	}
	o, ok := tree.(dl4j.Object)
	if !ok {
		return nil, errors.New("a configuration should be here")
	}
	w := &writer{want: o, exact: map[string]bool{}, pre: map[string]bool{}}
	if _, graph := o.Get("vertices"); graph {
		err = w.graph(configuration)
	} else {
		err = w.row(configuration)
	}
	if err != nil {
		return nil, err
	}
	return w.write()
}

// member is a layer or vertex to be written.
type member struct {
	name   string      // of a vertex, or the index of a layer
	conf   dl4j.Object // a layer's configuration, with the layer in it; nil for a vertex
	tree   dl4j.Object // the layer or vertex
	t      reflect.Type
	in     []inputtype.Type
	pre    any
	inputs []string
	also   dl4j.Object // members written beside it
	own    dl4j.Object // settings to be written
	text   []byte      // tree, printed
}

// writer finds the shortest text of a configuration.
type writer struct {
	want     dl4j.Object
	members  []*member
	graphed  bool
	top      dl4j.Object // input, inputs, outputs
	defaults dl4j.Object // settings of the network
	rest     dl4j.Object // the patch
	d        layer.Defaults
	exact    map[string]bool // members that are written completely
	pre      map[string]bool // members whose preprocessor is written
	any      bool            // outputs are not checked
}

// object returns a member that is an object.
func object(o dl4j.Object, name string) dl4j.Object {
	v, _ := o.Get(name)
	of, _ := v.(dl4j.Object)
	return of
}

// row reads the layers of a network of layers in a row.
func (w *writer) row(configuration []byte) error {
	c, err := nn.LoadConfiguration(configuration)
	if err != nil {
		return err
	}
	types, err := c.LayerInputs()
	if err != nil {
		return err
	}
	if in, ok := inputTree(types[0]); ok {
		w.top = append(w.top, dl4j.Member{Name: inputKey, Value: in})
	}
	confs, _ := w.want.Get("confs")
	pre := object(w.want, "inputPreProcessors")
	for i, e := range confs.([]any) {
		conf, _ := e.(dl4j.Object)
		m := &member{name: strconv.Itoa(i), conf: conf, tree: object(conf, "layer"), t: layerType}
		m.in = []inputtype.Type{types[i+1]}
		m.pre, _ = pre.Get(m.name)
		w.members = append(w.members, m)
	}
	return nil
}

// graph reads the vertices of a graph.
func (w *writer) graph(configuration []byte) error {
	c, err := nn.LoadGraphConfiguration(configuration)
	if err != nil {
		return err
	}
	w.graphed = true
	w.top = dl4j.Object{{Name: inputsKey, Value: anyList(c.Inputs)}}
	vertices := object(w.want, "vertices")
	for _, v := range c.Vertices {
		o := object(vertices, v.Name)
		m := &member{name: v.Name, tree: o, t: vertexType, inputs: v.Inputs, in: make([]inputtype.Type, len(v.Inputs))}
		if v.Layer != nil {
			m.conf, m.t = o, layerType
			m.tree = object(object(o, "layerConf"), "layer")
			m.pre, _ = o.Get("preProcessor")
		}
		w.members = append(w.members, m)
	}
	w.rest = dl4j.Object{{Name: outputsKey, Value: anyList(c.Outputs)}}
	return nil
}

func anyList(names []string) (list []any) {
	for _, n := range names {
		list = append(list, n)
	}
	return list
}

// tries bounds how often a text is read again: once for each member that has no short form, and for the rest.
const tries = 8

// write finds a text that gives the wanted configuration.
func (w *writer) write() ([]byte, error) {
	if err := w.settle(); err != nil {
		return nil, err
	}
	for range tries + 2*len(w.members) {
		out := []byte(w.text())
		got, err := Configuration(out, nn.BuiltInData{})
		if err != nil {
			if !w.mend(err) {
				return nil, fmt.Errorf("the short form of this configuration can't be written: %w", err)
			}
			continue
		}
		tree, err := dl4j.Parse(string(got))
		if err != nil {
			return nil, err
		}
		if sameTree(tree, w.want) {
			return out, nil
		}
		if !w.compare(tree.(dl4j.Object)) {
			break
		}
	}
	return nil, errors.New("the short form of this configuration can't be written: it does not read the same again")
}

// mend writes the member of an error completely.
func (w *writer) mend(err error) bool {
	name := ""
	if wrong := (*nn.LayerError)(nil); errors.As(err, &wrong) {
		name = strconv.Itoa(wrong.Index)
	}
	if wrong := (*nn.VertexError)(nil); errors.As(err, &wrong) {
		name = wrong.Name
	}
	switch {
	case name != "" && !w.exact[name]:
		w.exact[name] = true
	case !w.any:
		w.any = true
	default:
		return false
	}
	return true
}

// compare records the differences of the configuration that was read. It returns false if there is no remedy.
func (w *writer) compare(got dl4j.Object) bool {
	changed := false
	confs, _ := got.Get("confs")
	vertices, preprocessors := object(got, "vertices"), object(got, "inputPreProcessors")
	for i, m := range w.members {
		var is dl4j.Object
		pre, _ := preprocessors.Get(m.name)
		switch list, row := confs.([]any); {
		case row && i < len(list):
			is, _ = list[i].(dl4j.Object)
		default:
			is = object(vertices, m.name)
			pre, _ = is.Get("preProcessor")
		}
		want := m.tree
		if m.conf != nil {
			want = m.conf
		}
		if m.t == layerType && !sameTree(pre, m.pre) && m.pre != nil && !w.pre[m.name] {
			w.pre[m.name], changed = true, true
		}
		if sameTree(want, is) {
			continue
		}
		patch := differences(want, is)
		if _, layer := patch.Get("layer"); (m.conf == nil || layer || object(patch, "layerConf") != nil) && !w.exact[m.name] {
			w.exact[m.name], changed = true, true
			continue
		}
		if !sameTree(m.also, patch) {
			m.also, changed = patch, true
		}
	}
	if changed {
		return true
	}
	rest := differences(w.want.Without("confs").Without("vertices"), got.Without("confs").Without("vertices"))
	before := w.rest.Without(configurationKey)
	if len(rest) > 0 {
		before = append(before, dl4j.Member{Name: configurationKey, Value: rest})
	}
	changed = len(rest) > 0 && !sameTree(before, w.rest)
	w.rest = before
	return changed
}

// differences returns the members of want that are missing or different in is.
func differences(want, is dl4j.Object) (out dl4j.Object) {
	for _, m := range want {
		v, has := is.Get(m.Name)
		if has && sameTree(v, m.Value) {
			continue
		}
		a, isObject := m.Value.(dl4j.Object)
		b, wasObject := v.(dl4j.Object)
		if isObject && wasObject && !ordered(a, b) {
			m.Value = differences(a, b)
		}
		out = append(out, m)
	}
	return out
}

// ordered reports whether objects only differ in the order of their members.
func ordered(a, b dl4j.Object) bool {
	names := func(o dl4j.Object) (n []string) {
		for _, m := range o {
			n = append(n, m.Name)
		}
		return n
	}
	x, y := names(a), names(b)
	return !slices.Equal(x, y) && slices.Equal(slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y)))
}

// text writes the text with the present decisions.
func (w *writer) text() string {
	var entries []entry
	before := ""
	for i, m := range w.members {
		e := entry{of: w.item(m)}
		if w.graphed {
			e.vertex = m.name
			if i == 0 || len(m.inputs) != 1 || m.inputs[0] != before {
				e.also = append(e.also, dl4j.Member{Name: inputsKey, Value: anyList(m.inputs)})
			}
			before = m.name
		}
		if w.pre[m.name] {
			e.also = append(e.also, dl4j.Member{Name: preprocessorKey, Value: shorten(m.pre, preprocessorType)})
		}
		if len(m.also) > 0 {
			e.also = append(e.also, dl4j.Member{Name: configurationKey, Value: m.also})
		}
		entries = append(entries, e)
	}
	settings := slices.Clone(w.defaults)
	if w.any {
		const check = "validateOutputLayerConfig"
		settings = append(settings.Without(check), dl4j.Member{Name: check, Value: false})
	}
	list := layersKey
	if w.graphed {
		list = verticesKey
	}
	return text(w.top, list, entries, append(shortenMembers(settings, wholeSettings()), w.rest...))
}

func wholeSettings() []setting { return settings(reflect.ValueOf(whole{})) }

// item returns a layer or vertex, in short form or under its own class.
func (w *writer) item(m *member) any {
	class, _ := m.tree.Get("@class")
	name, _ := class.(string)
	c, _, ok := find(m.t, name)
	if !ok || w.exact[m.name] {
		return dl4j.Object{{Name: name, Value: m.tree.Without("@class")}}
	}
	of := c.shortened(m.own)
	if m.t != vertexType {
		return of
	}
	if c.hidden() {
		last := lower(name[lastDot(name)+1:])
		if o, ok := of.(dl4j.Object); ok {
			return dl4j.Object{{Name: last, Value: o[0].Value}}
		}
		return last
	}
	return of
}

func lastDot(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '.' {
			return i
		}
	}
	return -1
}

// inputTree returns the written form of an input type.
func inputTree(t inputtype.Type) (any, bool) {
	n := func(x int) any { return dl4j.Number(strconv.Itoa(x)) }
	last := func(o dl4j.Object) any {
		if t.ChannelsLast {
			o = append(o, dl4j.Member{Name: "channelsLast", Value: true})
		}
		return o
	}
	switch t.Step() {
	case inputtype.FeedForward(t.Size):
		return dl4j.Object{{Name: featuresKey, Value: n(t.Size)}}, t.Size > 0 && t.TimeSteps == 0
	}
	if min(t.Height, t.Width, t.Channels) < 1 && t.Kind != inputtype.RecurrentKind {
		return nil, false
	}
	image := dl4j.Object{{Name: imageKey, Value: []any{n(t.Height), n(t.Width), n(t.Channels)}}}
	switch t.Kind {
	case inputtype.ConvolutionalFlatKind:
		return last(image), !t.ChannelsLast
	case inputtype.ConvolutionalKind:
		return last(append(image, dl4j.Member{Name: "flat", Value: false})), true
	case inputtype.Convolutional3DKind:
		volume := []any{n(t.Depth), n(t.Height), n(t.Width), n(t.Channels)}
		return last(dl4j.Object{{Name: volumeKey, Value: volume}}), t.Depth > 0
	case inputtype.RecurrentKind:
		of := dl4j.Object{{Name: featuresKey, Value: n(t.Size)}}
		if t.TimeSteps > 0 {
			of = append(of, dl4j.Member{Name: "steps", Value: n(t.TimeSteps)})
		}
		if t.Format != "" {
			of = append(of, dl4j.Member{Name: "format", Value: t.Format})
		}
		return dl4j.Object{{Name: sequenceKey, Value: of}}, t.Size > 0
	}
	return nil, false
}
