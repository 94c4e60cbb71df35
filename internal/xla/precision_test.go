//go:build xla

package xla

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// products is a program with a matrix product, and a convolution with both of its gradients.
func products(t *testing.T) *program.Program {
	t.Helper()
	b := program.NewBuilder()
	x, y := b.Input("x", 5, 37), b.Input("y", 37, 3)
	b.Output("product", b.Apply(program.MatMul{}, x, y))
	image, filter := b.Input("image", 2, 3, 7, 6), b.Input("filter", 4, 3, 3, 2)
	c := b.Apply(program.Conv2D{Window: program.Window{StrideH: 2, StrideW: 1, DilationH: 1, DilationW: 1, PadTop: 1}},
		image,
		filter)
	b.Output("convolution", c)
	for i, g := range b.Gradients(b.SumAll(b.Unary(program.Square, c)), nil, []*program.Value{image, filter}) {
		b.Output(fmt.Sprint("gradient ", i), g)
	}
	return b.Build()
}

// Factors have exactly as many bits as the precision says: the results are within its rounding, but not within less.
func TestPrecision(t *testing.T) {
	p := products(t)
	bound := programtest.Bind(p, 0, 1)
	exact := run(t, naive.Executor{}, p, bound)
	results := map[Precision][][]float32{}
	for _, c := range []struct {
		precision Precision
		within    float64 // of the largest element
	}{{Float32, 1e-6}, {TF32, 1e-3}, {BF16, 1e-2}} {
		e, err := New(Options{Program: os.Getenv("DL4GO_XLA"), Plugin: os.Getenv("DL4GO_XLA_PLUGIN"), Precision: c.precision})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.Close)
		got := run(t, e, p, bound)
		results[c.precision] = got
		for i, o := range p.Outputs {
			off := farthest(got[i], exact[i])
			if off > c.within || c.precision != Float32 && off < c.within/50 {
				t.Errorf("%q: %s is off by %.2g of its largest element", c.precision, o.Name, off)
			}
		}
	}
	// On the processor, TF32 is float32 with factors rounded beforehand.
	for _, in := range bound.Inputs {
		for i, x := range in {
			in[i] = math.Float32frombits((math.Float32bits(x) + 0xfff + math.Float32bits(x)>>13&1) &^ 0x1fff)
		}
	}
	if want := run(t, naive.Executor{}, p, bound)[0]; farthest(results[TF32][0], want) > 1e-6 {
		t.Errorf("tf32 gives %v, rounded factors %v", results[TF32][0], want)
	}
}

func farthest(got, want []float32) float64 {
	var off, largest float64
	for i, x := range want {
		off = max(off, math.Abs(float64(got[i]-x)))
		largest = max(largest, math.Abs(float64(x)))
	}
	return off / largest
}

// bf16 factors give the same bits each time.
func TestPrecisionRepeats(t *testing.T) {
	p := products(t)
	bound := programtest.Bind(p, 0, 1)
	var first [][]float32
	for range 2 {
		e, err := New(Options{Program: os.Getenv("DL4GO_XLA"), Plugin: os.Getenv("DL4GO_XLA_PLUGIN"), Precision: BF16})
		if err != nil {
			t.Fatal(err)
		}
		got := run(t, e, p, bound)
		e.Close()
		for i := range first {
			if !slices.Equal(first[i], got[i]) {
				t.Errorf("result %d differs", i)
			}
		}
		first = got
	}
}
