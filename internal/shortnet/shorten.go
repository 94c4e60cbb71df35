package shortnet

import (
	"reflect"
	"strconv"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
)

// shorten converts a value of a type from Deeplearning4j's JSON to the short form: the inverse of expand.
func shorten(tree any, t reflect.Type) any {
	if t == nil || tree == nil {
		return tree
	}
	if _, ok := dl4j.TableOf(t); ok {
		return shortenClass(tree, t)
	}
	if t.Kind() == reflect.Pointer {
		return shorten(tree, t.Elem())
	}
	if t == reflect.TypeFor[layer.Not]() || reflect.PointerTo(t).Implements(reflect.TypeFor[dl4j.TreeUnmarshaler]()) {
		return tree
	}
	switch list, isList := tree.([]any); {
	case isList && t.Kind() == reflect.Array:
		return same(list)
	case isList && t.Kind() == reflect.Slice:
		out := make([]any, len(list))
		for i, e := range list {
			out[i] = shorten(e, t.Elem())
		}
		return out
	}
	if o, ok := tree.(dl4j.Object); ok && t.Kind() == reflect.Struct {
		return shortenMembers(o, settings(reflect.Zero(t)))
	}
	return tree
}

// same returns one number for an array of equal ones.
func same(list []any) any {
	for _, e := range list {
		if _, number := e.(dl4j.Number); !number || e != list[0] {
			return list
		}
	}
	if len(list) == 0 {
		return list
	}
	return list[0]
}

// shortenClass returns a name, or {name: {settings}} with the settings that differ from the usual ones.
func shortenClass(tree any, t reflect.Type) any {
	o, ok := tree.(dl4j.Object)
	if !ok {
		return tree
	}
	table, _ := dl4j.TableOf(t)
	class, _ := o.Get(table.Key())
	name, _ := class.(string)
	c, exact, ok := find(t, name)
	if !ok || !exact {
		return tree
	}
	o = o.Without(table.Key())
	if x, ok := shortNumber(c, o, t); ok {
		return x
	}
	var own dl4j.Object
	for _, m := range o {
		if u, has := c.base.Get(m.Name); !has || !sameTree(u, m.Value) {
			own = append(own, m)
		}
	}
	return c.shortened(own)
}

// shortened returns a name with the settings to be written.
func (c named) shortened(own dl4j.Object) any {
	if len(own) == 0 {
		return c.short
	}
	return dl4j.Object{{Name: c.short, Value: shortenMembers(own, c.list)}}
}

func shortenMembers(own dl4j.Object, list []setting) dl4j.Object {
	out := dl4j.Object{}
	for _, m := range own {
		s, ok := called(list, m.Name)
		if !ok || s.json != m.Name {
			out = append(out, m)
			continue
		}
		if m.Name == "regularization" || m.Name == "regularizationBias" {
			if short, ok := shrunk(m); ok {
				out = append(out, short...)
				continue
			}
		}
		out = append(out, dl4j.Member{Name: s.short, Value: shorten(m.Value, s.t)})
	}
	return out
}

// shortNumber returns a dropout as its probability to drop, or a constant schedule as its value.
func shortNumber(c named, o dl4j.Object, t reflect.Type) (any, bool) {
	switch {
	case t == scheduleType && c.short == "fixed" && len(o) == 1:
		x, ok := o[0].Value.(dl4j.Number)
		return x, ok
	case t == dropoutType && c.short == "dropout":
		p, _ := o.Get("p")
		n, _ := p.(dl4j.Number)
		keep, err := strconv.ParseFloat(string(n), 64)
		if err != nil || keep <= 0 || keep >= 1 {
			return nil, false
		}
		drop := regularization.Keeping(keep) // 0.2 for 0.8
		again, _ := treeOf(t, reflect.ValueOf(regularization.NewDropout(regularization.Keeping(drop)))).(dl4j.Object)
		if !sameTree(again.Without("@class"), o) {
			return nil, false
		}
		return dl4j.Number(strconv.FormatFloat(drop, 'g', -1, 64)), true
	}
	return nil, false
}

// shrunk returns a list of regularizations as l1, l2 and weightDecay, in the order of the list, if each occurs once
// and has a constant coefficient.
func shrunk(m dl4j.Member) (out dl4j.Object, ok bool) {
	list, _ := m.Value.([]any)
	if len(list) == 0 {
		return nil, false
	}
	for _, e := range list {
		o, _ := e.(dl4j.Object)
		found := false
		for _, name := range []string{"l1", "l2", "weightDecay", "l1Bias", "l2Bias", "weightDecayBias"} {
			of := shrinks[name]
			if class, _ := o.Get("@class"); of[0] != m.Name || class != regularizationPackage+of[1] {
				continue
			}
			if lr, has := o.Get("applyLR"); has && lr != true {
				return nil, false
			}
			coefficient, _ := o.Get(of[2])
			if _, twice := out.Get(name); twice || len(o) > 3 {
				return nil, false
			}
			out, found = append(out, dl4j.Member{Name: name, Value: shorten(coefficient, scheduleType)}), true
		}
		if !found {
			return nil, false
		}
	}
	return out, true
}
