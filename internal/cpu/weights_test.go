package cpu

import (
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/program"
)

// predicting returns a program with a convolution, a product with weights as columns, one with weights as rows, and a
// loop, for some rows. Its parameters are the same for any number of rows.
func predicting(rows int) *program.Program {
	const filters, size, hidden = 5, 16, 130
	b := program.NewBuilder()
	at := 0
	param := func(shape ...int) *program.Value {
		v := b.View(program.Params, at, shape...)
		at += v.Shape.Size()
		return v
	}
	x := b.Input("x", rows, 3, size, size)
	w := program.Window{StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1,
		PadTop: 1, PadLeft: 1, PadBottom: 1, PadRight: 1}
	y := b.Apply(program.Conv2D{Window: w}, x, param(filters, 3, 3, 3))
	scale, shift := param(filters, 1, 1), param(filters, 1, 1)
	y = b.Binary(program.Maximum, b.Add(b.Mul(y, scale), shift), b.Fill(0))
	h := b.Reshape(y, rows, filters*size*size)
	h = b.Apply(program.MatMul{TransB: true}, h, param(hidden, filters*size*size))
	h = b.Unary(program.Tanh, b.Add(h, param(hidden)))
	h = b.Unary(program.Sigmoid, b.Add(b.Apply(program.MatMul{}, h, param(hidden, hidden)), param(hidden)))
	_, _, last := b.Scan(program.Loop{Steps: 3}, values{param(hidden, hidden)}, values{h}, nil,
		func(b *program.Builder, inv, state, _ []*program.Value) (next, results []*program.Value) {
			return values{b.Unary(program.Tanh, b.Apply(program.MatMul{TransB: true}, state[0], inv[0]))}, nil
		})
	b.Output("y", last[0])
	return b.Build()
}

// TestPackedWeights: packed weights give the same bits, and programs of several batch sizes, on several executors,
// share them.
func TestPackedWeights(t *testing.T) {
	for _, v := range kernel.Available() {
		w := NewPackedWeights(1 << 30)
		var params []float32
		var memory int64
		for i, rows := range []int{2, 1, 13} {
			p := predicting(rows)
			b := programtest.Bind(p, -0.1, 0.1)
			if params == nil {
				params = b.Vectors[program.Params]
			}
			b.Vectors[program.Params] = params
			want := runs(t, executor(t, 1, v), p, b, 1)
			e := executor(t, 1+i, v)
			x, err := e.CompilePacked(p, w)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := x.Run(b); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(x.Output(0), want[0]) {
					t.Fatalf("%v, %d rows: other bits than without packed weights", v, rows)
				}
			}
			var plan strings.Builder
			if err := x.(*Executable).Dump(&plan); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(plan.String(), ", packed"); n != 4 || strings.Contains(plan.String(), "= transpose(") {
				t.Errorf("%v, %d rows: %d packed weights instead of 4 in the plan\n%s", v, rows, n, plan.String())
			}
			if i == 0 {
				memory = w.Memory()
			} else if got := w.Memory(); got != memory {
				t.Errorf("%v, %d rows: packed weights grew from %d to %d bytes", v, rows, memory, got)
			}
		}
	}
}

// TestPackedWeightsAreBounded: parameters beyond the limit are read as they are.
func TestPackedWeightsAreBounded(t *testing.T) {
	const limit = 100 << 10
	w := NewPackedWeights(limit)
	p := predicting(3)
	b := programtest.Bind(p, -0.1, 0.1)
	e := New(Options{Threads: 1})
	defer e.Close()
	x, err := e.CompilePacked(p, w)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Run(b); err != nil {
		t.Fatal(err)
	}
	if got := w.Memory(); got == 0 || got > limit {
		t.Errorf("%d bytes are packed; the limit is %d", got, limit)
	}
	if want := runs(t, e, p, b, 1); !slices.Equal(x.Output(0), want[0]) {
		t.Error("other bits than without packed weights")
	}
}

// TestPackedWeightsOfOthers: a run with another vector is refused.
func TestPackedWeightsOfOthers(t *testing.T) {
	w := NewPackedWeights(1 << 30)
	p := predicting(1)
	e := New(Options{Threads: 1})
	defer e.Close()
	x, err := e.CompilePacked(p, w)
	if err != nil {
		t.Fatal(err)
	}
	b := programtest.Bind(p, -0.1, 0.1)
	if err := x.Run(b); err != nil {
		t.Fatal(err)
	}
	b.Vectors[program.Params] = slices.Clone(b.Vectors[program.Params])
	if err := x.Run(b); err != errOtherParameters {
		t.Errorf("the error is %v", err)
	}
}

// TestGroupsRunWithProducts: elementwise operations on the result of a product or convolution are part of it in the
// plan, for rows, channels and slices.
func TestGroupsRunWithProducts(t *testing.T) {
	e := New(Options{Threads: 2})
	defer e.Close()
	e.led = 0
	x, err := e.Compile(predicting(3))
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	if err := x.(*Executable).Dump(&plan); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(plan.String(), "then group of"); n != 4 {
		t.Errorf("%d groups run with products and convolutions instead of 4:\n%s", n, plan.String())
	}
}
