package xla

import (
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Depthwise convolutions are convolutions whose channels are groups of their own.

func depthwise(e *emitter, o program.DepthwiseConv2D, n *program.Node, in []val) val {
	w := in[1].shape
	m := forward(o.Window)
	m.groups = w[0]
	filters := e.reshape(in[1], tensor.Shape{w[0] * w[1], 1, w[2], w[3]})
	return convolve(e, "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", m, in[0], filters, n.Out[0].Shape)
}

func depthwiseGradInput(e *emitter, o program.DepthwiseConv2DGradInput, n *program.Node, in []val) val {
	filter, out := in[1], n.Out[0].Shape
	m := overGradients(o.Window, in[0].shape, filter.shape, out)
	m.groups = filter.shape[0]
	return convolve(e, "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", m, in[0], flip(e, filter, 2, 3), out)
}

func depthwiseGradFilter(e *emitter, o program.DepthwiseConv2DGradFilter, n *program.Node, in []val) val {
	out := n.Out[0].Shape
	m := overImages(o.Window, in[0].shape, in[1].shape, out)
	m.batchGroups = out[0]
	flat := tensor.Shape{1, out[0] * out[1], out[2], out[3]}
	return e.reshape(convolve(e, "[f, b, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]", m, in[0], in[1], flat), out)
}
