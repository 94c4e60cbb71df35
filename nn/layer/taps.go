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
