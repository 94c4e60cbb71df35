package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
)

// sliding says how a node's kernel moves, by spatial dimension.
type sliding struct {
	kernel, stride, dilation, before, after []int
	mode                                    layer.ConvolutionMode
}

// spatial returns the axes over which a kernel moves: those of sequences, images or volumes with the channels in the
// second dimension.
func spatial(v *value) ([]axis, error) {
	switch v.labels() {
	case "bft", "bchw", "bcdhw":
		return v.axes[2:], nil
	}
	return nil,
		fmt.Errorf("a kernel moves over the axes %q: those of sequences, images or volumes, with the channels in the "+
			"second dimension, should be here", v.labels())
}

// slidingOf reads a node's window over some axes. If kernel is nil, the node's attributes have it.
func slidingOf(r *reader, n *onnxfile.Node, axes []axis, kernel []int) (s sliding, err error) {
	list := func(name string, count int, usual int) ([]int, error) {
		out := repeat(usual, count)
		a := n.Attribute(name)
		if a == nil {
			return out, nil
		}
		if len(a.Ints) != count {
			return nil, fmt.Errorf("its %s %v should be %d", name, a.Ints, count)
		}
		for i, x := range a.Ints {
			if x < 0 || x > 1<<20 {
				return nil, fmt.Errorf("its %s are %v", name, a.Ints)
			}
			out[i] = int(x)
		}
		return out, nil
	}
	dims := len(axes)
	if s.kernel = kernel; kernel == nil {
		if n.Attribute("kernel_shape") == nil {
			return s, errors.New("it has no kernel_shape")
		}
		if s.kernel, err = list("kernel_shape", dims, 1); err != nil {
			return s, err
		}
	}
	if s.stride, err = list("strides", dims, 1); err != nil {
		return s, err
	}
	if s.dilation, err = list("dilations", dims, 1); err != nil {
		return s, err
	}
	pads, err := list("pads", 2*dims, 0)
	if err != nil {
		return s, err
	}
	s.before, s.after, s.mode = pads[:dims], pads[dims:], layer.Truncate
	if slices.Contains(append(append(slices.Clone(s.kernel), s.stride...), s.dilation...), 0) {
		return s, errors.New("a kernel, stride or dilation is 0")
	}
	return s, s.padded(n, axes)
}

// padded determines the mode of padding.
func (s *sliding) padded(n *onnxfile.Node, axes []axis) error {
	same := true
	before, after := make([]int, len(axes)), make([]int, len(axes))
	for i, a := range axes {
		if same = same && a.size > 0; !same {
			break
		}
		out := (a.size + s.stride[i] - 1) / s.stride[i]
		total := max((out-1)*s.stride[i]+(s.kernel[i]-1)*s.dilation[i]+1-a.size, 0)
		before[i], after[i] = total/2, total-total/2
	}
	switch auto := attributeText(n, "auto_pad", "NOTSET"); auto {
	case "NOTSET":
	case "VALID":
		s.before, s.after = make([]int, len(axes)), make([]int, len(axes))
	case "SAME_UPPER":
		s.mode = layer.Same
		return nil
	case "SAME_LOWER":
		if !same {
			return errors.New("auto_pad is SAME_LOWER, and the size of the input is not known")
		}
		s.before, s.after = after, before
	default:
		return fmt.Errorf("auto_pad %q is unknown", auto)
	}
	if !slices.Equal(s.before, s.after) && same && slices.Equal(s.before, before) && slices.Equal(s.after, after) {
		s.mode = layer.Same
	}
	return nil
}

// uneven reports whether the padding is neither symmetric nor that of a mode.
func (s *sliding) uneven() bool {
	return s.mode != layer.Same && !slices.Equal(s.before, s.after)
}

func two(x []int) [2]int   { return [2]int(x) }
func three(x []int) [3]int { return [3]int(x) }

// one returns a pair of the first number.
func one(x []int) [2]int { return [2]int{x[0], x[0]} }

// evenPadding adds a padding layer before a convolution with uneven padding, and removes the padding from the
// convolution.
func evenPadding(r *reader, n *onnxfile.Node, v *value, s *sliding) (*value, error) {
	if !s.uneven() {
		return v, nil
	}
	var l layer.Layer
	b, a := s.before, s.after
	switch len(b) {
	case 1:
		if (s.kernel[0]-1)*s.dilation[0] == b[0] && a[0] == 0 {
			s.mode = "Causal"
			return v, nil
		}
		l = layer.ZeroPadding1D{Padding: [2]int{b[0], a[0]}}
	case 2:
		l = layer.ZeroPadding2D{Padding: [4]int{b[0], a[0], b[1], a[1]}}
	default:
		l = layer.ZeroPadding3D{Padding: [6]int{b[0], a[0], b[1], a[1], b[2], a[2]}}
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, nil)
	if err != nil {
		return nil, err
	}
	s.before = make([]int, len(b))
	return r.like(name, v)
}
