package cpu

import (
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// plan returns the output of Dump.
func plan(t testing.TB, p *program.Program) string {
	t.Helper()
	x, err := executor(t, 2, kernel.Best()).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	var s strings.Builder
	if err := x.Dump(&s); err != nil {
		t.Fatal(err)
	}
	return s.String()
}

// Whatever is stored, reads of the vectors see the content before the run.
func TestReadsSeeTheOldContent(t *testing.T) {
	const n = 3000
	part := func(b *program.Builder, from int) *program.Value { return b.View(program.State, from, n) }
	unit := program.Window{StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}
	for name, f := range map[string]func(b *program.Builder){
		"two ranges change places": func(b *program.Builder) {
			b.Store(program.State, 0, part(b, n))
			b.Store(program.State, n, part(b, 0))
		},
		"three ranges move in a circle, with arithmetic": func(b *program.Builder) {
			b.Store(program.State, 0, b.Neg(part(b, n)))
			b.Store(program.State, n, b.Unary(program.Square, part(b, 2*n)))
			b.Store(program.State, 2*n, b.Unary(program.Exp, part(b, 0)))
		},
		"a range moves by less than its length": func(b *program.Builder) { b.Store(program.State, 1, part(b, 0)) },
		"a range is stored where it is":         func(b *program.Builder) { b.Store(program.State, 0, part(b, 0)) },
		"the next element is added": func(b *program.Builder) {
			b.Store(program.State, 0,
				b.Add(part(b, 0), part(b, 1)))
		},
		"an operand is read again after the store's operation": func(b *program.Builder) {
			x := part(b, 0)
			y := b.Unary(program.Square, x)
			b.Store(program.State, 0, y)
			b.Store(program.State, n, b.Sub(b.Unary(program.Tanh, y), x))
		},
		"a sum of what is overwritten": func(b *program.Builder) {
			x := part(b, 0)
			b.Store(program.State, 0, b.Mul(x, b.Unary(program.Sigmoid, b.SumAll(x))))
			b.Output("sum", b.SumAll(b.Unary(program.Abs, x)))
		},
		"a sum of what was computed, and of what it overwrites": func(b *program.Builder) {
			x := part(b, 0)
			y := b.Neg(x)
			b.Store(program.State, 0, y)
			b.Output("sum", b.Add(b.SumAll(x), b.Mul(b.SumAll(y), b.Scalar(3))))
			b.Output("y", y)
		},
		"a value in two places": func(b *program.Builder) {
			y := b.Unary(program.Exp, part(b, 0))
			b.Store(program.State, 0, y)
			b.Store(program.State, n, b.Reshape(y, 30, 100))
			b.Store(program.Update, 5, y)
			b.Output("y", y)
			b.Output("again", y)
		},
		"a row of what is overwritten is broadcast": func(b *program.Builder) {
			x := b.View(program.State, 0, 30, 100)
			b.Store(program.State, 0, b.Mul(x, b.Slice(x, 0, 3, 4)))
		},
		"a column of what is overwritten is broadcast": func(b *program.Builder) {
			x := b.View(program.State, 0, 30, 100)
			b.Store(program.State, 0, b.Mul(x, b.Reshape(b.View(program.State, 7, 30), 30, 1)))
		},
		"a product of what is overwritten": func(b *program.Builder) {
			x := b.View(program.State, 0, 50, 50)
			b.Store(program.State, 0, b.Apply(program.MatMul{TransB: true}, x, x))
		},
		"columns in place, and what was there": func(b *program.Builder) {
			w, index := b.View(program.State, 0, 30, 100), b.Const([]float64{4, 0, 99, 4}, 4)
			old := b.Apply(program.Lookup{}, w, index)
			b.Store(program.State, 0, b.Apply(program.SetColumns{}, w, index, b.Neg(old)))
			b.Output("old", b.Unary(program.Exp, old))
			b.Output("sum", b.SumAll(w))
		},
		"columns become rows of the same matrix": func(b *program.Builder) {
			w := b.View(program.State, 0, 3, 3)
			b.Store(program.State, 0, b.Apply(program.SetColumns{}, w, b.Const([]float64{1, 2, 0}, 3), w))
		},
		"columns of a range that moves": func(b *program.Builder) {
			w, index := b.View(program.State, 0, 30, 100), b.Const([]float64{4, 0}, 2)
			b.Store(program.State, 100, b.Apply(program.SetColumns{}, w, index, b.Input("rows", 2, 30)))
		},
		"a transposed matrix": func(b *program.Builder) {
			b.Store(program.State, 0, b.Transpose(b.View(program.State, 0, 50, 60), 1, 0))
		},
		"gradients of weights in place, and weights from them": func(b *program.Builder) {
			x := b.Input("x", 2, 3, 8, 9)
			w := b.View(program.Params, 0, 4, 3, 3, 3)
			g := b.Gradients(b.Unary(program.Square, b.Apply(program.Conv2D{Window: unit}, x, w)), nil, values{w})[0]
			b.Store(program.Gradient, 0, g)
			b.Store(program.Params, 0, b.Sub(w, b.Mul(g, b.Scalar(0.01))))
			b.Output("penalty", b.SumAll(b.Unary(program.Square, w)))
		},
		"constants": func(b *program.Builder) {
			b.Store(program.State, 0, b.Fill(2, n))
			b.Store(program.State, n, b.Const([]float64{1, 2, 3}, 3))
			b.Store(program.Update, 0, b.Input("x", 4))
			b.Output("c", b.Fill(3, 2, 2))
		},
	} {
		b := program.NewBuilder()
		f(b)
		p := b.Build()
		check(t, name, p, programtest.Bind(p, -0.5, 0.5))
	}
}

// An updater makes one pass over memory, in place: no copies, and no memory except a few cache lines.
func TestUpdatersRunInPlace(t *testing.T) {
	const n = 100_000
	for name, p := range map[string]*program.Program{"nesterovs": nesterovs(n), "adam": adam(n)} {
		s := plan(t, p)
		if strings.Contains(s, "store ") || strings.Count(s, "group of 100000") != 1 {
			t.Errorf("%s:\n%s", name, s)
		}
		x, err := executor(t, 2, kernel.Best()).compile(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if x.arenaSize > 64 {
			t.Errorf("%s takes %d elements of the arena", name, x.arenaSize)
		}
		check(t, name, p, programtest.Bind(p, 0.1, 0.9))
	}
}

// Gradients are written directly into the gradient vector. The backward half of a rectifier only needs its result.
func TestPlanOfATrainingStep(t *testing.T) {
	s := plan(t, mlp(64))
	if strings.Contains(s, "store ") {
		t.Errorf("there are copies:\n%s", s)
	}
	if !strings.Contains(s, "→ gradient[0:392000] = matmul") {
		t.Errorf("the first weights' gradient is not written in place:\n%s", s)
	}
	if n := strings.Count(s, "group of 32000"); n != 2 {
		t.Errorf("%d passes over the hidden layer, want one forward and one backward:\n%s", n, s)
	}
	s = plan(t, lenet(8))
	if strings.Contains(s, "store ") || strings.Count(s, "with bias") != 2 {
		t.Errorf("LeNet:\n%s", s)
	}
	for _, p := range []*program.Program{mlp(7), lenet(3)} {
		check(t, "network", p, programtest.Bind(p, -0.1, 0.1))
	}
}

// The squares of a norm are not kept.
func TestPlanOfANorm(t *testing.T) {
	b := program.NewBuilder()
	b.Output("norm", b.Unary(program.Sqrt, b.SumAll(b.Unary(program.Square, b.View(program.Gradient, 0, 100_000)))))
	s := plan(t, b.Build())
	if !strings.Contains(s, "sum of squares") || strings.Contains(s, "group of 100000") {
		t.Errorf("the squares are computed apart:\n%s", s)
	}
}

// The outputs of two executables of one executor are separate, though they share memory.
func TestOutputsOutliveOtherRuns(t *testing.T) {
	e := executor(t, 2, kernel.Best())
	make := func(c float64) (program.Executable, *program.Bindings) {
		b := program.NewBuilder()
		b.Output("y", b.Add(b.Unary(program.Exp, b.Input("x", 500)), b.Scalar(c)))
		p := b.Build()
		x, err := e.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		return x, programtest.Bind(p, -1, 1)
	}
	x, bx := make(1)
	y, by := make(2)
	if err := x.Run(bx); err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(x.Output(0))
	if err := y.Run(by); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(before, x.Output(0)) {
		t.Error("a run of another executable changed an output")
	}
}
