package cpu

import (
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// normalising returns a program for some images with convolutions of 1x1 and 3x3 whose results are normalised: with and
// without a bias, and with constants for scale and shift. fixed says whether the normalisations have fixed statistics;
// otherwise they come with the images.
func normalising(rows int, fixed bool) *program.Program {
	const channels, size = 16, 16
	b := program.NewBuilder()
	at := 0
	param := func(shape ...int) *program.Value {
		v := b.View(program.Params, at, shape...)
		at += v.Shape.Size()
		return v
	}
	x := b.Input("x", rows, channels, size, size)
	given := b.Input("mean", channels, 1, 1)
	convolve := func(x *program.Value, kernel int) *program.Value {
		pad := kernel / 2
		w := program.Window{StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1,
			PadTop: pad, PadLeft: pad, PadBottom: pad, PadRight: pad}
		return b.Apply(program.Conv2D{Window: w}, x, param(channels, channels, kernel, kernel))
	}
	normalise := func(x, scale, shift *program.Value) *program.Value {
		mean := param(channels, 1, 1)
		if !fixed {
			mean = given
		}
		return b.Binary(program.Maximum, b.Add(b.Mul(b.Sub(x, mean), scale), shift), b.Fill(0))
	}
	scale := func() *program.Value {
		variance := b.Unary(program.Square, param(channels))
		return b.Reshape(b.Div(param(channels), b.Unary(program.Sqrt, b.Add(variance, b.Fill(1)))), channels, 1, 1)
	}
	y := normalise(convolve(x, 3), scale(), param(channels, 1, 1))
	y = normalise(b.Add(convolve(y, 3), param(channels, 1, 1)), scale(), b.Reshape(b.Fill(0.5, channels), channels, 1, 1))
	y = b.Add(y, normalise(convolve(y, 1), scale(), param(channels, 1, 1)))
	twice := convolve(y, 1) // its result has another reader
	b.Output("y", b.Add(twice, normalise(twice, scale(), param(channels, 1, 1))))
	return b.Build()
}

// TestNormalisationsAreFolded: with packed weights, convolutions normalise their results if nothing else reads these
// and the statistics are fixed. A row has the same bits in any batch, on any number of threads, and when there is no
// room for packed weights.
func TestNormalisationsAreFolded(t *testing.T) {
	for _, v := range kernel.Available() {
		for _, fixed := range []bool{true, false} {
			stores := []*PackedWeights{NewPackedWeights(1 << 30), NewPackedWeights(0)}
			var first, params []float32
			for i, rows := range []int{3, 1, 2} {
				p := normalising(rows, fixed)
				b := programtest.Bind(p, -0.3, 0.3)
				if params == nil {
					params = b.Vectors[program.Params]
				}
				b.Vectors[program.Params] = params
				size := b.Inputs[0][:16*16*16]
				for k := range rows { // all rows are the same
					copy(b.Inputs[0][k*len(size):], size)
				}
				want := runs(t, executor(t, 1, v), p, b, 1)[0]
				for _, w := range stores {
					got, plan := packedRun(t, executor(t, 1+i, v), p, b, w)
					for k, y := range got {
						if !near.Equal(float64(y), float64(want[k]), 1e-5, 0) {
							t.Fatalf("%v, %d rows: element %d is %v, and %v without packed weights", v, rows, k, y, want[k])
						}
					}
					if first == nil {
						first = got[:len(got)/rows]
					}
					for k := range rows {
						if !slices.Equal(got[k*len(first):][:len(first)], first) {
							t.Fatalf("%v, row %d of %d has other bits than in a batch of 3", v, k, rows)
						}
					}
					if n := strings.Count(plan, ", normalised"); fixed && n != 3 || !fixed && n != 0 {
						t.Errorf("%v: %d convolutions normalise their results:\n%s", v, n, plan)
					}
				}
			}
		}
	}
}

// packedRun runs a program with packed weights twice. It returns the output of the second run, and the plan.
func packedRun(t *testing.T, e *Executor, p *program.Program, b *program.Bindings,
	w *PackedWeights) ([]float32, string) {
	t.Helper()
	x, err := e.CompilePacked(p, w)
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	if err := x.(*Executable).Dump(&plan); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := x.Run(b); err != nil {
			t.Fatal(err)
		}
	}
	return slices.Clone(x.Output(0)), plan.String()
}
