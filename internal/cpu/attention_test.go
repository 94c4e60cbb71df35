package cpu

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/allocs"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// attended is the formula of an attention with the operands q, k, v and, if there is a fourth one, off [examples, 1, 1,
// keys].
func attended(b *program.Builder, x []*program.Value) *program.Value {
	return b.Apply(program.MatMul{}, attentionWeights(b, x), x[2])
}

func attentionWeights(b *program.Builder, x []*program.Value) *program.Value {
	s := b.Mul(b.Apply(program.MatMul{TransB: true}, x[0], x[1]), b.Fill(0.3))
	if len(x) > 3 {
		rows, shape := x[3].Shape[0], s.Shape
		s = b.Reshape(b.Add(b.Reshape(s, rows, shape[0]/rows, shape[1], shape[2]), b.StopGradient(x[3])), shape...)
	}
	return b.Apply(program.Softmax{Dim: 2}, s)
}

// attentionShapes are shapes of the operands: of one block and of several, of sums that are split, and with widths that
// are not those of vectors.
var attentionShapes = [][][]int{
	{{3, 64, 8}, {3, 64, 8}, {3, 64, 8}},
	{{6, 65, 5}, {6, 71, 5}, {6, 71, 7}, {2, 1, 1, 71}},
	{{1, 200, 16}, {1, 530, 16}, {1, 530, 33}},
	{{1, 13, 1}, {1, 4100, 1}, {1, 4100, 1}, {1, 1, 1, 4100}},
	{{2, 781, 3}, {2, 65, 3}, {2, 65, 1}},
}

func planOf(t *testing.T, e *Executor, p *program.Program) string {
	t.Helper()
	x, err := e.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	if err := x.(*Executable).Dump(&plan); err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

func TestAttention(t *testing.T) {
	for _, shapes := range attentionShapes {
		p := function(t, shapes, attended)
		plan := planOf(t, executors[kernel.Best()][0], p)
		if strings.Contains(plan, "softmax") || strings.Count(plan, "attention-grad of") != 1 {
			t.Errorf("%v: the attention is not fused:\n%s", shapes, plan)
		}
		b := programtest.Bind(p, -1, 1)
		check(t, fmt.Sprint("attention", shapes), p, b)
		b.Inputs[0][3], b.Inputs[2][1] = float32(math.NaN()), float32(math.Inf(1))
		check(t, fmt.Sprint("attention with NaN and infinity", shapes), p, b)
	}
}

// TestGradientsOfSomeOperands: operands that are the same, and gradients that are not needed.
func TestGradientsOfSomeOperands(t *testing.T) {
	stop := func(b *program.Builder, x []*program.Value, at ...int) []*program.Value {
		x = slices.Clone(x)
		for _, i := range at {
			x[i] = b.StopGradient(x[i])
		}
		return x
	}
	for i, of := range [][]int{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}} {
		shapes := [][]int{{2, 70, 9}, {2, 70, 9}, {2, 70, 9}}
		p := function(t, shapes, func(b *program.Builder, x []*program.Value) *program.Value {
			return attended(b, stop(b, x, of...))
		})
		want := 1
		if len(of) == 3 {
			want = 0
		}
		if plan := planOf(t, executors[kernel.Best()][0], p); strings.Count(plan, "attention-grad of") != want {
			t.Errorf("without gradients of %v:\n%s", of, plan)
		}
		check(t, fmt.Sprint("without gradients of", of, i), p, programtest.Bind(p, -1, 1))
	}
	p := function(t, [][]int{{2, 70, 9}}, func(b *program.Builder, x []*program.Value) *program.Value {
		return attended(b, []*program.Value{x[0], x[0], x[0]})
	})
	check(t, "self", p, programtest.Bind(p, -1, 1))
}

// TestAttentionWithOtherUsers: if something else reads the weights, the operations stay as they are written.
func TestAttentionWithOtherUsers(t *testing.T) {
	shapes := [][]int{{2, 70, 9}, {2, 75, 9}, {2, 75, 9}}
	for name, f := range map[string]programtest.Formula{
		"weights": func(b *program.Builder, x []*program.Value) *program.Value {
			y := attended(b, x)
			return b.Add(y, b.Apply(program.Reduce{Kind: program.Max, Dims: program.Dims(2), Keep: true},
				b.StopGradient(attentionWeights(b, x))))
		},
		"weights twice": func(b *program.Builder, x []*program.Value) *program.Value {
			return b.Apply(program.Concat{Dim: 2}, attended(b, x), b.Apply(program.MatMul{}, attentionWeights(b, x), x[1]))
		},
		"other scale": func(b *program.Builder, x []*program.Value) *program.Value {
			w := attentionWeights(b, x)
			return b.Add(b.Apply(program.MatMul{}, w, x[2]), b.Apply(program.MatMul{}, b.Unary(program.Square, w), x[2]))
		},
	} {
		p := function(t, shapes, f)
		if plan := planOf(t, executors[kernel.Best()][0], p); strings.Contains(plan, "attention") {
			t.Errorf("%s: fused:\n%s", name, plan)
		}
		check(t, name, p, programtest.Bind(p, -1, 1))
	}
}

// TestAttentionHasItsBits: the result has the bits of the operations, and so have the gradients with one block of
// queries. A second reader of the weights keeps them apart.
func TestAttentionHasItsBits(t *testing.T) {
	for _, shapes := range attentionShapes {
		outputs := func(apart bool, e *Executor) results {
			p := function(t, shapes, func(b *program.Builder, x []*program.Value) *program.Value {
				if apart {
					b.Output("weights", attentionWeights(b, x))
				}
				return attended(b, x)
			})
			if strings.Contains(planOf(t, e, p), "softmax") != apart {
				t.Fatal("both programs have the same plan")
			}
			r := runs(t, e, p, programtest.Bind(p, -1, 1), 1)
			if apart {
				r = r[1:]
			}
			return r
		}
		for v, of := range executors {
			got, want := bits(outputs(false, of[1])), bits(outputs(true, of[1]))
			n := 1
			if shapes[0][1]*shapes[1][1] <= blockWeights {
				n = len(got)
			}
			for i := range got[:n] {
				if got[i] != want[i] {
					t.Errorf("%v, %v: result %d has other bits", shapes, v, i)
				}
			}
		}
	}
}

func TestAttentionAllocatesNothing(t *testing.T) {
	all := []*Executor{executor(t, 2, kernel.Best())}
	for _, k := range bf16(t) {
		e := New(Options{Threads: 2, Kernels: k})
		defer e.Close()
		all = append(all, e)
	}
	for _, e := range all {
		p := function(t, attentionShapes[2], attended)
		x, err := e.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		b := programtest.Bind(p, -1, 1)
		if n := allocs.PerRun(2, func() { _ = x.Run(b) }); n != 0 {
			t.Errorf("%v: %v allocations a run", e.Kernels(), n)
		}
	}
}

// TestAttentionInTiles: with AMX, the result and the gradient of queries have the bits of the operations. The other
// gradients are sums that are split in another way.
func TestAttentionInTiles(t *testing.T) {
	if !kernel.HasAMX() {
		return
	}
	k, err := ParseKernels("amx?precision=bf16")
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 2} {
		e := New(Options{Threads: threads, Kernels: k})
		defer e.Close()
		for _, shapes := range attentionShapes {
			var all [2]results
			for i, apart := range []bool{false, true} {
				p := function(t, shapes, func(b *program.Builder, x []*program.Value) *program.Value {
					if apart {
						b.Output("weights", attentionWeights(b, x))
					}
					return attended(b, x)
				})
				if strings.Contains(planOf(t, e, p), "softmax") != apart {
					t.Fatalf("%v: both programs have the same plan", shapes)
				}
				all[i] = runs(t, e, p, programtest.Bind(p, -1, 1), 2)
			}
			got, want := all[0], all[1][1:]
			for i := range got {
				if d := programtest.Deviation(got[i], want[i], 1e-5); d != "" {
					t.Errorf("%v: result %d: %s", shapes, i, d)
				}
			}
			for i, b := range bits(got)[:2] {
				if b != bits(want)[i] {
					t.Errorf("%v: result %d has other bits", shapes, i)
				}
			}
		}
	}
}
