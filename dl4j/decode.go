package dl4j

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/internal/registry"
)

// TreeUnmarshaler is implemented by values that read their JSON themselves. Use [FromTree] for parts of the tree, so
// that errors name the whole place.
type TreeUnmarshaler interface{ UnmarshalTree(tree any) error }

// AfterReader is implemented by structs that do something after their members were read, such as noting that zeros are
// intended.
type AfterReader interface{ AfterRead() }

// Unmarshal reads a JSON document into the value that v points to: a struct with dl4j tags, or an interface with
// classes. Members that the document omits keep their values. Errors are FormatErrors.
func Unmarshal(text []byte, v any) error {
	tree, err := parseLong(string(text))
	if err != nil {
		return err
	}
	return FromTree(tree, v)
}

// FromTree is [Unmarshal] for a parsed document, or a part of one.
func FromTree(tree any, v any) error {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("dl4j: FromTree into a %T, which is not a pointer", v)
	}
	return decode(tree, p.Elem())
}

// within prepends a place to that of an error.
func within(place string, err error) error {
	var f *FormatError
	if !errors.As(err, &f) {
		return &FormatError{At: place, Offset: -1, Err: err}
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

func problem(format string, args ...any) error {
	return &FormatError{Offset: -1, Err: fmt.Errorf(format, args...)}
}

// mismatch returns an error that another kind of value was expected.
func mismatch(tree any, want string) error {
	got := ""
	switch v := tree.(type) {
	case nil:
		got = "null"
	case bool:
		got = strconv.FormatBool(v)
	case string:
		got = strconv.Quote(shorten(v))
	case Number:
		got = shorten(string(v))
	case []any:
		got = "an array"
	case Object:
		got = "an object"
	}
	return problem("%s should be here, not %s", want, got)
}

func shorten(s string) string {
	if len(s) > 120 {
		return s[:120] + "…"
	}
	return s
}

func decode(tree any, v reflect.Value) error {
	if v.Kind() == reflect.Interface {
		if v.NumMethod() == 0 {
			v.Set(reflect.Zero(v.Type()))
			if tree != nil {
				v.Set(reflect.ValueOf(tree))
			}
			return nil
		}
		t := tableOf(v.Type())
		if t == nil {
			return problem("nothing can be read into a %v: it has no table of classes", v.Type())
		}
		return t.decode(tree, v)
	}
	switch u := v.Addr().Interface().(type) {
	case TreeUnmarshaler:
		return asProblem(u.UnmarshalTree(tree))
	case *Object:
		o, ok := tree.(Object)
		if !ok && tree != nil {
			return mismatch(tree, "an object")
		}
		*u = o
		return nil
	case encoding.TextUnmarshaler:
		s, ok := tree.(string)
		if !ok {
			return mismatch(tree, "a string")
		}
		return asProblem(u.UnmarshalText([]byte(s)))
	}
	if tree == nil {
		v.SetZero()
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		if err := decode(tree, p.Elem()); err != nil {
			return err
		}
		v.Set(p)
		return nil
	case reflect.Struct:
		return decodeStruct(tree, v, "")
	case reflect.Slice, reflect.Array:
		return decodeArray(tree, v)
	case reflect.Map:
		return decodeMap(tree, v)
	}
	return decodeScalar(tree, v)
}

func asProblem(err error) error {
	var f *FormatError
	if err == nil || errors.As(err, &f) {
		return err
	}
	return &FormatError{Offset: -1, Err: err}
}

func decodeScalar(tree any, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool:
		b, ok := tree.(bool)
		if !ok {
			return mismatch(tree, "true or false")
		}
		v.SetBool(b)
	case reflect.String:
		s, ok := tree.(string)
		if !ok {
			return mismatch(tree, "a string")
		}
		v.SetString(strings.Clone(s))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, ok := tree.(Number)
		if !ok {
			return mismatch(tree, "a whole number")
		}
		i, err := strconv.ParseInt(string(n), 10, v.Type().Bits())
		if err != nil {
			return mismatch(tree, fmt.Sprintf("a whole number of %d bits", v.Type().Bits()))
		}
		v.SetInt(i)
	case reflect.Float32, reflect.Float64:
		s, isString := tree.(string)
		n, isNumber := tree.(Number)
		if isString && s != "NaN" && s != "Infinity" && s != "-Infinity" || !isString && !isNumber {
			return mismatch(tree, "a number")
		}
		x, err := parseDouble(s+string(n), v.Type().Bits())
		if err != nil {
			return mismatch(tree, fmt.Sprintf("a number that a float of %d bits can hold", v.Type().Bits()))
		}
		v.SetFloat(x)
	default:
		return problem("a %v has no form in JSON", v.Type())
	}
	return nil
}

func decodeArray(tree any, v reflect.Value) error {
	a, ok := tree.([]any)
	if !ok {
		return mismatch(tree, "an array")
	}
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), len(a), len(a)))
	} else if v.Len() != len(a) {
		return problem("an array of %d values should be here, not of %d", v.Len(), len(a))
	}
	for i, x := range a {
		if err := decode(x, v.Index(i)); err != nil {
			return within(fmt.Sprintf("[%d]", i), err)
		}
	}
	return nil
}

func decodeMap(tree any, v reflect.Value) error {
	o, ok := tree.(Object)
	if !ok || v.Type().Key().Kind() != reflect.String {
		return mismatch(tree, "an object")
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, m := range o {
		x := reflect.New(v.Type().Elem()).Elem()
		if err := decode(m.Value, x); err != nil {
			return within(m.Name, err)
		}
		v.SetMapIndex(reflect.ValueOf(strings.Clone(m.Name)).Convert(v.Type().Key()), x)
	}
	return nil
}

// decodeStruct reads an object into a struct. The member named class, if any, is ignored.
func decodeStruct(tree any, v reflect.Value, class string) error {
	o, ok := tree.(Object)
	if !ok {
		return mismatch(tree, "an object")
	}
	fields := fieldsOf(v.Type())
	var inert, kept Object
	if fields.inert != nil {
		inert = v.Interface().(InertFields).InertFields()
	}
	for _, m := range o {
		if m.Name == class {
			continue
		}
		if i, ok := fields.byName[m.Name]; ok {
			if m.Value == nil && fields.list[i].zeroNull {
				v.FieldByIndex(fields.list[i].index).SetZero()
				continue
			}
			if err := decode(m.Value, v.FieldByIndex(fields.list[i].index)); err != nil {
				return within(m.Name, err)
			}
			continue
		}
		usual, ok := inert.Get(m.Name)
		if !ok {
			return within(m.Name, problem("unknown member%s", ofClass(o, class)))
		}
		if !sameTree(usual, m.Value) {
			kept = append(kept, m)
		}
	}
	if fields.inert != nil {
		text := ""
		if kept != nil {
			b, err := Format(kept)
			if err != nil {
				return err
			}
			text = string(b)
		}
		v.FieldByIndex(fields.inert).Set(reflect.ValueOf(Inert{text}))
	}
	if a, ok := v.Addr().Interface().(AfterReader); ok {
		a.AfterRead()
	}
	return nil
}

func ofClass(o Object, class string) string {
	if name, ok := o.Get(class); ok {
		return fmt.Sprintf(" of %v", name)
	}
	return ""
}

// sameTree compares trees by their text.
func sameTree(a, b any) bool {
	x, errX := Format(a)
	y, errY := Format(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

func (i Inert) members() Object {
	if i.text == "" {
		return nil
	}
	tree, _ := Parse(i.text) // Format has written it
	return tree.(Object)
}

// decode reads an object with a class into v, whose type is the table's interface.
func (c *classTable) decode(tree any, v reflect.Value) error {
	if tree == nil {
		v.SetZero()
		return nil
	}
	o, ok := tree.(Object)
	if !ok {
		return mismatch(tree, c.kind+" (an object)")
	}
	value, ok := o.Get(c.key)
	name, isString := value.(string)
	if !ok || !isString {
		return problem("%s without %q", c.kind, c.key)
	}
	class := c.find(name)
	if class == nil {
		advice := registry.Suggest(name, c.of.Names())
		if advice == "" && strings.Contains(name, ".") && !strings.HasPrefix(name, "org.deeplearning4j.") &&
			!strings.HasPrefix(name, "org.nd4j.") {
			advice = "; read it with a program that imports the package of this class"
		}
		return problem("%s of the unknown class %q%s", c.kind, shorten(name), advice)
	}
	made := class.prototype()
	target := made
	if class.concrete.Kind() == reflect.Pointer {
		target = made.Elem()
	} else {
		target = reflect.New(class.concrete).Elem()
		target.Set(made)
		made = target
	}
	if err := decodeInto(o, target, c.key); err != nil {
		return err
	}
	v.Set(made)
	return nil
}

func decodeInto(o Object, target reflect.Value, class string) error {
	if u, ok := target.Addr().Interface().(TreeUnmarshaler); ok {
		return asProblem(u.UnmarshalTree(o))
	}
	return decodeStruct(o, target, class)
}
