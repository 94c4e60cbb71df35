package shortnet

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/registry"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
)

// expand converts a value of a type to Deeplearning4j's JSON.
func expand(n *yaml.Node, t reflect.Type, what string) (any, error) {
	if t == nil {
		return plain(n), nil
	}
	if _, ok := dl4j.TableOf(t); ok {
		return expandClass(n, t, what)
	}
	if t.Kind() == reflect.Pointer {
		if isNull(n) {
			return nil, nil
		}
		return expand(n, t.Elem(), what)
	}
	if t == reflect.TypeFor[layer.Not]() {
		t = reflect.TypeFor[bool]()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[dl4j.TreeUnmarshaler]()) {
		return plain(n), nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return expandList(n, t, what)
	case reflect.Struct:
		return expandMembers(n, settings(reflect.Zero(t)), what)
	case reflect.Map:
		return plain(n), nil
	}
	return expandScalar(n, t, what)
}

// wrong returns the error for a value of the wrong kind.
func wrong(n *yaml.Node, what, want string) error {
	return errorAt(n, "%s: %s should be here, not %s", what, want, describe(n))
}

func expandScalar(n *yaml.Node, t reflect.Type, what string) (any, error) {
	if n.Kind != yaml.ScalarNode {
		return nil, wrong(n, what, map[bool]string{true: "a number", false: "a single value"}[t.Kind() == reflect.Int])
	}
	switch t.Kind() {
	case reflect.Bool:
		if n.ShortTag() != "!!bool" {
			return nil, wrong(n, what, "true or false")
		}
		return strings.EqualFold(n.Value, "true"), nil
	case reflect.Int, reflect.Int32, reflect.Int64:
		x, ok := number(n)
		if _, err := strconv.ParseInt(string(x), 10, t.Bits()); !ok || err != nil {
			return nil, wrong(n, what, "a whole number")
		}
		return x, nil
	case reflect.Float64, reflect.Float32:
		if x, ok := number(n); ok {
			return x, nil
		}
		for _, w := range []string{"NaN", "Infinity", "-Infinity"} {
			if n.Value == w {
				return w, nil
			}
		}
		return nil, wrong(n, what, "a number")
	case reflect.String:
		if isNull(n) {
			return nil, nil
		}
		if all := words[t]; all != nil && n.Value != "" {
			w, ok := word(t, n.Value)
			if !ok {
				return nil, errorAt(n, "%s: %.60q is unknown; it is one of %s%s", what, n.Value, strings.Join(all, ", "),
					registry.SuggestWord(n.Value, all))
			}
			return w, nil
		}
		if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
			return n.Value, nil
		}
		return n.Value, nil
	}
	return plain(n), nil
}

// expandList uses a single value for all elements of an array, or for a slice of one element.
func expandList(n *yaml.Node, t reflect.Type, what string) (any, error) {
	if isNull(n) && t.Kind() == reflect.Slice {
		return nil, nil
	}
	elements, many := n.Content, 1
	if n.Kind != yaml.SequenceNode {
		elements = []*yaml.Node{n}
		if t.Kind() == reflect.Array {
			many = t.Len()
		}
	}
	list := []any{}
	for _, e := range elements {
		v, err := expand(e, t.Elem(), what)
		if err != nil {
			return nil, err
		}
		for range many {
			list = append(list, v)
		}
	}
	if t.Kind() == reflect.Array && len(list) != t.Len() {
		return nil, errorAt(n, "%s: %d numbers should be here, not %d", what, t.Len(), len(list))
	}
	return list, nil
}

// expandClass converts a value with a class: its name, or {name: {settings}}.
func expandClass(n *yaml.Node, t reflect.Type, what string) (any, error) {
	if isNull(n) {
		return nil, nil
	}
	table, _ := dl4j.TableOf(t)
	if x, ok := number(n); ok {
		return expandNumber(n, t, x, what)
	}
	name, inner := n, (*yaml.Node)(nil)
	switch {
	case n.Kind == yaml.MappingNode && len(n.Content) == 2:
		name, inner = n.Content[0], n.Content[1]
	case n.Kind != yaml.ScalarNode:
		return nil, errorAt(n, "%s: the name of a %s should be here, or {name: {settings}}, not %s", what,
			table.Kind(), describe(n))
	}
	c, exact, ok := find(t, name.Value)
	if !ok {
		if v, is := constants(t)[strings.ToUpper(name.Value)]; is && inner == nil {
			return treeOf(t, v), nil
		}
		names := shortNames(t)
		return nil, errorAt(name, "unknown %s %.60q; there are %s%s", table.Kind(), name.Value, strings.Join(names, ", "),
			registry.SuggestWord(name.Value, names))
	}
	return c.expand(inner, exact, t)
}

// expandNumber converts a number that stands for an object.
func expandNumber(n *yaml.Node, t reflect.Type, x dl4j.Number, what string) (any, error) {
	v, err := strconv.ParseFloat(string(x), 64)
	switch {
	case err != nil:
	case t == dropoutType && v == 0:
		return nil, nil
	case t == dropoutType && v > 0 && v < 1:
		return treeOf(t, reflect.ValueOf(regularization.NewDropout(regularization.Keeping(v)))), nil
	case t == dropoutType:
		return nil, errorAt(n, "%s: %s is the probability to drop: it must be in [0, 1)", what, x)
	case t == scheduleType:
		return fixed(x), nil
	}
	return nil, errorAt(n, "%s: a name should be here, not %s", what, x)
}

// fixed returns a constant schedule.
func fixed(x any) dl4j.Object {
	return dl4j.Object{{Name: "@class", Value: "org.nd4j.linalg.schedule.FixedSchedule"}, {Name: "value", Value: x}}
}

// expand returns a value of the class. inner are its settings; nil if there are none. With exact, the value only has
// those.
func (c named) expand(inner *yaml.Node, exact bool, t reflect.Type) (any, error) {
	list := c.list
	var own dl4j.Object
	if exact && inner != nil && inner.Kind == yaml.MappingNode {
		members, _ := plain(inner).(dl4j.Object)
		return append(dl4j.Object{{Name: c.table.Key(), Value: c.class}}, members...), nil
	}
	switch {
	case inner == nil || isNull(inner):
	case inner.Kind != yaml.MappingNode:
		s, ok := c.sole(list)
		if !ok {
			return nil, errorAt(inner, "%s: {setting: value, …} should be here, not %s", c.short, describe(inner))
		}
		v, err := expand(inner, s.t, c.short)
		if err != nil {
			return nil, err
		}
		own = dl4j.Object{{Name: s.json, Value: v}}
	default:
		tree, err := expandMembers(inner, list, c.short)
		if err != nil {
			return nil, err
		}
		own = tree.(dl4j.Object)
	}
	if exact {
		return append(dl4j.Object{{Name: c.table.Key(), Value: c.class}}, own...), nil
	}
	return c.over(own, t)
}

// over returns the usual value of a class with some members changed.
func (c named) over(own dl4j.Object, t reflect.Type) (any, error) {
	o := dl4j.Object{{Name: c.table.Key(), Value: c.class}}
	if t != layerType && t != vertexType {
		return append(o, own...), nil
	}
	if c.base == nil {
		return append(o, own...), nil
	}
	base := slices.Clone(c.base)
	for i, m := range base {
		if v, given := own.Get(m.Name); given {
			base[i].Value = v
		}
	}
	return base, nil
}

// sole returns the setting for a value without a name: that of a dropout layer, or the only one of a class.
func (c named) sole(list []setting) (setting, bool) {
	if c.short == "dropout" && c.table.Kind() == "layer" {
		return called(list, "idropout")
	}
	if len(list) == 1 {
		return list[0], true
	}
	for _, first := range []string{"n", "activationFn", "poolingType", "underlying", "layer", "fwd",
		"scaleFactor", "op", "l1", "l2", "coeff"} {
		if s, ok := called(list, first); ok && s.json == first {
			return s, true
		}
	}
	return setting{}, false
}

// expandMembers converts {setting: value, …} to Deeplearning4j's names.
func expandMembers(n *yaml.Node, list []setting, what string) (any, error) {
	if isNull(n) {
		return dl4j.Object{}, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, errorAt(n, "%s: {setting: value, …} should be here, not %s", what, describe(n))
	}
	o := dl4j.Object{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		s, ok := called(list, k.Value)
		if !ok {
			if done, err := shrinking(&o, k, v, list); err != nil {
				return nil, err
			} else if done {
				continue
			}
			return nil, unknownSetting(k, list, what)
		}
		if _, twice := o.Get(s.json); twice {
			return nil, errorAt(k, "%s: %s is given twice, under two names", what, s.short)
		}
		tree, err := expand(v, s.t, s.short)
		if err != nil {
			return nil, err
		}
		o = append(o, dl4j.Member{Name: s.json, Value: tree})
	}
	return o, nil
}

// shrinks are short forms of elements of regularization, with the class and the member of the coefficient.
var shrinks = map[string][3]string{
	"l1":              {"regularization", "L1Regularization", "l1"},
	"l2":              {"regularization", "L2Regularization", "l2"},
	"weightDecay":     {"regularization", "WeightDecay", "coeff"},
	"l1Bias":          {"regularizationBias", "L1Regularization", "l1"},
	"l2Bias":          {"regularizationBias", "L2Regularization", "l2"},
	"weightDecayBias": {"regularizationBias", "WeightDecay", "coeff"},
}

const regularizationPackage = "org.nd4j.linalg.learning.regularization."

// shrinking reads l1, l2 and weightDecay as elements of regularization.
func shrinking(o *dl4j.Object, k, v *yaml.Node, list []setting) (bool, error) {
	of, ok := shrinks[k.Value]
	if _, has := called(list, of[0]); !ok || !has {
		return false, nil
	}
	coefficient, err := expand(v, scheduleType, k.Value)
	if err != nil {
		return false, err
	}
	element := dl4j.Object{{Name: "@class", Value: regularizationPackage + of[1]}, {Name: of[2], Value: coefficient}}
	if of[1] == "WeightDecay" {
		element = append(element, dl4j.Member{Name: "applyLR", Value: true})
	}
	for i, m := range *o {
		if m.Name == of[0] {
			before, _ := m.Value.([]any)
			(*o)[i].Value = append(before, element)
			return true, nil
		}
	}
	*o = append(*o, dl4j.Member{Name: of[0], Value: []any{element}})
	return true, nil
}

func unknownSetting(k *yaml.Node, list []setting, what string) error {
	var names []string
	for _, s := range list {
		names = append(names, s.short)
		names = append(names, s.also...)
	}
	if _, has := called(list, "regularization"); has {
		names = append(names, "l1", "l2", "weightDecay")
	}
	suggestion := registry.SuggestWord(k.Value, names)
	if suggestion == "" {
		suggestion = "; it has " + strings.Join(names, ", ")
	}
	return errorAt(k, "unknown setting %.60q of %s%s", k.Value, what, fmt.Sprint(suggestion))
}
