package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
)

// maxFolded bounds the elements of a computed list of whole numbers. No shape has that many.
const maxFolded = 1 << 16

// fold computes a node whose operands are constants, or that asks for a size. done is false for other nodes.
func (r *reader) fold(n *onnxfile.Node) (done bool, err error) {
	if n.Op == "Constant" {
		c, err := constantOf(n)
		if err != nil {
			return true, err
		}
		r.constants[n.Outputs[0]] = c
		return true, nil
	}
	if n.Op == "Shape" {
		return true, foldShape(r, n)
	}
	var in []*constant
	for _, name := range n.Inputs {
		c := r.constants[name]
		if c == nil && name != "" {
			return false, nil
		}
		in = append(in, c)
	}
	if len(in) == 0 || in[0] == nil {
		return false, nil
	}
	c, err := folded(r, n, in)
	if err != nil {
		return true, fmt.Errorf("its operands are constants: %w", err)
	}
	r.constants[n.Outputs[0]] = c
	return true, r.take(len(c.sizes))
}

func constantOf(n *onnxfile.Node) (*constant, error) {
	for _, a := range n.Attributes {
		switch a.Name {
		case "value":
			if a.Tensor != nil {
				return &constant{tensor: a.Tensor}, nil
			}
		case "value_float":
			return &constant{floats: []float32{a.Float}}, nil
		case "value_floats":
			return &constant{floats: append([]float32{}, a.Floats...), dims: []int{len(a.Floats)}}, nil
		case "value_int":
			return &constant{sizes: []int64{a.Int}, scalar: true}, nil
		case "value_ints":
			return &constant{sizes: append([]int64{}, a.Ints...)}, nil
		}
	}
	return nil, errors.New("it has no value of numbers")
}

// foldShape computes the size of an activation or of a constant.
func foldShape(r *reader, n *onnxfile.Node) error {
	sizes := []int64{}
	if v, err := r.operand(n, 0); err == nil {
		for _, a := range v.axes {
			if a.size < 0 {
				sizes = append(sizes, unknown)
			} else {
				sizes = append(sizes, int64(a.size))
			}
		}
	} else {
		if len(n.Inputs) == 0 || r.constants[n.Inputs[0]] == nil {
			return err
		}
		sizes = append(sizes, r.constants[n.Inputs[0]].shape()...)
	}
	from, to := within(attributeInt(n, "start", 0), len(sizes)), within(attributeInt(n, "end", int64(len(sizes))),
		len(sizes))
	r.constants[n.Outputs[0]] = &constant{sizes: sizes[min(from, to):to]}
	return nil
}

// within converts a bound of a range, which may count from the end, to one from 0 to size.
func within(i int64, size int) int {
	if i < 0 {
		i += int64(size)
	}
	return int(max(0, min(i, int64(size))))
}

// folded computes an operator on constants.
func folded(r *reader, n *onnxfile.Node, in []*constant) (*constant, error) {
	switch n.Op {
	case "Identity", "Dropout":
		return in[0], nil
	case "Cast":
		return foldCast(n, in[0])
	case "ConstantOfShape":
		extents, err := in[0].ints()
		if err != nil {
			return nil, err
		}
		value := float32(0)
		if a := n.Attribute("value"); a != nil && a.Tensor != nil {
			if whole(a.Tensor.Type) {
				return foldWhole(a.Tensor, extents)
			}
			x, err := a.Tensor.Floats()
			if err != nil || len(x) != 1 {
				return nil, errors.New("its value should be one number")
			}
			value = x[0]
		}
		return filledWith(value, extents)
	}
	if in[0].isWhole() {
		sizes, err := in[0].ints()
		if err != nil {
			return nil, err
		}
		return foldSizes(r, n, in, sizes)
	}
	if slices.ContainsFunc(in, func(c *constant) bool { return c != nil && c.fill }) {
		if c, done, err := foldFilled(r, n, in); done || err != nil {
			return c, err
		}
	}
	return foldArray(r, n, in)
}

// uniform reports whether all numbers are the same.
func uniform(x []float32) bool {
	return len(x) > 0 && !slices.ContainsFunc(x, func(v float32) bool { return v != x[0] })
}

func foldCast(n *onnxfile.Node, c *constant) (*constant, error) {
	to := onnxfile.DataType(attributeInt(n, "to", 0))
	switch {
	case c.fill:
		return c, nil
	case whole(to):
		return castToWhole(c, to)
	case !c.isWhole():
		return c, nil
	}
	x, err := c.ints()
	if err != nil || len(x) > maxFolded || slices.Contains(x, unknown) {
		return nil, errors.New("sizes become other numbers")
	}
	out := &constant{floats: make([]float32, len(x)), dims: narrowed(c.shape())}
	for i, v := range x {
		out.floats[i] = float32(v)
	}
	return out, nil
}

// castToWhole returns whole numbers as such, and the whole part of others.
func castToWhole(c *constant, to onnxfile.DataType) (*constant, error) {
	x, err := c.ints()
	if !c.isWhole() {
		var all []float32
		if all, _, err = c.numbers(); err != nil || len(all) > maxFolded || c.rank() > 1 {
			return nil, errors.New("weights become whole numbers")
		}
		for _, v := range all {
			if !(math.Abs(float64(v)) < 1<<31) {
				return nil, fmt.Errorf("%v becomes a whole number", v)
			}
			x = append(x, int64(v))
		}
	}
	if err != nil {
		return nil, err
	}
	if to == onnxfile.Bool {
		x = slices.Clone(x)
		for i, v := range x {
			if v != 0 && v != unknown {
				x[i] = 1
			}
		}
	}
	return &constant{sizes: x, scalar: c.rank() == 0}, nil
}

// foldWhole repeats a whole number.
func foldWhole(t *onnxfile.Tensor, extents []int64) (*constant, error) {
	x, err := t.Ints()
	if err != nil || len(x) != 1 {
		return nil, errors.New("its value should be one number")
	}
	if len(extents) == 0 {
		return &constant{sizes: x, scalar: true}, nil
	}
	if len(extents) != 1 || extents[0] < 0 || extents[0] > maxFolded {
		return nil, errors.New("whole numbers should be a list of known length")
	}
	return &constant{sizes: slices.Repeat(x, int(extents[0]))}, nil
}

// places returns, for each element of a transposed array, its place in the original.
func places(dims, perm []int) []int {
	strides, total := make([]int, len(dims)), 1
	for i := len(dims) - 1; i >= 0; i-- {
		strides[i] = total
		total *= dims[i]
	}
	out := make([]int, total)
	for i := range out {
		rest := i
		for k := len(perm) - 1; k >= 0; k-- {
			d := dims[perm[k]]
			out[i] += rest % d * strides[perm[k]]
			rest /= d
		}
	}
	return out
}

// permutation returns the permutation of a Transpose.
func permutation(n *onnxfile.Node, rank int) ([]int, error) {
	perm := make([]int, rank)
	for i := range perm {
		perm[i] = rank - 1 - i
	}
	a := n.Attribute("perm")
	if a == nil {
		return perm, nil
	}
	if len(a.Ints) != rank {
		return nil, fmt.Errorf("the permutation %v is none of %d axes", a.Ints, rank)
	}
	seen := make([]bool, rank)
	for i, p := range a.Ints {
		if p < 0 || p >= int64(rank) || seen[p] {
			return nil, fmt.Errorf("the permutation %v is none of %d axes", a.Ints, rank)
		}
		perm[i], seen[p] = int(p), true
	}
	return perm, nil
}

// resized removes axes from a list, or inserts axes with the value unit.
func resized[T any](op string, list []T, axes []int64, unit T, gone func(T) bool) ([]T, error) {
	rank := len(list)
	if op == "Unsqueeze" {
		rank += len(axes)
	}
	chosen := make([]bool, rank)
	for _, a := range axes {
		i, err := axisIndex(a, rank)
		if err != nil {
			return nil, err
		}
		if chosen[i] {
			return nil, fmt.Errorf("the axis %d is there twice", a)
		}
		chosen[i] = true
	}
	out := []T{}
	if op == "Unsqueeze" {
		for i := range rank {
			if chosen[i] {
				out = append(out, unit)
				continue
			}
			out, list = append(out, list[0]), list[1:]
		}
		return out, nil
	}
	for i, x := range list {
		switch all := len(axes) == 0; {
		case chosen[i] && !gone(x):
			return nil, fmt.Errorf("the axis %d has not the extent 1", i)
		case chosen[i] || all && gone(x):
		default:
			out = append(out, x)
		}
	}
	return out, nil
}
