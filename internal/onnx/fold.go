package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
)

// maxFolded bounds the number of computed constants' elements. No shape has that many.
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
	return true, r.take(len(c.floats) + len(c.sizes))
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

// foldShape computes the size of an activation.
func foldShape(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		c := r.constants[n.Inputs[0]]
		if c == nil {
			return err
		}
		_, dims, err := c.numbers()
		r.constants[n.Outputs[0]] = &constant{sizes: append([]int64{}, wide(dims)...)}
		return err
	}
	sizes := []int64{}
	for _, a := range v.axes {
		if a.size < 0 {
			sizes = append(sizes, unknown)
		} else {
			sizes = append(sizes, int64(a.size))
		}
	}
	clamp := func(i int64) int {
		if i < 0 {
			i += int64(len(sizes))
		}
		return int(max(0, min(i, int64(len(sizes)))))
	}
	from, to := clamp(attributeInt(n, "start", 0)), clamp(attributeInt(n, "end", int64(len(sizes))))
	r.constants[n.Outputs[0]] = &constant{sizes: sizes[min(from, to):to]}
	return nil
}

// folded computes an operator on constants.
func folded(r *reader, n *onnxfile.Node, in []*constant) (*constant, error) {
	switch n.Op {
	case "Identity", "Dropout":
		return in[0], nil
	case "Cast":
		return foldCast(r, n, in[0])
	case "ConstantOfShape":
		c := &constant{floats: []float32{0}, fill: true}
		if a := n.Attribute("value"); a != nil && a.Tensor != nil {
			x, err := a.Tensor.Floats()
			if err != nil || len(x) != 1 {
				return nil, errors.New("its value should be one number")
			}
			c.floats = x
		}
		return c, nil
	case "Expand":
		if x, _, err := in[0].numbers(); err == nil && uniform(x) {
			return &constant{floats: x[:1], fill: true}, nil
		}
		if in[0].fill {
			return in[0], nil
		}
	case "Transpose":
		return foldTranspose(n, in[0])
	case "Reshape", "Unsqueeze", "Squeeze", "Flatten":
		if in[0].fill {
			return in[0], nil
		}
		if in[0].floats != nil || in[0].tensor != nil && in[0].tensor.Type != onnxfile.Int64 {
			return foldReshape(r, n, in)
		}
	}
	sizes, err := in[0].ints()
	if err != nil {
		return nil, errors.New("the operator is not computed for them; let the exporter fold constants")
	}
	return foldSizes(r, n, in, sizes)
}

// uniform reports whether all numbers are the same.
func uniform(x []float32) bool {
	return len(x) > 0 && !slices.ContainsFunc(x, func(v float32) bool { return v != x[0] })
}

func foldCast(r *reader, n *onnxfile.Node, c *constant) (*constant, error) {
	to := onnxfile.DataType(attributeInt(n, "to", 0))
	switch {
	case c.fill:
		return c, nil
	case to == onnxfile.Int64 || to == onnxfile.Int32:
		x, err := c.ints()
		return &constant{sizes: x, scalar: c.rank() == 0}, err
	case c.sizes != nil:
		return nil, errors.New("sizes become other numbers")
	}
	return c, nil
}

func foldTranspose(n *onnxfile.Node, c *constant) (*constant, error) {
	x, dims, err := c.numbers()
	if err != nil {
		return nil, err
	}
	perm, err := permutation(n, len(dims))
	if err != nil {
		return nil, err
	}
	out := &constant{floats: make([]float32, len(x)), dims: make([]int, len(dims))}
	for i, p := range perm {
		out.dims[i] = dims[p]
	}
	for i, place := range places(dims, perm) {
		out.floats[i] = x[place]
	}
	return out, nil
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

func foldReshape(r *reader, n *onnxfile.Node, in []*constant) (*constant, error) {
	x, dims, err := in[0].numbers()
	if err != nil {
		return nil, err
	}
	out := &constant{floats: x}
	switch n.Op {
	case "Reshape":
		if len(in) < 2 {
			return nil, errors.New("the shape is missing")
		}
		shape, err := in[1].ints()
		if err != nil {
			return nil, err
		}
		rest, open := 1, -1
		for i, d := range shape {
			switch {
			case d == 0 && i < len(dims):
				d = int64(dims[i])
			case d == -1:
				open, d = i, 1
			}
			if d < 0 || d > int64(len(x)) && len(x) > 0 {
				return nil, fmt.Errorf("%v cannot have the shape %v", dims, shape)
			}
			out.dims = append(out.dims, int(d))
			rest *= int(d)
			if rest > len(x) {
				return nil, fmt.Errorf("%v cannot have the shape %v", dims, shape)
			}
		}
		if open >= 0 && rest > 0 {
			out.dims[open] = len(x) / rest
			rest *= out.dims[open]
		}
		if rest != len(x) {
			return nil, fmt.Errorf("%v cannot have the shape %v", dims, shape)
		}
		return out, nil
	case "Flatten":
		axis := int(attributeInt(n, "axis", 1))
		if axis != 1 || len(dims) == 0 || dims[0] == 0 {
			return nil, errors.New("the axis should be 1")
		}
		out.dims = []int{dims[0], len(x) / dims[0]}
		return out, nil
	}
	axes, err := r.list(n, "axes", 1)
	if err != nil {
		return nil, err
	}
	out.dims, err = resized(n.Op, dims, axes, 1, func(d int) bool { return d == 1 })
	return out, err
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

// foldSizes computes an operator on whole numbers.
func foldSizes(r *reader, n *onnxfile.Node, in []*constant, x []int64) (*constant, error) {
	out := &constant{sizes: []int64{}, scalar: in[0].rank() == 0}
	switch n.Op {
	case "Unsqueeze":
		out.sizes, out.scalar = x, false
	case "Squeeze":
		out.sizes, out.scalar = x, len(x) == 1
	case "Reshape":
		out.sizes, out.scalar = x, false
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
		if err != nil || len(index) > maxFolded {
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
	case "Slice":
		return foldSlice(r, n, x)
	case "Add", "Sub", "Mul", "Div":
		return foldArithmetic(n.Op, in, x)
	default:
		return nil, errors.New("the operator is not computed for them; let the exporter fold constants")
	}
	return out, nil
}

func foldSlice(r *reader, n *onnxfile.Node, x []int64) (*constant, error) {
	from, err := r.list(n, "starts", 1)
	if err != nil {
		return nil, err
	}
	to, err := r.list(n, "ends", 2)
	if err != nil {
		return nil, err
	}
	steps, err := r.list(n, "", 4)
	if err != nil {
		return nil, err
	}
	if len(from) != 1 || len(to) != 1 || steps != nil && !slices.Equal(steps, []int64{1}) {
		return nil, errors.New("a range of one axis, in steps of 1, should be taken")
	}
	clamp := func(i int64) int64 {
		if i < 0 {
			i += int64(len(x))
		}
		return max(0, min(i, int64(len(x))))
	}
	a, b := clamp(from[0]), clamp(to[0])
	return &constant{sizes: x[min(a, b):b]}, nil
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
		case known && b != 0:
			c = a / b
		}
		out.sizes = append(out.sizes, c)
	}
	return out, nil
}
