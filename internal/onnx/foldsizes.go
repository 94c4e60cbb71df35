package onnx

import (
	"errors"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
)

// foldSizes computes an operator on whole numbers.
func foldSizes(r *reader, n *onnxfile.Node, in []*constant, x []int64) (*constant, error) {
	switch n.Op {
	case "Reshape", "Slice", "Transpose":
		return foldGrid(r, n, in[0], x)
	}
	if in[0].rank() > 1 && n.Op != "Squeeze" && n.Op != "Unsqueeze" {
		return nil, errors.New("whole numbers of several dimensions are not computed; let the exporter fold constants")
	}
	out := &constant{sizes: []int64{}, scalar: in[0].rank() == 0}
	switch n.Op {
	case "Unsqueeze":
		out.sizes, out.scalar = x, false
	case "Squeeze":
		out.sizes, out.scalar = x, len(x) == 1
	case "Concat":
		for _, c := range in {
			if c == nil {
				return nil, errors.New("an operand is missing")
			}
			more, err := c.ints()
			if err != nil {
				return nil, err
			}
			if out.sizes = append(out.sizes, more...); len(out.sizes) > maxFolded {
				return nil, errors.New("they have too many elements")
			}
		}
	case "Gather":
		if len(in) < 2 || in[1] == nil {
			return nil, errors.New("the index is missing")
		}
		index, err := in[1].ints()
		if err != nil || len(index) > maxFolded || in[1].rank() > 1 {
			return nil, errors.New("the index should be whole numbers")
		}
		for _, i := range index {
			k, err := axisIndex(i, len(x))
			if err != nil {
				return nil, err
			}
			out.sizes = append(out.sizes, x[k])
		}
		out.scalar = in[1].rank() == 0
	case "Add", "Sub", "Mul", "Div", "Equal":
		return foldArithmetic(n.Op, in, x)
	case "Where":
		return foldWhere(in, x)
	case "Expand":
		if len(in) < 2 || in[1] == nil {
			return nil, errors.New("the shape is missing")
		}
		to, err := in[1].ints()
		if err != nil || len(to) != 1 || to[0] < 0 || to[0] > maxFolded || len(x) != 1 {
			return nil, errors.New("whole numbers should become a list of known length")
		}
		out.sizes, out.scalar = slices.Repeat(x, max(1, int(to[0]))), false
	default:
		return nil, errors.New("the operator is not computed for them; let the exporter fold constants")
	}
	return out, nil
}

func foldArithmetic(op string, in []*constant, x []int64) (*constant, error) {
	if len(in) < 2 || in[1] == nil {
		return nil, errors.New("an operand is missing")
	}
	y, err := in[1].ints()
	if err != nil {
		return nil, err
	}
	if len(x) != len(y) && len(x) != 1 && len(y) != 1 || len(x) == 0 || len(y) == 0 {
		return nil, errors.New("the operands have other lengths")
	}
	out := &constant{scalar: in[0].rank() == 0 && in[1].rank() == 0}
	for i := range max(len(x), len(y)) {
		a, b := x[min(i, len(x)-1)], y[min(i, len(y)-1)]
		c := int64(unknown)
		known := a != unknown && b != unknown
		switch {
		case known && op == "Add":
			c = a + b
		case known && op == "Sub":
			c = a - b
		case known && op == "Mul":
			c = a * b
		case known && op == "Equal":
			c = 0
			if a == b {
				c = 1
			}
		case op == "Equal" && min(a, b) == unknown && max(a, b) < 0: // a size is not negative
			c = 0
		case known && op == "Div" && b != 0:
			c = a / b
		}
		out.sizes = append(out.sizes, c)
	}
	return out, nil
}

// foldWhere chooses between whole numbers. chosen are the conditions.
func foldWhere(in []*constant, chosen []int64) (*constant, error) {
	if len(in) != 3 || in[1] == nil || in[2] == nil || !in[1].isWhole() || !in[2].isWhole() {
		return nil, errors.New("it should choose between whole numbers")
	}
	x, err := in[1].ints()
	if err != nil {
		return nil, err
	}
	y, err := in[2].ints()
	if err != nil {
		return nil, err
	}
	n := max(len(chosen), len(x), len(y))
	for _, l := range [][]int64{chosen, x, y} {
		if len(l) != 1 && len(l) != n {
			return nil, errors.New("the operands have other lengths")
		}
	}
	out := &constant{}
	for i := range n {
		switch a, b := x[min(i, len(x)-1)], y[min(i, len(y)-1)]; chosen[min(i, len(chosen)-1)] {
		case 0:
			out.sizes = append(out.sizes, b)
		case unknown:
			out.sizes = append(out.sizes, unknown)
		default:
			out.sizes = append(out.sizes, a)
		}
	}
	return out, nil
}
