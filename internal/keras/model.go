package keras

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maxLayers bounds the layers of a file, including those of nested models.
const maxLayers = 20000

// model is a Sequential or functional model, possibly nested in another one.
type model struct {
	name            string
	layers          []*kerasLayer
	byName          map[string]*kerasLayer
	inputs, outputs []reference
}

// reference is a tensor: an output of a call of a layer.
type reference struct {
	layer        string
	node, tensor int
}

// kerasLayer is a layer of the file.
type kerasLayer struct {
	settings
	name, class string
	trainable   bool
	frozen      bool // by its own setting, or by that of a model around it
	calls       [][]reference
	inner       *model // of a nested model
	operation   bool   // an operation of Keras 3, made by masks or a user's arithmetic
	place       string // the group of its weights in a .keras file
	scope       string // between its name and that of a variable in Keras' paths: /lstm_cell
	vars        []*variable
	lowered     int // number of calls
	outs        [][]value
	busy        bool
}

// parser reads the models of a file.
type parser struct {
	a     *archive
	count int
}

// model reads a model: an object with class_name and config.
func (p *parser) model(s settings, frozen bool, depth int) *model {
	class := s.text("class_name", "")
	if depth > 20 {
		s.refuse("models are nested too deeply")
	}
	config := s.object("config")
	m := &model{byName: map[string]*kerasLayer{}}
	switch class {
	case "Sequential":
		if list, ok := s.m["config"].([]any); ok { // of Keras 2.2.2 and before
			config = newSettings(s.where, map[string]any{"layers": list})
		}
	case "Functional", "Model":
	default:
		s.refuse("the class is %s: Sequential and functional models are read, no subclassed ones", shown(class))
	}
	m.name = config.text("name", "model")
	frozen = frozen || !config.bool("trainable", true)
	list, ok := config.get("layers").([]any)
	if !ok {
		config.refuse("layers is missing")
	}
	for i, entry := range list {
		m.add(p.layer(config, entry, i, frozen, depth))
	}
	if class == "Sequential" {
		p.chain(m, config, s)
	} else {
		m.inputs = references(config, config.get("input_layers"))
		m.outputs = references(config, config.get("output_layers"))
	}
	if len(m.inputs) == 0 || len(m.outputs) == 0 {
		config.refuse("the model has no inputs or no outputs")
	}
	p.shift(m)
	m.places()
	return m
}

// add adds a layer.
func (m *model) add(l *kerasLayer) {
	if m.byName[l.name] != nil {
		refuse("two layers are called %s", shown(l.name))
	}
	m.layers = append(m.layers, l)
	m.byName[l.name] = l
}

// layer reads a layer.
func (p *parser) layer(of settings, entry any, i int, frozen bool, depth int) *kerasLayer {
	if p.count++; p.count > maxLayers {
		of.refuse("there are more than %d layers", maxLayers)
	}
	o, ok := entry.(map[string]any)
	if !ok {
		of.refuse("layer %d is not an object", i)
	}
	s := newSettings(fmt.Sprintf("layer %d", i), o)
	class := s.text("class_name", "")
	config := s.object("config")
	name := s.text("name", config.text("name", ""))
	if name == "" || len(name) > 200 {
		s.refuse("it has no name, or a very long one")
	}
	l := &kerasLayer{name: name, class: class}
	where := fmt.Sprintf("layer %s (%.60s)", name, class)
	l.settings = newSettings(where, config.m)
	l.settings.read["name"] = true
	l.check(s, p.a)
	l.trainable = config.bool("trainable", true)
	l.frozen = frozen || !l.trainable
	if l.class == "Sequential" || l.class == "Functional" || l.class == "Model" {
		inner := newSettings(where, o)
		l.inner = p.model(inner, l.frozen, depth+1)
	}
	if nodes, ok := o["inbound_nodes"].([]any); ok && len(nodes) > 0 {
		for _, node := range nodes {
			l.calls = append(l.calls, l.call(node))
		}
	}
	return l
}

// lacks reports whether an entry lacks all that layers have, and the module that .keras files name: .h5 files have
// operations in this form.
func (l *kerasLayer) lacks(entry settings) bool {
	for _, key := range []string{"trainable", "dtype", "layers"} {
		if _, ok := l.settings.m[key]; ok {
			return false
		}
	}
	return entry.m["module"] == nil
}

// check refuses layers that are not Keras' own.
func (l *kerasLayer) check(s settings, a *archive) {
	module := s.text("module", "keras.layers")
	registered, _ := s.get("registered_name").(string)
	if strings.HasPrefix(module, "keras.src.ops") || a.since(3, 0) && l.lacks(s) {
		l.operation = true
		return
	}
	if l.class == "Lambda" {
		l.refuse("a Lambda layer holds code, and code in files is never run: replace it by layers of Keras")
	}
	known := strings.HasPrefix(module,
		"keras.") || module == "keras" || strings.HasPrefix(module, "tensorflow.keras")
	if registered != "" && registered != l.class && !strings.HasPrefix(registered, "keras>") || !known {
		l.refuse("the class %.100s.%.60s is none of Keras' layers: classes of others are not read",
			module, l.class)
	}
	if d, ok := l.settings.m["dtype"].(map[string]any); ok {
		policy, _ := d["config"].(map[string]any)
		if name, _ := policy["name"].(string); strings.Contains(name, "_from_") && l.class != "InputLayer" {
			l.refuse("the layer is quantized (%s), which is not read", shown(name))
		}
	}
}

// chain makes the references of a Sequential model.
func (p *parser) chain(m *model, config, s settings) {
	if len(m.layers) == 0 {
		config.refuse("the model has no layers")
	}
	if first := m.layers[0]; first.class != "InputLayer" {
		shape, ok := first.settings.m["batch_input_shape"]
		for inner := first.inner; !ok && inner != nil; inner = inner.layers[0].inner {
			in := inner.byName[inner.inputs[0].layer]
			if shape, ok = in.m["batch_shape"]; !ok {
				shape, ok = in.m["batch_input_shape"]
			}
		}
		if !ok {
			shape, ok = config.m["build_input_shape"]
		}
		if build, has := s.m["build_config"].(map[string]any); !ok && has {
			shape, ok = build["input_shape"]
		}
		if !ok {
			config.refuse("the shape of its input is not in the file: build the model, or add an Input, and save it again")
		}
		in := &kerasLayer{name: first.name + "_input", class: "InputLayer"}
		in.settings = newSettings("the input", map[string]any{"batch_shape": shape})
		for m.byName[in.name] != nil {
			in.name += "_"
		}
		m.layers = append([]*kerasLayer{in}, m.layers...)
		m.byName[in.name] = in
		in.place = "-" // the file has no group for it
	}
	for i, l := range m.layers {
		l.calls = nil
		if i > 0 {
			l.calls = [][]reference{{{m.layers[i-1].name, 0, 0}}}
		}
	}
	m.inputs = []reference{{m.layers[0].name, 0, 0}}
	m.outputs = []reference{{m.layers[len(m.layers)-1].name, 0, 0}}
}

// shift makes the numbers of calls count from 0. In models that make their own input they may count from 1: always in
// Keras 2, and in Keras 3 if a number exceeds the number of calls.
func (p *parser) shift(m *model) {
	highest := map[string]int{}
	each := func(f func(r *reference)) {
		for _, l := range m.layers {
			for _, call := range l.calls {
				for i := range call {
					f(&call[i])
				}
			}
		}
		for i := range m.outputs {
			f(&m.outputs[i])
		}
	}
	each(func(r *reference) { highest[r.layer] = max(highest[r.layer], r.node) })
	each(func(r *reference) {
		l := m.byName[r.layer]
		if l == nil || l.inner == nil || r.node == 0 {
			return
		}
		if p.a.version[0] <= 2 && l.inner.layers[0].class == "InputLayer" || highest[r.layer] >= len(l.calls) {
			r.node--
		}
	})
}

var (
	beforeWord  = regexp.MustCompile(`(.)([A-Z][a-z0-9]+)`)
	insideWords = regexp.MustCompile(`([a-z])([A-Z])`)
)

// snake returns the name of a class in the form of groups of weights.
func snake(class string) string {
	return strings.ToLower(insideWords.ReplaceAllString(beforeWord.ReplaceAllString(class, "${1}_${2}"), "${1}_${2}"))
}

// places finds the groups of the layers' weights in a .keras file.
func (m *model) places() {
	seen := map[string]int{}
	for _, l := range m.layers {
		if l.operation || l.place == "-" {
			continue
		}
		group := snake(l.class)
		if n := seen[group]; n > 0 {
			l.place = fmt.Sprintf("layers/%s_%d", group, n)
		} else {
			l.place = "layers/" + group
		}
		seen[group]++
	}
}

// references reads a list of tensors, or a single one.
func references(s settings, v any) []reference {
	if o, ok := v.(map[string]any); ok {
		_ = o
		s.refuse("inputs or outputs by name are not read: give the model a list of them")
	}
	list, _ := v.([]any)
	if len(list) == 3 {
		if _, flat := list[0].(string); flat {
			return []reference{oneReference(s, list)}
		}
	}
	var out []reference
	for _, x := range list {
		out = append(out, oneReference(s, x))
	}
	return out
}

// oneReference reads [layer, node, tensor].
func oneReference(s settings, v any) reference {
	list, _ := v.([]any)
	if len(list) < 3 {
		s.refuse("a reference to a tensor is %s: it must be a layer's name and two numbers", shown(v))
	}
	name, ok := list[0].(string)
	node, ok1 := whole(list[1])
	at, ok2 := whole(list[2])
	if !ok || !ok1 || !ok2 || node < 0 || at < 0 || node > maxLayers || at > maxLayers {
		s.refuse("a reference to a tensor is %s: it must be a layer's name and two numbers", shown(v))
	}
	return reference{name, node, at}
}

// call reads the arguments of a call of a layer.
func (l *kerasLayer) call(node any) []reference {
	if o, ok := node.(map[string]any); ok {
		return l.call3(newSettings(l.where, o))
	}
	var refs []reference
	list, _ := node.([]any)
	if len(list) > 0 {
		if _, flat := list[0].(string); flat {
			list = []any{list}
		}
	}
	for _, x := range list {
		refs = append(refs, oneReference(l.settings, x))
		if parts := x.([]any); len(parts) > 3 {
			kwargs, _ := parts[3].(map[string]any)
			l.keywords(kwargs)
		}
	}
	return refs
}

// keywords refuses arguments that would change the result of a call. Masks follow from the layers.
func (l *kerasLayer) keywords(kwargs map[string]any) {
	for key, v := range kwargs {
		switch key {
		case "mask":
		case "training":
			if v == true {
				l.refuse("it is called with training=True")
			}
		default:
			if v != nil && v != false {
				l.refuse("it is called with the argument %s, which is not read", shown(key))
			}
		}
	}
}

// call3 is call in the format of Keras 3.
func (l *kerasLayer) call3(s settings) (refs []reference) {
	args, _ := s.get("args").([]any)
	var walk func(v any, level int)
	walk = func(v any, level int) {
		switch v := v.(type) {
		case map[string]any:
			config, _ := v["config"].(map[string]any)
			if v["class_name"] != "__keras_tensor__" || config == nil {
				l.refuse("it is called with %s, which is not a tensor", shown(v["class_name"]))
			}
			refs = append(refs, oneReference(l.settings, config["keras_history"]))
		case []any:
			if level > 4 {
				l.refuse("its arguments are nested too deeply")
			}
			for _, x := range v {
				walk(x, level+1)
			}
		case nil:
		default:
			if !l.operation {
				l.refuse("it is called with the argument %s, which is not read", shown(v))
			}
		}
	}
	for _, v := range args {
		walk(v, 0)
	}
	if l.operation {
		return refs
	}
	kwargs, _ := s.get("kwargs").(map[string]any)
	l.keywords(kwargs)
	return refs
}

// walk calls each for every layer of a model and of its nested models, in the order of the file.
func (m *model) walk(each func(l *kerasLayer)) {
	for _, l := range m.layers {
		if l.inner != nil {
			l.inner.walk(each)
			continue
		}
		each(l)
	}
}

// variables lists the variables of a layer, or of all layers of a nested model, in order.
func (l *kerasLayer) variables() []*variable {
	if l.inner == nil {
		return l.vars
	}
	var all []*variable
	for _, within := range l.inner.layers {
		all = slices.Concat(all, within.variables())
	}
	return all
}
