package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

// maxExtent bounds paddings, croppings and factors.
const maxExtent = 1 << 20

// padded adds zeros around the dimensions from dim on. pads holds the numbers before and after for each dimension.
func padded(c *Context, x *program.Value, dim int, pads ...int) *program.Value {
	for i := 0; i < len(pads); i += 2 {
		if pads[i]+pads[i+1] > 0 {
			x = c.Apply(program.Pad{Dim: dim + i/2, Before: pads[i], After: pads[i+1]}, x)
		}
	}
	return x
}

// cropped removes cells around the dimensions from dim on. crops holds the numbers before and after for each
// dimension.
func cropped(c *Context, x *program.Value, dim int, crops ...int) *program.Value {
	for i := 0; i < len(crops); i += 2 {
		d := dim + i/2
		x = c.Slice(x, d, crops[i], x.Shape[d]-crops[i+1])
	}
	return x
}

// repeatedCells repeats each cell of the dimensions from dim on.
func repeatedCells(c *Context, x *program.Value, dim int, times ...int) *program.Value {
	for i, n := range times {
		if n == 1 {
			continue
		}
		d := dim + i
		narrow := append(x.Shape[:d+1:d+1], 1)
		wide := append(x.Shape[:d+1:d+1], n)
		out := append(x.Shape[:d:d], x.Shape[d]*n)
		narrow, wide, out = append(narrow, x.Shape[d+1:]...), append(wide, x.Shape[d+1:]...), append(out, x.Shape[d+1:]...)
		x = c.Reshape(c.BroadcastTo(c.Reshape(x, narrow...), wide...), out...)
	}
	return x
}

// checkBorders reports numbers of border cells that are out of range.
func checkBorders(field string, cells []int) error {
	for _, n := range cells {
		if n < 0 || n > maxExtent {
			return fmt.Errorf("%s %v: each must be from 0 to %d", field, cells, maxExtent)
		}
	}
	return nil
}

// checkTimes reports repetition factors that are out of range.
func checkTimes(field string, times []int) error {
	for _, n := range times {
		if n < 1 || n > maxExtent {
			return fmt.Errorf("%s %v: each must be from 1 to %d", field, times, maxExtent)
		}
	}
	return nil
}

// leaves returns the extent that remains after cropping. An extent of 0, which is unknown, stays 0.
func leaves(what string, extent, before, after int) (int, error) {
	if extent-before-after < 1 {
		return 0, fmt.Errorf("cropping %d and %d leaves nothing of %s, which is %d", before, after, what, extent)
	}
	return extent - before - after, nil
}

// sequence checks that the only input is a sequence, with steps of nIn elements unless that is 0, and reads it in a
// data format; "" means the input's own format.
func sequence(in []inputtype.Type, nIn int, format string) (inputtype.Type, error) {
	t, err := Single(in)
	if err != nil {
		return t, err
	}
	if t.Kind != inputtype.RecurrentKind {
		return t, fmt.Errorf("takes sequences [batch, size, time], got %v; set the network's input type", t)
	}
	if format != "" {
		t = t.As(format)
	}
	if nIn != 0 && t.Size != nIn {
		return t, fmt.Errorf("takes sequences of vectors of %d (nIn), got %v", nIn, t)
	}
	return t, nil
}
