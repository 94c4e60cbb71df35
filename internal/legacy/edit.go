package legacy

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
)

// object returns a copy of an object that can be changed.
func object(v any) (dl4j.Object, bool) {
	o, ok := v.(dl4j.Object)
	return slices.Clone(o), ok
}

// take removes a member and returns it.
func take(o *dl4j.Object, name string) (any, bool) {
	for i, m := range *o {
		if m.Name == name {
			*o = slices.Delete(*o, i, i+1)
			return m.Value, true
		}
	}
	return nil, false
}

func takeString(o *dl4j.Object, name string) (string, bool) {
	v, ok := take(o, name)
	s, isString := v.(string)
	return s, ok && isString
}

// takeFloat returns NaN if there is no number.
func takeFloat(o *dl4j.Object, name string) float64 {
	v, _ := take(o, name)
	return float(v)
}

func float(v any) float64 {
	if n, ok := v.(dl4j.Number); ok {
		if x, err := strconv.ParseFloat(string(n), 64); err == nil {
			return x
		}
	}
	return math.NaN()
}

// set replaces a member, or adds it.
func set(o *dl4j.Object, name string, v any) {
	for i := range *o {
		if (*o)[i].Name == name {
			(*o)[i].Value = v
			return
		}
	}
	*o = append(*o, dl4j.Member{Name: name, Value: v})
}

// add adds a member that is not there.
func add(o *dl4j.Object, name string, v any) {
	if _, ok := o.Get(name); !ok {
		set(o, name, v)
	}
}

// each changes a member if it exists.
func each(o *dl4j.Object, name string, change func(any) (any, error)) error {
	v, ok := o.Get(name)
	if !ok {
		return nil
	}
	v, err := change(v)
	if err != nil {
		return within(name, err)
	}
	set(o, name, v)
	return nil
}

// list changes the elements of an array; other values stay.
func list(v any, change func(any) (any, error)) (any, error) {
	a, ok := v.([]any)
	if !ok {
		return v, nil
	}
	a = slices.Clone(a)
	for i := range a {
		var err error
		if a[i], err = change(a[i]); err != nil {
			return nil, within(fmt.Sprintf("[%d]", i), err)
		}
	}
	return a, nil
}

// members changes the values of an object; other values stay.
func members(v any, change func(any) (any, error)) (any, error) {
	o, ok := object(v)
	if !ok {
		return v, nil
	}
	for i := range o {
		var err error
		if o[i].Value, err = change(o[i].Value); err != nil {
			return nil, within(o[i].Name, err)
		}
	}
	return o, nil
}

// within prepends a place to that of an error.
func within(place string, err error) error {
	var f *dl4j.FormatError
	if !errors.As(err, &f) {
		return &dl4j.FormatError{At: place, Offset: -1, Err: err}
	}
	g := *f
	switch {
	case g.At == "":
		g.At = place
	case strings.HasPrefix(g.At, "["):
		g.At = place + g.At
	default:
		g.At = place + "." + g.At
	}
	return &g
}

// unwrap returns an object whose class was the name of its only member in v. It returns nil if v is no object, and a
// copy of v if v already has a class.
func (u *upgrade) unwrap(v any, kind string, classes map[string]string) (dl4j.Object, error) {
	o, ok := object(v)
	if !ok {
		return nil, nil
	}
	if _, present := o.Get("@class"); present {
		return o, nil
	}
	if len(o) != 1 {
		for _, m := range o {
			if _, wrapped := classes[m.Name]; wrapped && len(o) > 1 {
				other := slices.IndexFunc(o, func(x dl4j.Member) bool { return x.Name != m.Name })
				u.seems(Alpha)
				return nil, fmt.Errorf("%s has the member %.100q beside its class %s", kind, o[other].Name, m.Name)
			}
		}
		return o, nil
	}
	inner, ok := object(o[0].Value)
	if !ok {
		return o, nil
	}
	u.seems(Alpha)
	class, known := classes[o[0].Name]
	if !known {
		return nil, fmt.Errorf("%s of the unknown class %.100q", kind, o[0].Name)
	}
	return append(dl4j.Object{{Name: "@class", Value: class}}, inner...), nil
}
