package cpu

import (
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// TestPackedBeforeLoops: a loop over products with a matrix packs it once, and computes the same bits as products that
// read the matrix as it is stored.
func TestPackedBeforeLoops(t *testing.T) {
	const n, steps = 130, 3
	for _, e := range executors[kernel.Best()] {
		for _, transposed := range []bool{false, true} {
			for _, rows := range []int{1, 2, 13, 64} {
				testPackedBeforeLoop(t, e, program.MatMul{TransB: transposed}, rows, n, steps)
			}
		}
	}
}

func testPackedBeforeLoop(t *testing.T, e *Executor, product program.MatMul, rows, n, steps int) {
	output := func(build func(b *program.Builder, h, w *program.Value) *program.Value) ([]float32, string) {
		b := program.NewBuilder()
		h, w := b.Input("h", rows, n), b.View(program.Params, 0, n, n)
		b.Output("y", build(b, h, w))
		p := b.Build()
		x, err := e.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Run(programtest.Bind(p, -0.1, 0.1)); err != nil {
			t.Fatal(err)
		}
		var plan strings.Builder
		if err := x.(*Executable).Dump(&plan); err != nil {
			t.Fatal(err)
		}
		return slices.Clone(x.Output(0)), plan.String()
	}
	want, _ := output(func(b *program.Builder, h, w *program.Value) *program.Value {
		for range steps {
			h = b.Apply(product, h, w)
		}
		return h
	})
	got, plan := output(func(b *program.Builder, h, w *program.Value) *program.Value {
		_, _, last := b.Scan(program.Loop{Steps: steps}, values{w}, values{h}, nil,
			func(b *program.Builder, inv, state, _ []*program.Value) (next, results []*program.Value) {
				return values{b.Apply(product, state[0], inv[0])}, nil
			})
		return last[0]
	})
	if !slices.Equal(got, want) {
		t.Errorf("%v, %d rows: other bits than without a loop", product, rows)
	}
	if strings.Count(plan, "= pack") != 1 || !strings.Contains(plan, ", packed") {
		t.Errorf("%v, %d rows: the plan is\n%s", product, rows, plan)
	}
}
