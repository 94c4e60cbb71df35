package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
)

// maxRank bounds the dimensions of computed arrays.
const maxRank = 32

// filledWith returns an array of equal numbers, such as the first state of a recurrent layer.
func filledWith(x float32, extents []int64) (*constant, error) {
	if len(extents) > maxRank {
		return nil, fmt.Errorf("an array has %d dimensions", len(extents))
	}
	for _, d := range extents {
		if d < 0 && d != unknown || d > maxExtent {
			return nil, fmt.Errorf("an array has the dimensions %v", extents)
		}
	}
	return &constant{floats: []float32{x}, fill: true, extents: slices.Clone(extents)}, nil
}

// foldFilled computes an operator on arrays of equal numbers, whose extents may depend on the inputs. done is false if
// the elements are needed.
func foldFilled(r *reader, n *onnxfile.Node, in []*constant) (c *constant, done bool, err error) {
	if n.Op == "Concat" {
		return concatFilled(n, in)
	}
	if !in[0].fill {
		return nil, false, nil
	}
	value, extents := in[0].floats[0], slices.Clone(in[0].extents)
	switch n.Op {
	case "Expand":
		if len(in) < 2 || in[1] == nil {
			return nil, true, errors.New("the shape is missing")
		}
		var to []int64
		if to, err = in[1].ints(); err == nil {
			extents, err = broadcast(extents, to)
		}
	case "Transpose":
		var perm []int
		if perm, err = permutation(n, len(extents)); err == nil {
			before := slices.Clone(extents)
			for i, p := range perm {
				extents[i] = before[p]
			}
		}
	case "Reshape", "Unsqueeze", "Squeeze", "Flatten":
		extents, err = reshaped(r, n, in, extents)
	case "Slice":
		_, extents, _, err = ranges(r, n, extents)
	case "Gather":
		var at int
		if at, _, err = gathered(n, in, len(extents)); err == nil {
			extents = slices.Concat(extents[:at], in[1].shape(), extents[at+1:])
		}
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, true, err
	}
	c, err = filledWith(value, extents)
	return c, true, err
}

// concatFilled joins arrays of one number.
func concatFilled(n *onnxfile.Node, in []*constant) (c *constant, done bool, err error) {
	if in[0] == nil || !in[0].fill {
		return nil, false, nil
	}
	extents := slices.Clone(in[0].extents)
	at, err := axisIndex(attributeInt(n, "axis", 0), len(extents))
	if err != nil {
		return nil, true, err
	}
	for _, c := range in[1:] {
		switch {
		case c == nil || !c.fill || c.floats[0] != in[0].floats[0] || len(c.extents) != len(extents):
			return nil, false, nil
		case extents[at] == unknown || c.extents[at] == unknown:
			extents[at] = unknown
		default:
			extents[at] += c.extents[at]
		}
	}
	c, err = filledWith(in[0].floats[0], extents)
	return c, true, err
}

// reshaped returns the dimensions after a Reshape, Unsqueeze, Squeeze or Flatten.
func reshaped(r *reader, n *onnxfile.Node, in []*constant, dims []int64) ([]int64, error) {
	switch n.Op {
	case "Reshape":
		return shapeFor(r, n, dims)
	case "Flatten":
		at, err := axisIndex(attributeInt(n, "axis", 1), len(dims)+1)
		if err != nil {
			return nil, err
		}
		return []int64{product(dims[:at]), product(dims[at:])}, nil
	}
	axes, err := r.list(n, "axes", 1)
	if err != nil {
		return nil, err
	}
	if len(dims)+len(axes) > 2*maxRank {
		return nil, fmt.Errorf("it has %d axes", len(axes))
	}
	return resized(n.Op, dims, axes, 1, func(d int64) bool { return d == 1 })
}

// shapeFor returns the dimensions that a Reshape asks for.
func shapeFor(r *reader, n *onnxfile.Node, dims []int64) ([]int64, error) {
	shape, err := r.list(n, "shape", 1)
	if err != nil {
		return nil, err
	}
	if shape == nil {
		return nil, errors.New("the shape is missing")
	}
	if len(shape) > maxRank {
		return nil, fmt.Errorf("the shape has %d dimensions", len(shape))
	}
	out, open := slices.Clone(shape), -1
	for i, d := range out {
		switch {
		case d == 0 && attributeInt(n, "allowzero", 0) == 0 && i < len(dims):
			out[i] = dims[i]
		case d == -1:
			open, out[i] = i, 1
		}
	}
	if open >= 0 {
		all, rest := product(dims), product(out)
		out[open] = unknown
		if all != unknown && rest != unknown && rest > 0 {
			out[open] = all / rest
		}
	}
	return out, nil
}

// product multiplies dimensions; unknown if one is, or if there are too many elements.
func product(dims []int64) int64 {
	n, ok := elements(narrowed(dims), maxExtent)
	if !ok {
		return unknown
	}
	return int64(n)
}

// ranges returns the first index, the number of indices and the step that a Slice takes along each axis. The number is
// unknown where the extent is, unless the Slice takes all.
func ranges(r *reader, n *onnxfile.Node, dims []int64) (from, counts, step []int64, err error) {
	from, counts, step = make([]int64, len(dims)), slices.Clone(dims), slices.Repeat([]int64{1}, len(dims))
	lists, err := sliceLists(r, n)
	if err != nil {
		return nil, nil, nil, err
	}
	for i, along := range lists[2] {
		at, err := axisIndex(along, len(dims))
		if err != nil {
			return nil, nil, nil, err
		}
		begin, end, by := lists[0][i], lists[1][i], int64(1)
		if lists[3] != nil {
			by = lists[3][i]
		}
		if by < 1 || by > maxExtent {
			return nil, nil, nil, fmt.Errorf("it takes ranges in steps of %d", by)
		}
		if step[at] = by; dims[at] == unknown {
			if begin != 0 || end < maxExtent || by != 1 {
				counts[at] = unknown
			}
			continue
		}
		first, last := within(begin, int(dims[at])), within(end, int(dims[at]))
		from[at], counts[at] = int64(first), max(0, (int64(last-first)+by-1)/by)
	}
	return from, counts, step, nil
}
