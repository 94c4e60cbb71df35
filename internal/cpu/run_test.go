package cpu

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/allocs"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

func TestStepsAllocateNothing(t *testing.T) {
	for threads := 1; threads <= 3; threads++ {
		e := executor(t, threads, kernel.Best())
		for name, s := range map[string]*stepped{"mlp": newStep(t, e, mlp(4), nesterovs),
			"lenet": newStep(t, e, lenet(2), adam)} {
			if n := allocs.PerRun(3, func() { s.run(t) }); n != 0 {
				t.Errorf("%s on %d threads: %v allocations a step", name, threads, n)
			}
		}
	}
}

func TestRandomProgramsAllocateNothing(t *testing.T) {
	e := executor(t, 2, kernel.Best())
	seen := map[string]bool{}
	for seed := range 60 {
		p, err := programtest.Random(uint64(seed), 20)
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		b := programtest.Bind(p, -1, 1)
		if n := allocs.PerRun(2, func() { _ = x.Run(b) }); n != 0 {
			t.Errorf("seed %d: %v allocations a run", seed, n)
		}
		for _, n := range p.Nodes {
			seen[n.Op.Name()] = true
		}
	}
	if len(seen) < 18 {
		t.Errorf("only %d operations were in the programs", len(seen))
	}
}

// weighted is per-row arithmetic with vectors of parameters.
func weighted(batch int) *program.Program {
	n := &net{Builder: program.NewBuilder()}
	x := n.Input("features", batch, 37)
	y := n.Add(n.Mul(n.Sub(x, n.param(37)), n.param(37)), n.param(1, 37))
	y = n.Apply(program.Softmax{Dim: 1}, n.Add(y, n.Mul(n.param(37), n.param(37))))
	sum := n.Apply(program.Reduce{Kind: program.Sum, Dims: "1", Keep: true}, n.Mul(y, n.param(37)))
	squares := n.Apply(program.Reduce{Kind: program.Sum, Dims: "1", Keep: true},
		n.Unary(program.Square, n.Mul(y, n.param(1, 37))))
	n.Output("y", n.Apply(program.Concat{Dim: 1}, n.Div(y, n.Unary(program.Sqrt, squares)),
		n.Mul(sum, n.param(1)), squares))
	return n.Build()
}

// A row of the output only depends on that row of the input, to the last bit.
func TestRowsDoNotDependOnTheBatch(t *testing.T) {
	forward := func(network func(batch int) *program.Program, batch int) *program.Program {
		p := network(batch)
		if p.Output("y") < 0 {
			for _, n := range p.Nodes {
				if n.Op.Name() == "softmax" {
					p.Outputs, p.Stores = []program.Named{{Name: "y", Value: n.Out[0]}}, nil
				}
			}
		}
		return p
	}
	for _, v := range kernel.Available() {
		for name, network := range map[string]func(int) *program.Program{"mlp": mlp, "lenet": lenet, "weighted": weighted} {
			const batch = 9
			all := forward(network, batch)
			b := programtest.Bind(all, -0.3, 0.3)
			want := runs(t, executors[v][1], all, b, 1)[0]
			width := len(want) / batch
			for _, part := range [][2]int{{0, 1}, {4, 5}, {3, 7}, {1, 9}} {
				p := forward(network, part[1]-part[0])
				rows := clone(b)
				for i, v := range p.Inputs {
					size := v.Shape[1:].Size()
					rows.Inputs[i] = rows.Inputs[i][part[0]*size : part[1]*size]
				}
				if got := runs(t, executors[v][2], p, rows, 1)[0]; !slices.Equal(got, want[part[0]*width:part[1]*width]) {
					t.Errorf("%s, %v: rows %v differ from those of the whole batch", name, v, part)
				}
			}
		}
	}
}

// NaN and infinities pass through every operation according to its formula.
func TestNaNAndInfinitiesPropagate(t *testing.T) {
	p, in := programtest.Special()
	want := runs(t, naive.Executor{}, p, in, 1)
	for _, v := range kernel.Available() {
		got := runs(t, executors[v][1], p, in, 1)
		for i := range p.Outputs {
			for k, w := range want[i] {
				g := got[i][k]
				if (g != g) != (w != w) || math.IsInf(float64(g), 0) != math.IsInf(float64(w), 0) || w == w &&
					math.Signbit(float64(g)) != math.Signbit(float64(w)) && w != 0 {
					t.Errorf("%v, %s: element %d is %g, want %g", v, p.Outputs[i].Name, k, g, w)
					break
				}
			}
		}
	}
}

// Arrays without elements, and sums over none.
func TestEmptyArrays(t *testing.T) {
	b := program.NewBuilder()
	x, y := b.Input("x", 0, 3), b.Input("y", 4, 0)
	b.Output("empty", b.Unary(program.Exp, x))
	b.Output("sum", b.Sum(x, 0))
	b.Output("max", b.Apply(program.Reduce{Kind: program.Max, Dims: "0"}, x))
	b.Output("product", b.Apply(program.MatMul{}, y, x))
	b.Output("join", b.Concat(0, x, b.Fill(1, 2, 3)))
	b.Store(program.State, 2, b.Neg(x))
	p := b.Build()
	check(t, "empty arrays", p, programtest.Bind(p, -1, 1))
}

func TestRunErrors(t *testing.T) {
	b := program.NewBuilder()
	b.Store(program.Gradient, 2, b.Add(b.Input("x", 2), b.View(program.Params, 1, 2)))
	e := New(Options{Threads: 2})
	x, err := e.Compile(b.Build())
	if err != nil {
		t.Fatal(err)
	}
	good := func() *program.Bindings {
		b := &program.Bindings{Inputs: [][]float32{{1, 2}}}
		b.Vectors[program.Params], b.Vectors[program.Gradient] = make([]float32, 3), make([]float32, 4)
		return b
	}
	for want, spoil := range map[string]func(b *program.Bindings){
		"0 inputs bound, the program has 1":          func(b *program.Bindings) { b.Inputs = nil },
		`input "x" of shape [2] bound to 3 elements`: func(b *program.Bindings) { b.Inputs[0] = make([]float32, 3) },
		"params bound to 2 elements, the program needs 3": func(b *program.Bindings) {
			b.Vectors[program.Params] = make([]float32, 2)
		},
		"gradient bound to 0 elements, the program needs 4": func(b *program.Bindings) { b.Vectors[program.Gradient] = nil },
		"the executor is in use":                            func(b *program.Bindings) { e.state.Store(busy) },
	} {
		b := good()
		spoil(b)
		if err := x.Run(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q", err, want)
		}
		e.state.Store(idle)
	}
	if err := x.Run(good()); err != nil {
		t.Error(err)
	}
	e.Close()
	e.Close()
	if err := x.Run(good()); !errors.Is(err, errClosed) {
		t.Errorf("a run after Close: %v", err)
	}
	if _, err := e.Compile(b.Build()); !errors.Is(err, errClosed) {
		t.Errorf("a program compiled after Close: %v", err)
	}
}

type unknown struct{ program.StopGradient }

func (unknown) Name() string { return "unknown" }

func TestCompileRefusesUnknownOperation(t *testing.T) {
	b := program.NewBuilder()
	b.Output("y", b.Apply(unknown{}, b.Input("x", 2)))
	if _, err := executor(t, 1, kernel.Portable).Compile(b.Build()); err == nil ||
		!strings.Contains(err.Error(), `"unknown"`) {
		t.Errorf("error = %v", err)
	}
}

// Programs that need more memory than any machine has are refused before memory is allocated.
func TestCompileRefusesEnormousPrograms(t *testing.T) {
	for want, f := range map[string]func(b *program.Builder, x *program.Value) *program.Value{
		"elements": func(b *program.Builder, x *program.Value) *program.Value { return b.Random(1, 1<<20, 1<<20) },
		"MiB for intermediate values": func(b *program.Builder, x *program.Value) *program.Value {
			y := b.Random(1, 1<<17, 1<<17)
			z := b.Transpose(y, 1, 0)
			return b.Add(b.Sum(b.Unary(program.Exp, z), 0), b.Sum(y, 1))
		},
	} {
		b := program.NewBuilder()
		b.Output("y", b.SumAll(f(b, b.Input("x", 2))))
		if _, err := executor(t, 1, kernel.Best()).Compile(b.Build()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q", err, want)
		}
	}
}
