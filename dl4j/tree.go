package dl4j

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A tree is a JSON document: nil, bool, string, Number, []any or Object. Trees that are built to be written may hold
// Go's integers and floats as well.

// Number is a JSON number as it stands in the file.
type Number string

// Member is one member of an Object.
type Member struct {
	Name  string
	Value any
}

// Object is a JSON object; the order of its members is kept.
type Object []Member

// Get gives the member's value, and whether there is one.
func (o Object) Get(name string) (any, bool) {
	for _, m := range o {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

// Without gives the object without that member, for values that read their own form.
func (o Object) Without(name string) Object {
	var rest Object
	for _, m := range o {
		if m.Name != name {
			rest = append(rest, m)
		}
	}
	return rest
}

// Format prints a tree as Deeplearning4j's Jackson mapper does: two spaces of indentation, `"name" : value`, arrays on
// one line, doubles in Java's notation. There is no newline at the end.
func Format(tree any) ([]byte, error) { return appendTree(nil, tree, 0) }

func appendTree(b []byte, tree any, level int) ([]byte, error) {
	switch v := tree.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case string:
		return appendString(b, v), nil
	case Number:
		return append(b, v...), nil
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case float64:
		return appendFloat(b, v, 64), nil
	case float32:
		return appendFloat(b, float64(v), 32), nil
	case []any:
		return appendArray(b, v, level)
	case Object:
		return appendObject(b, v, level)
	}
	return nil, fmt.Errorf("a %T is not part of a JSON tree", tree)
}

func appendFloat(b []byte, x float64, bits int) []byte {
	s := formatJava(x, bits)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		s = `"` + s + `"`
	}
	return append(b, s...)
}

func appendArray(b []byte, values []any, level int) (_ []byte, err error) {
	b = append(b, '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendTree(append(b, ' '), v, level); err != nil {
			return nil, err
		}
	}
	return append(b, " ]"...), nil
}

func appendObject(b []byte, o Object, level int) (_ []byte, err error) {
	if len(o) == 0 {
		return append(b, "{ }"...), nil
	}
	b = append(b, '{')
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendIndent(b, level+1)
		b = append(appendString(b, m.Name), " : "...)
		if b, err = appendTree(b, m.Value, level+1); err != nil {
			return nil, err
		}
	}
	return append(appendIndent(b, level), '}'), nil
}

func appendIndent(b []byte, level int) []byte {
	b = append(b, '\n')
	for range level {
		b = append(b, "  "...)
	}
	return b
}

// appendString escapes what JSON demands and no more, as Jackson does.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range strings.ToValidUTF8(s, "�") {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\b':
			b = append(b, `\b`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\f':
			b = append(b, `\f`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r < 0x20:
			b = fmt.Appendf(b, `\u%04X`, r)
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"')
}
