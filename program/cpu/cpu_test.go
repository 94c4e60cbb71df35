package cpu

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/program"
)

// results are what a run gives: outputs, then vectors.
type results [][]float32

// data makes elements in [lo, hi) that depend on a seed.
func data(seed uint64, n int, lo, hi float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(lo + (hi-lo)*float64(random.Uniform(seed, uint64(i))))
	}
	return x
}

// bind makes the inputs and vectors of a program.
func bind(p *program.Program, lo, hi float64) *program.Bindings {
	b := &program.Bindings{Key: program.Key{Seed: 1, Epoch: 2, Example: 3}}
	for i, v := range p.Inputs {
		b.Inputs = append(b.Inputs, data(uint64(i), v.Shape.Size(), lo, hi))
	}
	for k, n := range p.Lengths {
		b.Vectors[k] = data(uint64(100+k), n, lo, hi)
	}
	return b
}

func clone(b *program.Bindings) *program.Bindings {
	c := &program.Bindings{Key: b.Key}
	for _, x := range b.Inputs {
		c.Inputs = append(c.Inputs, slices.Clone(x))
	}
	for k, x := range b.Vectors {
		c.Vectors[k] = slices.Clone(x)
	}
	return c
}

// runs executes a program some times on one executor, so that state carries over.
func runs(t testing.TB, e program.Executor, p *program.Program, b *program.Bindings, times int) results {
	t.Helper()
	x, err := e.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	b = clone(b)
	for range times {
		if err := x.Run(b); err != nil {
			t.Fatal(err)
		}
	}
	var r results
	for i := range p.Outputs {
		r = append(r, slices.Clone(x.Output(i)))
	}
	return append(r, b.Vectors[:]...)
}

// deviation says how two elements differ beyond rounding; "" if they don't.
func deviation(got, want []float32, tolerance float64) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d elements, want %d", len(got), len(want))
	}
	scale := 0.0
	for _, w := range want {
		if a := math.Abs(float64(w)); !math.IsInf(a, 0) && !math.IsNaN(a) {
			scale = max(scale, a)
		}
	}
	for i, w := range want {
		if !near.OrNaN(got[i], w, tolerance*(1+0.1*scale), tolerance) {
			return fmt.Sprintf("element %d is %g, want %g", i, got[i], w)
		}
	}
	return ""
}

func bits(r results) [][]uint32 {
	out := make([][]uint32, len(r))
	for i, x := range r {
		for _, v := range x {
			out[i] = append(out[i], math.Float32bits(v))
		}
	}
	return out
}

func executor(t testing.TB, threads int, v kernel.Variant) *Executor {
	e := New(Options{Threads: threads, Kernels: Kernels{v, true}})
	t.Cleanup(e.Close)
	return e
}

// check compares a program with the naive executor, in every variant, and the bits that the best one gives on 1 to 4
// threads.
func check(t *testing.T, name string, p *program.Program, b *program.Bindings) {
	t.Helper()
	want := runs(t, naive.Executor{}, p, b, 2)
	for _, v := range kernel.Available() {
		on := []int{2}
		if v == kernel.Best() {
			on = []int{1, 2, 3, 4}
		}
		var first [][]uint32
		for _, threads := range on {
			got := runs(t, executors[v][threads-1], p, b, 2)
			for i := range want {
				if d := deviation(got[i], want[i], 2e-4); d != "" {
					t.Errorf("%s, %v, %d threads, result %d: %s", name, v, threads, i, d)
					return
				}
			}
			if first == nil {
				first = bits(got)
			}
			for i, x := range bits(got) {
				if !slices.Equal(x, first[i]) {
					t.Errorf("%s, %v, result %d: %d threads and %d differ", name, v, i, threads, on[0])
				}
			}
		}
	}
}

// executors of each variant, with 1 to 4 threads; they live as long as the tests.
var executors = func() map[kernel.Variant][]*Executor {
	m := map[kernel.Variant][]*Executor{}
	for _, v := range kernel.Available() {
		for threads := 1; threads <= 4; threads++ {
			m[v] = append(m[v], New(Options{Threads: threads, Kernels: Kernels{v, true}}))
		}
	}
	return m
}()

// function is the program of one formula: its value as an output, and its gradients stored.
func function(t *testing.T, shapes [][]int, f func(b *program.Builder,
	x []*program.Value) *program.Value) *program.Program {
	t.Helper()
	b := program.NewBuilder()
	var x []*program.Value
	for i, s := range shapes {
		x = append(x, b.Input(string(rune('a'+i)), s...))
	}
	if err := program.Try(func() {
		y := f(b, x)
		b.Output("y", y)
		seed := b.Unary(program.Tanh, b.Add(b.Random(99, y.Shape...), y))
		at := 0
		for i, g := range b.Gradients(y, b.StopGradient(seed), x) {
			if g != nil {
				b.Store(program.Gradient, at, g)
				b.Output("gradient"+string(rune('a'+i)), b.Mul(g, b.Scalar(2)))
				at += g.Shape.Size()
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	return b.Build()
}
