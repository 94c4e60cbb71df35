package xla

import (
	"fmt"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// arithmetic says how factors of products are rounded.
type arithmetic struct {
	Precision
	rounds bool // the program rounds, because the device has no TF32
}

// factors rounds the factors of a product, and returns XLA's name of the precision.
func (e *emitter) factors(x, y val) (a, b val, precision string) {
	switch e.arithmetic.Precision {
	case BF16:
		return e.convert(x, "bf16"), e.convert(y, "bf16"), "DEFAULT"
	case TF32:
		if e.arithmetic.rounds {
			rounded := func(x val) val {
				return e.op(x.shape, x.elem, "reduce_precision %s, format = e8m10 : %s", x.name, x.kind())
			}
			return rounded(x), rounded(y), "HIGHEST"
		}
		return x, y, "DEFAULT"
	}
	return x, y, "HIGHEST"
}

// product is a matrix product.
func product(e *emitter, o program.MatMul, n *program.Node, in []val) val {
	r := len(in[0].shape)
	inner, inner2 := r-1, r-2
	if o.TransA {
		inner = r - 2
	}
	if o.TransB {
		inner2 = r - 1
	}
	batch := ""
	if r == 3 {
		batch = "batching_dims = [0] x [0], "
	}
	out := n.Out[0].Shape
	x, y, precision := e.factors(in[0], in[1])
	return e.op(out, "f32", "dot_general %s, %s, %scontracting_dims = [%d] x [%d], precision = [%[6]s, %[6]s] : "+
		"(%s, %s) -> %s", x.name, y.name, batch, inner, inner2, precision, x.kind(), y.kind(), kindOf(out, "f32"))
}

// moving says how the second operand of a convolution moves over the first, along height and width.
type moving struct {
	stride, spread, dilation [2]int // spread is the spacing of the first operand's elements
	low, high                [2]int

	groups      int // of features, 0 for 1: each has its own filters
	batchGroups int // of the minibatch, 0 for 1: each has its own filters
}

// convolve emits a convolution; layout names the dimensions.
func convolve(e *emitter, layout string, m moving, x, w val, out tensor.Shape) val {
	x, w, precision := e.factors(x, w)
	return e.op(out, "f32", "convolution(%s, %s) dim_numbers = %s, window = {stride = %s, pad = [[%d, %d], [%d, %d]], "+
		"lhs_dilate = %s, rhs_dilate = %s} {batch_group_count = %d : i64, feature_group_count = %d : i64, "+
		"precision_config = [#stablehlo<precision %[13]s>, #stablehlo<precision %[13]s>]} : (%s, %s) -> %s",
		x.name, w.name, layout,
		list(m.stride[:]), m.low[0], m.high[0], m.low[1], m.high[1], list(m.spread[:]), list(m.dilation[:]),
		max(1, m.batchGroups), max(1, m.groups), precision,
		x.kind(), w.kind(), kindOf(out, "f32"))
}

func convolution(e *emitter, o program.Conv2D, n *program.Node, in []val) val {
	return convolve(e, "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", forward(o.Window), in[0], in[1], n.Out[0].Shape)
}

// forward lets the filters move over the images.
func forward(w program.Window) moving {
	return moving{stride: [2]int{w.StrideH, w.StrideW}, spread: [2]int{1, 1}, dilation: [2]int{w.DilationH, w.DilationW},
		low: [2]int{w.PadTop, w.PadLeft}, high: [2]int{w.PadBottom, w.PadRight}}
}

func gradInput(e *emitter, o program.Conv2DGradInput, n *program.Node, in []val) val {
	filter, out := in[1], n.Out[0].Shape
	m := overGradients(o.Window, in[0].shape, filter.shape, out)
	return convolve(e, "[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]", m, in[0], flip(e, filter, 2, 3), out)
}

// overGradients lets the flipped filters move over the gradients, whose elements are spread by the stride.
func overGradients(w program.Window, dy, filter, out tensor.Shape) moving {
	m := moving{stride: [2]int{1, 1}, spread: [2]int{w.StrideH, w.StrideW}, dilation: [2]int{w.DilationH, w.DilationW}}
	before := [2]int{w.PadTop, w.PadLeft}
	for d := range 2 {
		reach := (filter[2+d] - 1) * m.dilation[d]
		m.low[d] = reach - before[d]
		m.high[d] = out[2+d] - ((dy[2+d]-1)*m.spread[d] + 1) - m.low[d] + reach
	}
	return m
}

func gradFilter(e *emitter, o program.Conv2DGradFilter, n *program.Node, in []val) val {
	out := n.Out[0].Shape
	m := overImages(o.Window, in[0].shape, in[1].shape, out)
	return convolve(e, "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]", m, in[0], in[1], out)
}

// overImages lets the gradients move over the images, and adds up over the minibatch.
func overImages(w program.Window, x, dy, out tensor.Shape) moving {
	m := moving{stride: [2]int{w.DilationH, w.DilationW}, spread: [2]int{1, 1}, dilation: [2]int{w.StrideH, w.StrideW},
		low: [2]int{w.PadTop, w.PadLeft}}
	for d := range 2 {
		m.high[d] = (out[2+d]-1)*m.stride[d] + (dy[2+d]-1)*m.dilation[d] + 1 - x[2+d] - m.low[d]
	}
	return m
}

func flip(e *emitter, x val, dims ...int) val {
	return e.op(x.shape, x.elem, "reverse %s, dims = %s : %s", x.name, list(dims), x.kind())
}

// channelwise repeats a vector of channels to [batch, channels, …].
func channelwise(e *emitter, x val, shape tensor.Shape) val { return e.broadcast(x, shape, []int{1}) }

// beside returns all dimensions except the channels'.
func beside(shape tensor.Shape) []int {
	dims := []int{0}
	for d := 2; d < len(shape); d++ {
		dims = append(dims, d)
	}
	return dims
}

func batchNorm(e *emitter, n *program.Node, in []val) []val {
	eps := n.Op.(program.BatchNorm).Eps
	x, gamma, beta := in[0], in[1], in[2]
	dims := beside(x.shape)
	count := e.fill(float64(x.shape.Size()/max(1, x.shape[1])), gamma.shape)
	mean := e.binary("divide", e.sum(x, dims...), count)
	off := e.binary("subtract", x, channelwise(e, mean, x.shape))
	variance := e.binary("divide", e.sum(e.binary("multiply", off, off), dims...), count)
	scale := e.binary("divide", gamma, deviation(e, variance, eps))
	y := e.binary("add", e.binary("multiply", off, channelwise(e, scale, x.shape)), channelwise(e, beta, x.shape))
	return []val{y, mean, variance}
}

func deviation(e *emitter, variance val, eps float64) val {
	return e.unary("sqrt", e.binary("add", variance, e.fill(eps, variance.shape)))
}

func batchNormGrad(e *emitter, n *program.Node, in []val) []val {
	eps := n.Op.(program.BatchNormGrad).Eps
	x, gamma, mean, variance, dy := in[0], in[1], in[2], in[3], in[4]
	dims := beside(x.shape)
	deviation := deviation(e, variance, eps)
	off := e.binary("subtract", x, channelwise(e, mean, x.shape))
	normal := e.binary("divide", off, channelwise(e, deviation, x.shape))
	dbeta := e.sum(dy, dims...)
	dgamma := e.sum(e.binary("multiply", dy, normal), dims...)
	count := e.fill(float64(x.shape.Size()/max(1, x.shape[1])), gamma.shape)
	part := func(v val) val { return channelwise(e, e.binary("divide", v, count), x.shape) }
	dx := e.binary("subtract", e.binary("subtract", dy, part(dbeta)), e.binary("multiply", normal, part(dgamma)))
	scale := e.binary("divide", gamma, deviation)
	return []val{e.binary("multiply", dx, channelwise(e, scale, x.shape)), dgamma, dbeta}
}

func arrayOf(x []int) string { return fmt.Sprintf("array<i64: %s>", numbers(x)) }
