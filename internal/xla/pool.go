package xla

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// windowed combines windows of images by "add" or "maximum".
func windowed(e *emitter, by string, x, start val, size, stride, dilation [2]int, low, high [2]int,
	out tensor.Shape) val {
	four := func(p [2]int) string { return arrayOf([]int{1, 1, p[0], p[1]}) }
	a, b, c := e.next, e.next+1, e.next+2
	e.next += 3
	v := val{fmt.Sprintf("%%%d", e.next), out, "f32"}
	e.next++
	fmt.Fprintf(e, "%s = \"stablehlo.reduce_window\"(%s, %s) ({\n^bb0(%%%d: tensor<f32>, %%%d: tensor<f32>):\n", v.name,
		x.name, start.name, a, b)
	fmt.Fprintf(e, "%%%d = stablehlo.%s %%%d, %%%d : tensor<f32>\nstablehlo.return %%%d : tensor<f32>\n})", c, by, a, b, c)
	fmt.Fprintf(e, " {window_dimensions = %s, window_strides = %s, base_dilations = %s, window_dilations = %s, ",
		four(size), four(stride), four([2]int{1, 1}), four(dilation))
	fmt.Fprintf(e, "padding = dense<[[0, 0], [0, 0], [%d, %d], [%d, %d]]> : tensor<4x2xi64>} : (%s, tensor<f32>) -> %s\n",
		low[0], high[0], low[1], high[1], x.kind(), v.kind())
	return v
}

func pooled(e *emitter, o program.Pool2D, n *program.Node, in []val) val {
	x, w, out := in[0], o.Window, n.Out[0].Shape
	windows := func(by string, x val, start float64) val {
		return windowed(e, by, x, e.fill(start, nil), [2]int{o.KH, o.KW}, [2]int{w.StrideH, w.StrideW},
			[2]int{w.DilationH, w.DilationW}, [2]int{w.PadTop, w.PadLeft}, [2]int{w.PadBottom, w.PadRight}, out)
	}
	if o.Kind == program.AveragePool {
		return e.binary("divide", windows("add", x, 0), divisors(e, o, x.shape, out))
	}
	nan := e.convert(e.compare("NE", x, x), "f32")
	y := windows("maximum", x, math.Inf(-1))
	y = e.choose(notZero(e, windows("maximum", nan, 0)), e.fill(math.NaN(), out), y)
	if rows, columns := cells(o, x.shape, out); hasZero(rows) || hasZero(columns) {
		some := notZero(e, cellsOf(e, rows, columns, out))
		y = e.choose(some, y, e.fill(0, out))
	}
	return y
}

// cells counts, for each row and column of results, the rows and columns of the image in its windows.
func cells(o program.Pool2D, x, out tensor.Shape) (rows, columns []float64) {
	count := func(n, of, k, stride, dilation, before int) []float64 {
		c := make([]float64, n)
		for i := range c {
			for u := range k {
				if at := i*stride + u*dilation - before; at >= 0 && at < of {
					c[i]++
				}
			}
		}
		return c
	}
	w := o.Window
	return count(out[2], x[2], o.KH, w.StrideH, w.DilationH, w.PadTop),
		count(out[3], x[3], o.KW, w.StrideW, w.DilationW, w.PadLeft)
}

func hasZero(x []float64) bool {
	for _, v := range x {
		if v == 0 {
			return true
		}
	}
	return false
}

// cellsOf returns the number of the image's cells in each window, in the shape of the results.
func cellsOf(e *emitter, rows, columns []float64, out tensor.Shape) val {
	r := e.broadcast(e.constant(rows, tensor.Shape{len(rows)}), out, []int{2})
	return e.binary("multiply", r, e.broadcast(e.constant(columns, tensor.Shape{len(columns)}), out, []int{3}))
}

// divisors returns the divisors of an average. For a window without a cell it is 1, because its sum is 0.
func divisors(e *emitter, o program.Pool2D, x, out tensor.Shape) val {
	if o.IncludePad {
		return e.fill(float64(o.KH*o.KW), out)
	}
	rows, columns := cells(o, x, out)
	for _, list := range [][]float64{rows, columns} {
		for i, v := range list {
			list[i] = max(1, v)
		}
	}
	return cellsOf(e, rows, columns, out)
}

func poolGrad(e *emitter, op program.Pool2DGrad, _ *program.Node, in []val) val {
	o, x, dy := op.Pool, in[0], in[2]
	if o.Kind == program.MaxPool {
		return maxPoolGrad(e, o, x, dy)
	}
	w := o.Window
	share := e.binary("divide", dy, divisors(e, o, x.shape, dy.shape))
	size, stride := [2]int{o.KH, o.KW}, [2]int{w.StrideH, w.StrideW}
	dilation, before := [2]int{w.DilationH, w.DilationW}, [2]int{w.PadTop, w.PadLeft}
	edges := make([]edge, 4)
	for d := range 2 {
		reach := (size[d] - 1) * dilation[d]
		low := reach - before[d]
		edges[2+d] = edge{low, x.shape[2+d] - ((dy.shape[2+d]-1)*stride[d] + 1) - low + reach, stride[d] - 1}
	}
	zero := e.fill(0, nil)
	return windowed(e, "add", e.pad(share, zero, edges), zero, size, [2]int{1, 1}, dilation, [2]int{}, [2]int{}, x.shape)
}

// maxPoolGrad processes the cells of all windows at once, one place in the window after the other. It first finds the
// place of the first maximum, and then distributes the gradients.
func maxPoolGrad(e *emitter, o program.Pool2D, x, dy val) val {
	w, out := o.Window, dy.shape
	around := []edge{{}, {}, {w.PadTop, w.PadBottom, 0}, {w.PadLeft, w.PadRight, 0}}
	padded := e.pad(x, e.fill(math.Inf(-1), nil), around)
	inside := e.pad(e.fill(1, x.shape), e.fill(0, nil), around)
	place := func(v val, u, l int) val {
		top, left := u*w.DilationH, l*w.DilationW
		return e.slice(v, []cut{{0, out[0], 1}, {0, out[1], 1}, {top, top + (out[2]-1)*w.StrideH + 1, w.StrideH},
			{left, left + (out[3]-1)*w.StrideW + 1, w.StrideW}})
	}
	best, at := e.fill(math.Inf(-1), out), e.fillInt(-1, out, "i32")
	none := at
	for k := range o.KH * o.KW {
		v := place(padded, k/o.KW, k%o.KW)
		number := e.compare("EQ", best, best)
		larger := e.unary("not", e.compare("LE", v, best))
		take := e.binary("or", e.binary("and", number, larger), e.compare("EQ", at, none))
		take = e.binary("and", take, notZero(e, place(inside, k/o.KW, k%o.KW)))
		best, at = e.choose(take, v, best), e.choose(take, e.fillInt(int64(k), out, "i32"), at)
	}
	zero, dx := e.fill(0, nil), e.fill(0, x.shape)
	for k := range o.KH * o.KW {
		g := e.choose(e.compare("EQ", at, e.fillInt(int64(k), out, "i32")), dy, e.fill(0, out))
		top, left := k/o.KW*w.DilationH-w.PadTop, k%o.KW*w.DilationW-w.PadLeft
		dx = e.binary("add", dx, e.pad(g, zero, []edge{{}, {},
			{top, x.shape[2] - top - ((out[2]-1)*w.StrideH + 1), w.StrideH - 1},
			{left, x.shape[3] - left - ((out[3]-1)*w.StrideW + 1), w.StrideW - 1}}))
	}
	return dx
}
