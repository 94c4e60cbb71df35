package onnxfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/dl4go/dl4go/dl4j"
	"google.golang.org/protobuf/encoding/protowire"
)

// maxDepth bounds the nesting of graphs in attributes of nodes.
const maxDepth = 16

// Parse reads a model's file. The model's tensors refer to b, which must not change. Errors are [dl4j.FormatError]s.
func Parse(b []byte) (m *Model, err error) {
	defer func() {
		if v := recover(); v != nil {
			e, ok := v.(*dl4j.FormatError)
			if !ok {
				panic(v)
			}
			m, err = nil, e
		}
	}()
	d := message{b: b}
	m = &Model{}
	d.each(func(f field) {
		switch f.number {
		case 1:
			m.IRVersion = f.int()
		case 2:
			m.Producer = f.text()
		case 3:
			m.ProducerVersion = f.text()
		case 6:
			m.Doc = f.text()
		case 7:
			if m.Graph != nil {
				f.fail("a second graph")
			}
			m.Graph = f.graph(0)
		case 8:
			m.Opsets = append(m.Opsets, f.opset())
		case 14:
			m.Metadata = append(m.Metadata, f.property())
		case 25:
			f.fail("the model has functions of its own: let the exporter write their operators in their place")
		}
	})
	if m.Graph == nil || m.IRVersion == 0 {
		return nil, &dl4j.FormatError{Offset: 0, Err: errors.New("this is no ONNX model: it has no graph, or no version")}
	}
	return m, nil
}

// message is the bytes of a message, and their place in the file.
type message struct {
	b  []byte
	at int64
}

// field is one field of a message.
type field struct {
	number protowire.Number
	kind   protowire.Type
	x      uint64  // of a varint or a fixed number
	in     message // of a message or bytes
}

// fail ends Parse with an error.
func (f field) fail(format string, a ...any) {
	panic(&dl4j.FormatError{Offset: f.in.at, Err: fmt.Errorf(format, a...)})
}

// each calls f with every field.
func (m message) each(f func(field)) {
	for rest := m.b; len(rest) > 0; {
		v := field{in: message{at: m.at + int64(len(m.b)-len(rest))}}
		number, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			v.fail("this is no ONNX model: %v", protowire.ParseError(n))
		}
		v.number, v.kind, rest = number, kind, rest[n:]
		switch v.in.at = m.at + int64(len(m.b)-len(rest)); kind {
		case protowire.VarintType:
			v.x, n = protowire.ConsumeVarint(rest)
		case protowire.Fixed32Type:
			var x uint32
			x, n = protowire.ConsumeFixed32(rest)
			v.x = uint64(x)
		case protowire.Fixed64Type:
			v.x, n = protowire.ConsumeFixed64(rest)
		case protowire.BytesType:
			if v.in.b, n = protowire.ConsumeBytes(rest); n >= 0 {
				v.in.at += int64(n - len(v.in.b))
			}
		default: // groups, which ONNX does not use
			n = -1
		}
		if n < 0 {
			v.fail("this is no ONNX model, or its end is missing: %v", protowire.ParseError(n))
		}
		rest = rest[n:]
		f(v)
	}
}

func (f field) want(kind protowire.Type) {
	if f.kind != kind {
		f.fail("field %d has the wire type %d, not %d", f.number, f.kind, kind)
	}
}

func (f field) int() int64 {
	f.want(protowire.VarintType)
	return int64(f.x)
}

func (f field) float() float32 {
	f.want(protowire.Fixed32Type)
	return math.Float32frombits(uint32(f.x))
}

func (f field) bytes() message {
	f.want(protowire.BytesType)
	return f.in
}

func (f field) text() string {
	b := f.bytes().b
	if !utf8.Valid(b) {
		f.fail("a text is not UTF-8")
	}
	return string(b)
}

// ints appends the numbers of a field, which may be packed.
func (f field) ints(to []int64) []int64 {
	if f.kind == protowire.VarintType {
		return append(to, int64(f.x))
	}
	for b := f.bytes().b; len(b) > 0; {
		x, n := protowire.ConsumeVarint(b)
		if n < 0 {
			f.fail("a list of numbers is cut off: %v", protowire.ParseError(n))
		}
		to, b = append(to, int64(x)), b[n:]
	}
	return to
}

// floats appends the numbers of a field, which may be packed.
func (f field) floats(to []float32) []float32 {
	if f.kind == protowire.Fixed32Type {
		return append(to, f.float())
	}
	b := f.bytes().b
	if len(b)%4 != 0 {
		f.fail("a list of float32 has %d bytes", len(b))
	}
	for ; len(b) > 0; b = b[4:] {
		to = append(to, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return to
}

// doubles appends the numbers of a field, which may be packed.
func (f field) doubles(to []float64) []float64 {
	if f.kind == protowire.Fixed64Type {
		return append(to, math.Float64frombits(f.x))
	}
	b := f.bytes().b
	if len(b)%8 != 0 {
		f.fail("a list of float64 has %d bytes", len(b))
	}
	for ; len(b) > 0; b = b[8:] {
		to = append(to, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return to
}

func (f field) opset() (o Opset) {
	f.bytes().each(func(f field) {
		switch f.number {
		case 1:
			o.Domain = f.text()
		case 2:
			o.Version = f.int()
		}
	})
	return o
}

func (f field) property() (p Property) {
	f.bytes().each(func(f field) {
		switch f.number {
		case 1:
			p.Key = f.text()
		case 2:
			p.Value = f.text()
		}
	})
	return p
}

func (f field) graph(depth int) *Graph {
	if depth > maxDepth {
		f.fail("graphs within graphs are more than %d deep", maxDepth)
	}
	g := &Graph{}
	f.bytes().each(func(f field) {
		switch f.number {
		case 1:
			g.Nodes = append(g.Nodes, f.node(depth))
		case 2:
			g.Name = f.text()
		case 5:
			g.Initializers = append(g.Initializers, f.tensor())
		case 11:
			g.Inputs = append(g.Inputs, f.value())
		case 12:
			g.Outputs = append(g.Outputs, f.value())
		case 15:
			f.fail("the model has sparse tensors: write them as full ones")
		}
	})
	return g
}

func (f field) node(depth int) *Node {
	n := &Node{}
	f.bytes().each(func(f field) {
		switch f.number {
		case 1:
			n.Inputs = append(n.Inputs, f.text())
		case 2:
			n.Outputs = append(n.Outputs, f.text())
		case 3:
			n.Name = f.text()
		case 4:
			n.Op = f.text()
		case 5:
			n.Attributes = append(n.Attributes, f.attribute(depth))
		case 7:
			n.Domain = f.text()
		}
	})
	return n
}

func (f field) attribute(depth int) *Attribute {
	a := &Attribute{}
	f.bytes().each(func(f field) {
		switch f.number {
		case 1:
			a.Name = f.text()
		case 2:
			a.Float = f.float()
		case 3:
			a.Int = f.int()
		case 4:
			a.String = string(f.bytes().b)
		case 5:
			a.Tensor = f.tensor()
		case 6:
			a.Graph = f.graph(depth + 1)
		case 7:
			a.Floats = f.floats(a.Floats)
		case 8:
			a.Ints = f.ints(a.Ints)
		case 9:
			a.Texts = append(a.Texts, string(f.bytes().b))
		case 20:
			a.Type = AttributeType(f.int())
		}
	})
	if a.Type == TensorAttribute && a.Tensor == nil || a.Type == GraphAttribute && a.Graph == nil {
		f.fail("the attribute %q has no value", a.Name)
	}
	return a
}

func (f field) value() *Value {
	v := &Value{}
	f.bytes().each(func(f field) {
		switch f.number {
		case 1:
			v.Name = f.text()
		case 2:
			f.bytes().each(func(f field) {
				if f.number == 1 {
					f.tensorType(v)
				}
			})
		}
	})
	return v
}

func (f field) tensorType(v *Value) {
	f.bytes().each(func(f field) {
		switch f.number {
		case 1:
			v.Type = DataType(f.int())
		case 2:
			v.HasShape = true
			f.bytes().each(func(f field) {
				if f.number == 1 {
					v.Dims = append(v.Dims, f.dim())
				}
			})
		}
	})
}

func (f field) dim() Dim {
	d := Dim{Size: -1}
	f.bytes().each(func(f field) {
		switch f.number {
		case 1:
			d.Size = f.int()
		case 2:
			d.Name = f.text()
		}
	})
	return d
}

func (f field) tensor() *Tensor {
	t := &Tensor{}
	f.bytes().each(func(f field) {
		switch f.number {
		case 1:
			t.Dims = f.ints(t.Dims)
		case 2:
			t.Type = DataType(f.int())
		case 3:
			f.fail("the tensor %q is cut into segments", t.Name)
		case 4:
			t.floats = f.floats(t.floats)
		case 5, 7, 11:
			t.ints = f.ints(t.ints)
		case 8:
			t.Name = f.text()
		case 9:
			if t.raw = f.bytes().b; t.raw == nil {
				t.raw = []byte{}
			}
		case 10:
			t.doubles = f.doubles(t.doubles)
		case 13:
			if p := f.property(); p.Key == "location" {
				t.external = p.Value
			}
		case 14:
			if f.int() == 1 && t.external == "" {
				t.external = "an unnamed file"
			}
		}
	})
	return t
}
