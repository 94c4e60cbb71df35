package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/program"
)

// maxTaps bounds the number of kernel cells that are emitted one by one.
const maxTaps = 1 << 12

func checkTaps(cells int) error {
	if cells > maxTaps {
		return fmt.Errorf("the kernel has %d cells: in this layer there can be %d", cells, maxTaps)
	}
	return nil
}

// strided takes count cells of a dimension, every step-th from from on. Cells beyond the end are 0.
func strided(c *Context, x *program.Value, dim, from, count, step int) *program.Value {
	if step == 1 {
		return c.Slice(x, dim, from, from+count)
	}
	x = c.Slice(x, dim, from, min(from+count*step, x.Shape[dim]))
	if short := count*step - x.Shape[dim]; short > 0 {
		x = c.Apply(program.Pad{Dim: dim, After: short}, x)
	}
	s := x.Shape
	inner := append(append(s[:dim:dim], count, step), s[dim+1:]...)
	outer := append(append(s[:dim:dim], count), s[dim+1:]...)
	return c.Reshape(c.Slice(c.Reshape(x, inner...), dim+1, 0, 1), outer...)
}

// taps returns, for each cell (u, v) of a kernel of kh by kw, the cells of images x [batch, channels, h, w] that it
// covers: [batch, channels, oh, ow], 0 in the padding. Cell (u, v) is the element u·kw + v.
func taps(c *Context, x *program.Value, w program.Window, kh, kw int) []*program.Value {
	oh, ow := w.Out(x.Shape[2], x.Shape[3], kh, kw)
	x = padded(c, x, 2, w.PadTop, w.PadBottom, w.PadLeft, w.PadRight)
	var out []*program.Value
	for u := range kh {
		rows := strided(c, x, 2, u*w.DilationH, oh, w.StrideH)
		for v := range kw {
			out = append(out, strided(c, rows, 3, v*w.DilationW, ow, w.StrideW))
		}
	}
	return out
}

// depthwise convolves each channel of x [batch, nIn, h, w] with its own m kernels. tap returns the weights [nIn, m] of
// a cell of the kernel. Channel i and kernel k give channel i·m + k.
func depthwise(c *Context, x *program.Value, w program.Window, kh, kw, m int,
	tap func(u, v int) *program.Value) *program.Value {
	n := x.Shape[1]
	var sum *program.Value
	for i, t := range taps(c, x, w, kh, kw) {
		s := t.Shape
		part := c.Mul(c.Reshape(t, s[0], n, 1, s[2], s[3]), c.Reshape(tap(i/kw, i%kw), 1, n, m, 1, 1))
		if sum == nil {
			sum = part
		} else {
			sum = c.Add(sum, part)
		}
	}
	s := sum.Shape
	return c.Reshape(sum, s[0], n*m, s[3], s[4])
}
