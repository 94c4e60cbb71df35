package cpu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// convolved returns a convolution of 12 channels with 13 filters, and its gradients.
func convolved(stride int) *program.Program {
	w := program.Window{StrideH: stride, StrideW: stride, DilationH: 1, DilationW: 1, PadTop: 1, PadLeft: 1, PadBottom: 1,
		PadRight: 1}
	b := program.NewBuilder()
	x, filters := b.Input("x", 3, 12, 9, 16), b.Input("filters", 13, 12, 3, 3)
	y := b.Apply(program.Conv2D{Window: w}, x, filters)
	seed := b.Input("seed", y.Shape...)
	b.Output("y", y)
	for i, g := range b.Gradients(y, seed, []*program.Value{x, filters}) {
		b.Output(fmt.Sprint("gradient", i), g)
	}
	return b.Build()
}

// TestConvolutionsOfBF16 compares convolutions and their gradients with the naive executor, which gets factors that
// need no rounding.
func TestConvolutionsOfBF16(t *testing.T) {
	for _, k := range bf16(t) {
		e := New(Options{Threads: 2, Kernels: k})
		defer e.Close()
		for stride := 1; stride <= 2; stride++ {
			againstNaive(t, e, convolved(stride), fmt.Sprintf("%v, stride %d", k, stride))
		}
	}
}

// TestConvolutionsRoundFactors: 1 + 2⁻⁹ is 1 as a factor of a convolution and of its gradients.
func TestConvolutionsRoundFactors(t *testing.T) {
	for _, k := range bf16(t) {
		if k.factors != inPairs {
			continue // AMX has products alone
		}
		e := New(Options{Threads: 1, Kernels: k})
		defer e.Close()
		p := convolved(1)
		exact, rounded := &program.Bindings{}, &program.Bindings{}
		for _, in := range p.Inputs {
			ones, more := make([]float32, in.Shape.Size()), make([]float32, in.Shape.Size())
			for i := range ones {
				ones[i], more[i] = 1, 1+0x1p-9
			}
			exact.Inputs, rounded.Inputs = append(exact.Inputs, ones), append(rounded.Inputs, more)
		}
		want, got := runs(t, e, p, exact, 1), runs(t, e, p, rounded, 1)
		for i := range p.Outputs {
			if !slices.Equal(got[i], want[i]) {
				t.Errorf("%v: the factors of %s are not rounded", k, p.Outputs[i].Name)
			}
		}
	}
}

// TestPackedFiltersOfBF16: packed filters give the same bits, for any number of rows.
func TestPackedFiltersOfBF16(t *testing.T) {
	for _, k := range bf16(t) {
		if k.factors == inPairs {
			testPackedFilters(t, k)
		}
	}
}

func testPackedFilters(t *testing.T, k Kernels) {
	t.Helper()
	e := New(Options{Threads: 2, Kernels: k})
	defer e.Close()
	w := NewPackedWeights(1 << 30)
	var params []float32
	for _, rows := range []int{3, 1} {
		b := program.NewBuilder()
		window := program.Window{StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}
		x, filters := b.Input("x", rows, 9, 7, 7), b.View(program.Params, 0, 12, 9, 3, 3)
		b.Output("y", b.Apply(program.Conv2D{Window: window}, x, filters))
		p := b.Build()
		bind := programtest.Bind(p, -1, 1)
		if params == nil {
			params = bind.Vectors[program.Params]
		}
		bind.Vectors[program.Params] = params
		run, err := e.CompilePacked(p, w)
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Run(bind); err != nil {
			t.Fatal(err)
		}
		if want := runs(t, e, p, bind, 1); !slices.Equal(run.Output(0), want[0]) {
			t.Errorf("%v, %d rows: other bits than without packed filters", k, rows)
		}
		var plan strings.Builder
		if err := run.(*Executable).Dump(&plan); err != nil || !strings.Contains(plan.String(), ", packed") {
			t.Errorf("%v, %d rows: the filters are not packed: %v\n%s", k, rows, err, plan.String())
		}
	}
}
