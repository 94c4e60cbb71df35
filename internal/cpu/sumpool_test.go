package cpu

import (
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// TestSumsBeforePooling: the sum of a max pooling's gradient over images is that of its result's gradient. It is left
// alone for other sums, for averages, and if a window is outside the image.
func TestSumsBeforePooling(t *testing.T) {
	unit := program.Window{StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}
	strided, padded, outside := unit, unit, unit
	strided.StrideH, strided.StrideW = 2, 2
	padded.PadTop, padded.PadLeft = 1, 1
	outside.PadTop = 2
	for name, c := range map[string]struct {
		kind   program.PoolKind
		window program.Window
		dims   []int
		before bool
	}{
		"whole images": {program.MaxPool, strided, []int{0, 2, 3}, true},
		"overlapping":  {program.MaxPool, padded, []int{2, 3}, true},
		"rows":         {program.MaxPool, strided, []int{0, 3}, false},
		"average":      {program.AveragePool, strided, []int{0, 2, 3}, false},
		"outside":      {program.MaxPool, outside, []int{0, 2, 3}, false},
	} {
		b := program.NewBuilder()
		x := b.Input("x", 3, 5, 7, 8)
		pool := program.Pool2D{Kind: c.kind, KH: 2, KW: 2, Window: c.window}
		y := b.Apply(pool, x)
		dx := b.Apply(program.Pool2DGrad{Pool: pool}, x, y, b.Input("dy", y.Shape...))
		b.Output("dx", dx)
		b.Output("sum", b.Sum(dx, c.dims...))
		p := b.Build()
		check(t, name, p, programtest.Bind(p, -1, 1))
		for _, v := range kernel.Available() {
			e, err := executors[v][1].Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range e.(*Executable).code {
				if r, ok := in.(*reduction); ok && (r.node.in[0].node == nil) != c.before {
					t.Errorf("%v, %s: %v", v, name, r)
				}
			}
		}
	}
}
