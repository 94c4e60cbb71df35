package cpu

import (
	"math"

	"github.com/dl4go/dl4go/program"
)

// foldNormalisations makes convolutions normalise their results themselves, where filters and statistics are parameters
// that don't change: (w∗x + bias - mean)·scale + shift is (w·scale)∗x + (bias - mean)·scale + shift. Its roundings
// differ from those of the plain program. They are the same for any batch.
func (g *graph) foldNormalisations() {
	if g.weights == nil {
		return
	}
	for _, n := range g.nodes {
		if convolution, in := g.normalised(n); convolution != nil {
			n.op, n.in = convolution.op, in
		}
	}
}

// normalised returns the convolution whose result a node is, after normalisation, with the operands of both. It returns
// nil if the node is none or cannot be folded.
func (p *parameters) normalised(n *node) (convolution *node, in []operand) {
	var numbers [3]operand // shift, scale and mean
	step := n
	for i, kind := range []program.BinaryKind{program.Add, program.Mul, program.Sub} {
		images, x, ok := p.perChannelStep(step, kind)
		if !ok {
			return nil, nil
		}
		if step, ok = soleResult(images); !ok {
			return nil, nil
		}
		numbers[i] = x
	}
	if step, in = p.biased(step); step == nil || !p.inParams(numbers[2]) || len(in) > 3 {
		return nil, nil
	}
	if len(in) == 3 && !p.fixed(in[2]) {
		return nil, nil
	}
	return step, append(in[:len(in):len(in)], numbers[2], numbers[1], numbers[0])
}

// biased returns a convolution with fixed filters, and its operands with its bias; nil if the node is none. The bias of
// a depthwise convolution is a node of its own.
func (p *parameters) biased(n *node) (convolution *node, in []operand) {
	in = n.in
	if images, bias, ok := p.perChannelStep(n, program.Add); ok {
		if n, ok = soleResult(images); !ok || n.op.Name() != (program.DepthwiseConv2D{}).Name() {
			return nil, nil
		}
		in = append(n.in[:len(n.in):len(n.in)], bias)
	}
	switch n.op.(type) {
	case program.Conv2D:
		if p.inParams(in[1]) {
			return n, in
		}
	case program.DepthwiseConv2D:
		if p.inParams(untransposed(in[1])) {
			return n, in
		}
	}
	return nil, nil
}

// untransposed returns the operand of which a transposition makes another one, or that one.
func untransposed(o operand) operand {
	if o.isWhole() && o.node != nil {
		if _, ok := o.node.op.(program.Transpose); ok && o.shape.Equal(o.value.shape) {
			return o.node.in[0]
		}
	}
	return o
}

// perChannelStep returns the operands of a node that is an operation of images with a fixed number for each channel.
func (p *parameters) perChannelStep(n *node, kind program.BinaryKind) (images, numbers operand, ok bool) {
	op, ok := n.op.(program.Binary)
	if !ok || op.Kind != kind || len(n.out) != 1 || len(n.out[0].shape) != 4 || !n.in[0].shape.Equal(n.out[0].shape) {
		return images, numbers, false
	}
	return n.in[0], n.in[1], perChannel(n.in[1].shape, n.out[0].shape[1]) && p.fixed(n.in[1])
}

// soleResult returns the node whose only result an operand is, if nothing else uses it.
func soleResult(o operand) (*node, bool) {
	ok := o.isWhole() && len(o.uses) == 1 && o.dest == nil && len(o.node.out) == 1 && o.shape.Equal(o.value.shape)
	return o.node, ok
}

// inParams reports whether an operand is a part of the vector of parameters that don't change.
func (p *parameters) inParams(o operand) bool {
	_, ok := p.offset(o)
	return ok
}

// fixed reports whether an operand has the same elements in each run: it follows from parameters and constants.
func (p *parameters) fixed(o operand) bool {
	if _, constant := o.constant(); constant || p.inParams(o) {
		return true
	}
	if o.node == nil || !elementwise(o.node.op) {
		return false
	}
	if _, random := o.node.op.(program.Random); random {
		return false
	}
	for _, in := range o.node.in {
		if !p.fixed(in) {
			return false
		}
	}
	return true
}

// normalisedFilters are the filters and the bias of a convolution that normalises its result.
type normalisedFilters struct {
	bias, mean, scale, shift []float32 // bias may be nil
}

// filters writes w·scale.
func (f normalisedFilters) filters(dst, w []float32) {
	size := len(w) / len(f.scale)
	for i, x := range w {
		dst[i] = x * f.scale[i/size]
	}
}

// biases writes (bias - mean)·scale + shift.
func (f normalisedFilters) biases(dst []float32) {
	for i, scale := range f.scale {
		x := -float64(f.mean[i])
		if f.bias != nil {
			x += float64(f.bias[i])
		}
		dst[i] = float32(math.FMA(x, float64(scale), float64(f.shift[i])))
	}
}
