package cpu

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// results are the results of a run: outputs, then vectors.
type results [][]float32

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

// bits returns views of the bytes of each result. The race detector checks no comparison of their elements.
func bits(r results) []string {
	out := make([]string, len(r))
	for i, x := range r {
		out[i] = unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
	}
	return out
}

func executor(t testing.TB, threads int, v kernel.Variant) *Executor {
	e := New(Options{Threads: threads, Kernels: Kernels{variant: v, chosen: true}})
	t.Cleanup(e.Close)
	return e
}

// check compares a program with the naive executor, in every variant. It compares the bits of the best variant on 1 to
// 4 threads.
func check(t *testing.T, name string, p *program.Program, b *program.Bindings) {
	t.Helper()
	want := runs(t, naive.Executor{}, p, b, 2)
	for _, v := range kernel.Available() {
		on := []int{2}
		if v == kernel.Best() {
			on = []int{1, 2, 3, 4}
		}
		var first []string
		for _, threads := range on {
			got := runs(t, executors[v][threads-1], p, b, 2)
			if first == nil { // the others have its bits
				for i := range want {
					if d := programtest.Deviation(got[i], want[i], 2e-4); d != "" {
						t.Errorf("%s, %v, %d threads, result %d: %s", name, v, threads, i, d)
						return
					}
				}
				first = bits(got)
			}
			for i, x := range bits(got) {
				if x != first[i] {
					t.Errorf("%s, %v, result %d: %d threads and %d differ", name, v, i, threads, on[0])
				}
			}
		}
	}
}

// executors are of each variant, with 1 to 4 threads. With 3 and 4, small products lead groups, too. They live as long
// as the tests.
var executors = func() map[kernel.Variant][]*Executor {
	m := map[kernel.Variant][]*Executor{}
	for _, v := range kernel.Available() {
		for threads := 1; threads <= 4; threads++ {
			e := New(Options{Threads: threads, Kernels: Kernels{variant: v, chosen: true}})
			if threads > 2 {
				e.led = 0
			}
			m[v] = append(m[v], e)
		}
	}
	return m
}()

type values = []*program.Value

func function(t *testing.T, shapes [][]int, f programtest.Formula) *program.Program {
	t.Helper()
	p, err := programtest.Function(shapes, f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
