package dl4j

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// TreeMarshaler is implemented by values that make their JSON themselves. A polymorphic value returns an [Object], to
// which its class is added.
type TreeMarshaler interface{ MarshalTree() (any, error) }

// Marshal returns the JSON of v as Deeplearning4j writes it: see [Format]. A pointer to an interface with classes is
// written with its class.
func Marshal(v any) ([]byte, error) {
	tree, err := ToTree(v)
	if err != nil {
		return nil, err
	}
	return Format(tree)
}

// ToTree is [Marshal] that returns a tree instead of text.
func ToTree(v any) (any, error) { return encode(reflect.ValueOf(v)) }

// Members returns the [Object] of a struct's tagged fields. A method MarshalTree may call it on a modified copy of its
// struct.
func Members(v any) (any, error) { return encodeStruct(reflect.ValueOf(v)) }

func encode(v reflect.Value) (any, error) {
	if !v.IsValid() {
		return nil, nil
	}
	k := v.Kind()
	if (k == reflect.Pointer || k == reflect.Interface || k == reflect.Slice || k == reflect.Map) && v.IsNil() {
		return nil, nil
	}
	if k == reflect.Interface {
		if t := tableOf(v.Type()); t != nil {
			return t.encode(v.Elem())
		}
		return encode(v.Elem())
	}
	switch m := v.Interface().(type) {
	case TreeMarshaler:
		return m.MarshalTree()
	case Object, Number, []any:
		return m, nil
	case encoding.TextMarshaler:
		text, err := m.MarshalText()
		return string(text), err
	}
	switch k {
	case reflect.Pointer:
		return encode(v.Elem())
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.String:
		return v.String(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Float64:
		return v.Float(), nil
	case reflect.Float32:
		return float32(v.Float()), nil
	case reflect.Struct:
		return encodeStruct(v)
	case reflect.Slice, reflect.Array:
		a := make([]any, v.Len())
		for i := range a {
			var err error
			if a[i], err = encode(v.Index(i)); err != nil {
				return nil, within(fmt.Sprintf("[%d]", i), err)
			}
		}
		return a, nil
	case reflect.Map:
		return encodeMap(v)
	}
	return nil, fmt.Errorf("a %v has no form in JSON", v.Type())
}

// encode adds the class to the object of v.
func (c *classTable) encode(v reflect.Value) (any, error) {
	name, ok := c.nameOf(v.Type())
	if !ok {
		return nil, &FormatError{Offset: -1, Err: fmt.Errorf("%s of type %v: the type is not registered", c.kind, v.Type())}
	}
	tree, err := encode(v)
	if err != nil {
		return nil, err
	}
	o, ok := tree.(Object)
	if !ok {
		return nil, fmt.Errorf("%s of type %v is written as a %T, not as an object", c.kind, v.Type(), tree)
	}
	return append(Object{{c.key, name}}, o...), nil
}

func encodeStruct(v reflect.Value) (any, error) {
	fields := fieldsOf(v.Type())
	o := make(Object, 0, len(fields.list))
	creators := 0
	for _, f := range fields.list {
		tree, err := encode(v.FieldByIndex(f.index))
		if err != nil {
			return nil, within(f.name, err)
		}
		if f.zeroNull && v.FieldByIndex(f.index).IsZero() {
			tree = nil
		}
		if tree == nil && f.omitNull {
			continue
		}
		o = append(o, Member{f.name, tree})
		if f.creator {
			creators++
		}
	}
	if fields.inert == nil {
		return o, nil
	}
	inert := v.Interface().(InertFields).InertFields()
	kept := v.FieldByIndex(fields.inert).Interface().(Inert).members()
	for _, m := range inert {
		if value, ok := kept.Get(m.Name); ok {
			m.Value = value
		}
		o = append(o, m)
	}
	slices.SortFunc(o[creators:], func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	return o, nil
}

func encodeMap(v reflect.Value) (any, error) {
	if v.Type().Key().Kind() != reflect.String {
		return nil, fmt.Errorf("a %v has no form in JSON: its keys are not strings", v.Type())
	}
	var o Object
	for _, k := range v.MapKeys() {
		tree, err := encode(v.MapIndex(k))
		if err != nil {
			return nil, within(k.String(), err)
		}
		o = append(o, Member{k.String(), tree})
	}
	slices.SortFunc(o, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	return o, nil
}
