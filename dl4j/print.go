package dl4j

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Format returns a tree as text in the style of Deeplearning4j's Jackson mapper: two spaces of indentation, `"name" :
// value`, arrays on one line, doubles in Java's notation. There is no newline at the end.
func Format(tree any) ([]byte, error) {
	var p printer
	err := p.tree(tree, 0)
	return p.b, err
}

// Write writes the text of [Marshal] to w, and keeps only a little of it in memory. It writes each string in one piece.
func Write(w io.Writer, v any) error {
	tree, err := ToTree(v)
	if err != nil {
		return err
	}
	p := printer{to: w}
	if err := p.tree(tree, 0); err != nil {
		return err
	}
	_, err = w.Write(p.b)
	return err
}

// printer holds text that has not been written yet.
type printer struct {
	b  []byte
	to io.Writer // nil: all text is kept
}

// printed is the size of a write.
const printed = 64 << 10

// flush writes the text if it is long enough.
func (p *printer) flush() error {
	if p.to == nil || len(p.b) < printed {
		return nil
	}
	_, err := p.to.Write(p.b)
	p.b = p.b[:0]
	return err
}

func (p *printer) tree(tree any, level int) error {
	switch v := tree.(type) {
	case nil:
		p.b = append(p.b, "null"...)
	case bool:
		p.b = strconv.AppendBool(p.b, v)
	case string:
		p.b = appendString(p.b, v)
	case Number:
		p.b = append(p.b, v...)
	case int:
		p.b = strconv.AppendInt(p.b, int64(v), 10)
	case int64:
		p.b = strconv.AppendInt(p.b, v, 10)
	case float64:
		p.b = appendFloat(p.b, v, 64)
	case float32:
		p.b = appendFloat(p.b, float64(v), 32)
	case []any:
		return printArray(p, v, func(x any) error { return p.tree(x, level) })
	case []int64:
		return printArray(p, v, func(x int64) error { p.b = strconv.AppendInt(p.b, x, 10); return nil })
	case []float64:
		return printArray(p, v, func(x float64) error { p.b = appendFloat(p.b, x, 64); return nil })
	case Object:
		return p.object(v, level)
	case Deferred:
		tree, err := v()
		if err != nil {
			return err
		}
		return p.tree(tree, level)
	default:
		return fmt.Errorf("a %T is not part of a JSON tree", tree)
	}
	return nil
}

func printArray[T any](p *printer, values []T, one func(T) error) error {
	p.b = append(p.b, '[')
	for i, v := range values {
		if i > 0 {
			p.b = append(p.b, ',')
		}
		p.b = append(p.b, ' ')
		if err := one(v); err != nil {
			return err
		}
		if err := p.flush(); err != nil {
			return err
		}
	}
	p.b = append(p.b, " ]"...)
	return nil
}

func (p *printer) object(o Object, level int) error {
	if len(o) == 0 {
		p.b = append(p.b, "{ }"...)
		return nil
	}
	p.b = append(p.b, '{')
	for i, m := range o {
		if i > 0 {
			p.b = append(p.b, ',')
		}
		p.b = appendIndent(p.b, level+1)
		p.b = append(appendString(p.b, m.Name), " : "...)
		if err := p.tree(m.Value, level+1); err != nil {
			return err
		}
	}
	p.b = append(appendIndent(p.b, level), '}')
	return p.flush()
}

func appendFloat(b []byte, x float64, bits int) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(append(append(b, '"'), formatJava(x, bits)...), '"')
	}
	return appendJava(b, x, bits)
}

func appendIndent(b []byte, level int) []byte {
	b = append(b, '\n')
	for range level {
		b = append(b, "  "...)
	}
	return b
}

// appendString escapes only what JSON requires, as Jackson does.
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
