package program

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/tensor"
)

// DimSet is a list of numbers, written "0,2,3" so that operations stay comparable: a set of dimensions in ascending
// order, which [Dims] makes, a shape, or a permutation.
type DimSet string

func dimset(dims []int) DimSet { // also for shapes and permutations, whose order counts
	s := make([]string, len(dims))
	for i, d := range dims {
		s[i] = strconv.Itoa(d)
	}
	return DimSet(strings.Join(s, ","))
}

// Dims returns the set of these dimensions, in ascending order.
func Dims(dims ...int) DimSet {
	dims = slices.Clone(dims)
	slices.Sort(dims)
	return dimset(slices.Compact(dims))
}

// List returns the numbers.
func (d DimSet) List() []int {
	if d == "" {
		return nil
	}
	parts := strings.Split(string(d), ",")
	out := make([]int, len(parts))
	for i, s := range parts {
		out[i], _ = strconv.Atoi(s)
	}
	return out
}

// ReduceKind says how Reduce combines elements.
type ReduceKind string

// The reductions. Max returns NaN if an element is NaN. Over no elements, Sum is 0 and Max is -∞.
const (
	Sum ReduceKind = "sum"
	Max ReduceKind = "max"
)

// Reduce combines the elements along Dims (ascending), in an order that depends on the shape only. With Keep, the
// reduced dimensions stay with extent 1; otherwise they are removed.
//
// InOrder combines elements one after another. An element of the result then depends only on the elements combined, not
// on the other extents. Sums along a dimension before that of the batch need it.
type Reduce struct {
	Kind    ReduceKind
	Dims    DimSet
	Keep    bool
	InOrder bool
}

// Name is "reduce".
func (o Reduce) Name() string { return "reduce" }

// Infer drops the reduced dimensions, or sets them to 1.
func (o Reduce) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 1 {
		return nil, fmt.Errorf("takes one operand")
	}
	if o.Kind != Sum && o.Kind != Max {
		return nil, fmt.Errorf("there is no reduction %q", o.Kind)
	}
	reduced := make([]bool, len(in[0]))
	for _, d := range o.Dims.List() {
		if d < 0 || d >= len(in[0]) {
			return nil, fmt.Errorf("has no dimension %d", d)
		}
		reduced[d] = true
	}
	out := tensor.Shape{}
	for i, d := range in[0] {
		switch {
		case !reduced[i]:
			out = append(out, d)
		case o.Keep:
			out = append(out, 1)
		}
	}
	return []tensor.Shape{out}, nil
}

// Grad repeats the gradient along the reduced dimensions. Max sends it to every element that equals the maximum.
func (o Reduce) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	x := n.In[0]
	kept := x.Shape.Clone()
	for _, d := range o.Dims.List() {
		kept[d] = 1
	}
	dy := b.Reshape(dout[0], kept...)
	if o.Kind == Max {
		return []*Value{b.Mul(b.Binary(Equal, x, b.Reshape(n.Out[0], kept...)), dy)}
	}
	return []*Value{b.BroadcastTo(dy, x.Shape...)}
}
