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
		step := n
		c, shift, ok := g.perChannelStep(step, program.Add)
		if !ok {
			continue
		}
		if step, ok = soleResult(c); !ok {
			continue
		}
		c, scale, ok := g.perChannelStep(step, program.Mul)
		if !ok {
			continue
		}
		if step, ok = soleResult(c); !ok {
			continue
		}
		c, mean, ok := g.perChannelStep(step, program.Sub)
		if !ok {
			continue
		}
		conv, ok := soleResult(c)
		if !ok || conv.op.Name() != "conv2d" || len(conv.in) > 3 || !g.inParams(conv.in[1]) || !g.inParams(mean) {
			continue
		}
		if len(conv.in) == 3 && !g.fixed(conv.in[2]) {
			continue
		}
		n.op, n.in = conv.op, append(conv.in[:len(conv.in):len(conv.in)], mean, scale, shift)
	}
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
