package onnxfile

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxFile is the largest message of protobuf. ONNX Runtime and Python cannot read larger files.
const maxFile = math.MaxInt32

// Write writes the model's file.
func (m *Model) Write(w io.Writer) error {
	graph := m.Graph.append(nil)
	var b []byte
	b = number(b, 1, m.IRVersion)
	b = text(b, 2, m.Producer)
	b = text(b, 3, m.ProducerVersion)
	b = text(b, 6, m.Doc)
	for _, o := range m.Opsets {
		b = nested(b, 8, func(b []byte) []byte {
			return number(text(b, 1, o.Domain), 2, o.Version)
		})
	}
	for _, p := range m.Metadata {
		b = nested(b, 14, func(b []byte) []byte { return text(text(b, 1, p.Key), 2, p.Value) })
	}
	b = protowire.AppendTag(b, 7, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(len(graph)))
	if size := int64(len(b)) + int64(len(graph)); size > maxFile {
		return fmt.Errorf("the model would take %d bytes: an ONNX file holds %d", size, int64(maxFile))
	}
	if _, err := w.Write(b); err != nil {
		return err
	}
	_, err := w.Write(graph)
	return err
}

func (g *Graph) append(b []byte) []byte {
	for _, n := range g.Nodes {
		b = nested(b, 1, n.append)
	}
	b = text(b, 2, g.Name)
	for _, t := range g.Initializers {
		b = t.append(b, 5)
	}
	for _, v := range g.Inputs {
		b = nested(b, 11, v.append)
	}
	for _, v := range g.Outputs {
		b = nested(b, 12, v.append)
	}
	return b
}

func (n *Node) append(b []byte) []byte {
	for _, s := range n.Inputs {
		b = protowire.AppendString(protowire.AppendTag(b, 1, protowire.BytesType), s)
	}
	for _, s := range n.Outputs {
		b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), s)
	}
	b = text(b, 3, n.Name)
	b = text(b, 4, n.Op)
	for _, a := range n.Attributes {
		b = nested(b, 5, a.append)
	}
	return text(b, 7, n.Domain)
}

func (a *Attribute) append(b []byte) []byte {
	b = text(b, 1, a.Name)
	switch a.Type {
	case FloatAttribute:
		b = protowire.AppendFixed32(protowire.AppendTag(b, 2, protowire.Fixed32Type), math.Float32bits(a.Float))
	case IntAttribute:
		b = protowire.AppendVarint(protowire.AppendTag(b, 3, protowire.VarintType), uint64(a.Int))
	case StringAttribute:
		b = protowire.AppendString(protowire.AppendTag(b, 4, protowire.BytesType), a.String)
	case TensorAttribute:
		b = a.Tensor.append(b, 5)
	case GraphAttribute:
		b = nested(b, 6, a.Graph.append)
	case FloatsAttribute:
		for _, x := range a.Floats {
			b = protowire.AppendFixed32(protowire.AppendTag(b, 7, protowire.Fixed32Type), math.Float32bits(x))
		}
	case IntsAttribute:
		for _, x := range a.Ints {
			b = protowire.AppendVarint(protowire.AppendTag(b, 8, protowire.VarintType), uint64(x))
		}
	case TextsAttribute:
		for _, s := range a.Texts {
			b = protowire.AppendString(protowire.AppendTag(b, 9, protowire.BytesType), s)
		}
	}
	return number(b, 20, int64(a.Type))
}

// append appends the tensor as a field. It does not copy the data twice, because the length is known.
func (t *Tensor) append(b []byte, field protowire.Number) []byte {
	var head []byte
	for _, d := range t.Dims {
		head = protowire.AppendVarint(protowire.AppendTag(head, 1, protowire.VarintType), uint64(d))
	}
	head = number(head, 2, int64(t.Type))
	head = text(head, 8, t.Name)
	head = protowire.AppendTag(head, 9, protowire.BytesType)
	data := 4*len(t.F) + 8*len(t.I)
	head = protowire.AppendVarint(head, uint64(data))
	b = protowire.AppendTag(b, field, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(len(head)+data))
	b = append(b, head...)
	for _, x := range t.F {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	for _, x := range t.I {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}

func (v *Value) append(b []byte) []byte {
	b = text(b, 1, v.Name)
	return nested(b, 2, func(b []byte) []byte {
		return nested(b, 1, func(b []byte) []byte {
			b = number(b, 1, int64(v.Type))
			if !v.HasShape {
				return b
			}
			return nested(b, 2, func(b []byte) []byte {
				for _, d := range v.Dims {
					b = nested(b, 1, d.append)
				}
				return b
			})
		})
	})
}

func (d Dim) append(b []byte) []byte {
	if d.Name != "" {
		return text(b, 2, d.Name)
	}
	if d.Size < 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), uint64(d.Size))
}

func number(b []byte, field protowire.Number, x int64) []byte {
	if x == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(x))
}

func text(b []byte, field protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func nested(b []byte, field protowire.Number, of func([]byte) []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), of(nil))
}
