package program

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// Reshape reads the same elements, in the same order, with another shape. It costs nothing.
type Reshape struct{ To DimSet }

// Name is "reshape".
func (o Reshape) Name() string { return "reshape" }

// Infer checks that the number of elements does not change.
func (o Reshape) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	to := tensor.Shape(o.To.List())
	if len(in) != 1 || in[0].Size() != to.Size() {
		return nil, fmt.Errorf("cannot become %v", to)
	}
	return []tensor.Shape{to}, nil
}

// Grad reshapes back.
func (o Reshape) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	return []*Value{b.Reshape(dout[0], n.In[0].Shape...)}
}

// BroadcastTo repeats the operand to a larger shape, by the rules of [Broadcast].
type BroadcastTo struct{ To DimSet }

// Name is "broadcast".
func (o BroadcastTo) Name() string { return "broadcast" }

// Infer checks that the operand can be repeated to the shape.
func (o BroadcastTo) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	to := tensor.Shape(o.To.List())
	if len(in) != 1 {
		return nil, fmt.Errorf("takes one operand")
	}
	s, err := Broadcast(in[0], to)
	if err == nil && !s.Equal(to) {
		err = fmt.Errorf("cannot be repeated to %v", to)
	}
	return []tensor.Shape{to}, err
}

// Grad sums over repeated elements.
func (o BroadcastTo) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	return []*Value{b.sumTo(dout[0], n.In[0].Shape)}
}

// Transpose reorders the dimensions: result dimension i is operand dimension Perm[i].
type Transpose struct{ Perm DimSet }

// Name is "transpose".
func (o Transpose) Name() string { return "transpose" }

// Infer permutes the extents.
func (o Transpose) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	perm := o.Perm.List()
	if len(in) != 1 || len(perm) != len(in[0]) {
		return nil, fmt.Errorf("permutation %v does not fit", perm)
	}
	out := make(tensor.Shape, len(perm))
	seen := make([]bool, len(perm))
	for i, d := range perm {
		if d < 0 || d >= len(perm) || seen[d] {
			return nil, fmt.Errorf("%v is not a permutation", perm)
		}
		seen[d] = true
		out[i] = in[0][d]
	}
	return []tensor.Shape{out}, nil
}

// Grad applies the inverse permutation.
func (o Transpose) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	perm := o.Perm.List()
	inverse := make([]int, len(perm))
	for i, d := range perm {
		inverse[d] = i
	}
	return []*Value{b.Transpose(dout[0], inverse...)}
}

// Slice takes the indices [From, To) of dimension Dim.
type Slice struct{ Dim, From, To int }

// Name is "slice".
func (o Slice) Name() string { return "slice" }

// Infer shortens the dimension.
func (o Slice) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 1 || o.Dim < 0 || o.Dim >= len(in[0]) || o.From < 0 || o.To < o.From || o.To > in[0][o.Dim] {
		return nil, fmt.Errorf("has no range [%d, %d) in dimension %d", o.From, o.To, o.Dim)
	}
	out := in[0].Clone()
	out[o.Dim] = o.To - o.From
	return []tensor.Shape{out}, nil
}

// Grad pads with zeros.
func (o Slice) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	return []*Value{b.Apply(Pad{Dim: o.Dim, Before: o.From, After: n.In[0].Shape[o.Dim] - o.To}, dout[0])}
}

// Pad adds zeros before and after, along dimension Dim.
type Pad struct{ Dim, Before, After int }

// Name is "pad".
func (o Pad) Name() string { return "pad" }

// Infer lengthens the dimension.
func (o Pad) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 1 || o.Dim < 0 || o.Dim >= len(in[0]) || o.Before < 0 || o.After < 0 {
		return nil, fmt.Errorf("cannot be padded by %d and %d in dimension %d", o.Before, o.After, o.Dim)
	}
	out := in[0].Clone()
	out[o.Dim] += o.Before + o.After
	return []tensor.Shape{out}, nil
}

// Grad cuts the padding off.
func (o Pad) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	return []*Value{b.Slice(dout[0], o.Dim, o.Before, o.Before+n.In[0].Shape[o.Dim])}
}

// Concat joins its operands along dimension Dim.
type Concat struct{ Dim int }

// Name is "concat".
func (o Concat) Name() string { return "concat" }

// Infer adds up the extents of Dim; the others must agree.
func (o Concat) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) == 0 || o.Dim < 0 || o.Dim >= len(in[0]) {
		return nil, fmt.Errorf("has no dimension %d", o.Dim)
	}
	out := in[0].Clone()
	for _, s := range in[1:] {
		if len(s) != len(out) {
			return nil, fmt.Errorf("ranks differ")
		}
		for i, d := range s {
			if i == o.Dim {
				out[i] += d
			} else if out[i] != d {
				return nil, fmt.Errorf("dimension %d differs", i)
			}
		}
	}
	return []tensor.Shape{out}, nil
}

// Grad splits the gradient into the operands' parts.
func (o Concat) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	var out []*Value
	at := 0
	for _, v := range n.In {
		out = append(out, b.Slice(dout[0], o.Dim, at, at+v.Shape[o.Dim]))
		at += v.Shape[o.Dim]
	}
	return out
}
