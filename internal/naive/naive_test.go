package naive_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/program"
)

// run returns the results of one operation on constants.
func run[T naive.Float](t *testing.T, op program.Op, operands ...operand) [][]float64 {
	t.Helper()
	b := program.NewBuilder()
	bind := &naive.Bindings[T]{Key: program.Key{Seed: 1, Epoch: 2, Example: 3}}
	var in []*program.Value
	for i, o := range operands {
		in = append(in, b.Input(string(rune('a'+i)), o.shape...))
		data := make([]T, len(o.data))
		for k, x := range o.data {
			data[k] = T(x)
		}
		bind.Inputs = append(bind.Inputs, data)
	}
	results := b.ApplyAll(op, in...)
	for i, v := range results {
		b.Output(string(rune('a'+i)), v)
	}
	e, err := naive.Compile[T](b.Build())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second run must not depend on the first
		if err := e.Run(bind); err != nil {
			t.Fatal(err)
		}
	}
	out := make([][]float64, len(results))
	for i := range results {
		for _, x := range e.Output(i) {
			out[i] = append(out[i], float64(x))
		}
	}
	return out
}

type operand struct {
	shape []int
	data  []float64
}

func of(shape []int, data ...float64) operand { return operand{shape, data} }

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

// The results were worked out by hand from each operation's formula.
func TestResults(t *testing.T) {
	unit := program.Window{StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}
	same := unit
	same.PadTop, same.PadLeft = 1, 1
	dilated := program.Window{StrideH: 2, StrideW: 1, DilationH: 1, DilationW: 2, PadRight: 1}
	image := of([]int{1, 1, 3, 3}, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	matrix := of([]int{2, 3}, 1, 2, 3, 4, 5, 6)
	nans := of([]int{3}, nan, 1, nan)
	cases := []struct {
		name string
		op   program.Op
		in   []operand
		want [][]float64
	}{
		{"sign", program.Unary{Kind: program.Sign}, []operand{of([]int{3}, -2, 0, 5)}, [][]float64{{-1, 0, 1}}},
		{"softplus", program.Unary{Kind: program.Softplus}, []operand{of([]int{3}, -1000, 0, 1000)},
			[][]float64{{0, math.Ln2, 1000}}},
		{"sigmoid", program.Unary{Kind: program.Sigmoid}, []operand{of([]int{3}, -1000, 0, 1000)}, [][]float64{{0, 0.5, 1}}},
		{"subtract a column", program.Binary{Kind: program.Sub}, []operand{matrix, of([]int{2, 1}, 1, 10)},
			[][]float64{{0, 1, 2, -6, -5, -4}}},
		{"maximum of NaN", program.Binary{Kind: program.Maximum}, []operand{nans, of([]int{3}, inf, nan, -inf)},
			[][]float64{{nan, nan, nan}}},
		{"minimum of NaN", program.Binary{Kind: program.Minimum}, []operand{nans, of([]int{3}, -inf, nan, inf)},
			[][]float64{{nan, nan, nan}}},
		{"greater or equal", program.Binary{Kind: program.GreaterEqual},
			[]operand{of([]int{4}, 1, 2, 3, nan), of([]int{}, 2)}, [][]float64{{0, 1, 1, 0}}},
		{"select", program.Select{}, []operand{of([]int{3}, 0, 2, nan), matrix, of([]int{}, -1)},
			[][]float64{{-1, 2, 3, -1, 5, 6}}},
		{"matmul", program.MatMul{}, []operand{matrix, of([]int{3, 1}, 1, 10, 100)}, [][]float64{{321, 654}}},
		{"matmul aᵀ", program.MatMul{TransA: true}, []operand{matrix, of([]int{2, 1}, 1, 10)}, [][]float64{{41, 52, 63}}},
		{"matmul bᵀ", program.MatMul{TransB: true}, []operand{of([]int{1, 3}, 1, 10, 100), matrix}, [][]float64{{321, 654}}},
		{"matmul of batches", program.MatMul{}, []operand{of([]int{2, 1, 2}, 1, 2, 3, 4),
			of([]int{2, 2, 1}, 1, 10, 100, 1000)}, [][]float64{{21, 4300}}},
		{"conv2d", program.Conv2D{Window: unit}, []operand{image, of([]int{1, 1, 2, 2}, 1, 10, 100, 1000)},
			[][]float64{{5421, 6532, 8754, 9865}}},
		{"conv2d strided, dilated, padded", program.Conv2D{Window: dilated}, []operand{image, of([]int{1, 1, 1, 2}, 1, 10)},
			[][]float64{{31, 2, 97, 8}}},
		{"max pool padded above and left", program.Pool2D{Kind: program.MaxPool, KH: 2, KW: 2, Window: same},
			[]operand{of([]int{1, 1, 2, 2}, -1, -2, -3, nan)},
			[][]float64{{-1, -1, -1, nan}}},
		{"average pool", program.Pool2D{Kind: program.AveragePool, KH: 2, KW: 2, Window: same},
			[]operand{of([]int{1, 1, 2, 2}, 1, 2, 3, 6)}, [][]float64{{1, 1.5, 2, 3}}},
		{"average pool with padding", program.Pool2D{Kind: program.AveragePool, KH: 2, KW: 2, Window: same, IncludePad: true},
			[]operand{of([]int{1, 1, 2, 2}, 1, 2, 3, 6)}, [][]float64{{0.25, 0.75, 1, 3}}},
		{"pool of padding only", program.Pool2D{Kind: program.MaxPool, KH: 1, KW: 1, Window: same},
			[]operand{of([]int{1, 1, 1, 1}, 5)}, [][]float64{{0, 0, 0, 5}}},
		{"max pool's gradient among equals",
			program.Pool2DGrad{Pool: program.Pool2D{Kind: program.MaxPool, KH: 2, KW: 2, Window: unit}},
			[]operand{of([]int{1, 1, 2, 2}, 1, 3, 3, 3), of([]int{1, 1, 1, 1}, 3), of([]int{1, 1, 1, 1}, 7)},
			[][]float64{{0, 7, 0, 0}}},
		{"batchnorm", program.BatchNorm{Eps: 3}, []operand{of([]int{2, 2}, 1, 5, 3, 5), of([]int{2}, 2, 1),
			of([]int{2}, 10, 20)},
			[][]float64{{9, 20, 11, 20}, {2, 5}, {1, 0}}},
		{"sum of rows", program.Reduce{Kind: program.Sum, Dims: "1"}, []operand{matrix}, [][]float64{{6, 15}}},
		{"maximum of columns", program.Reduce{Kind: program.Max, Dims: "0"}, []operand{of([]int{2, 2}, 1, nan, 2, 3)},
			[][]float64{{2, nan}}},
		{"softmax", program.Softmax{Dim: 0}, []operand{of([]int{2, 2}, 1000, 0, 1000, math.Log(3))},
			[][]float64{{0.5, 0.25, 0.5, 0.75}}},
		{"transpose", program.Transpose{Perm: "1,0"}, []operand{matrix}, [][]float64{{1, 4, 2, 5, 3, 6}}},
		{"transpose of three", program.Transpose{Perm: "2,0,1"}, []operand{of([]int{1, 2, 3}, 1, 2, 3, 4, 5, 6)},
			[][]float64{{1, 4, 2, 5, 3, 6}}},
		{"broadcast", program.BroadcastTo{To: "2,2,2"}, []operand{of([]int{2, 1}, 1, 2)},
			[][]float64{{1, 1, 2, 2, 1, 1, 2, 2}}},
		{"slice", program.Slice{Dim: 1, From: 1, To: 3}, []operand{matrix}, [][]float64{{2, 3, 5, 6}}},
		{"pad", program.Pad{Dim: 1, Before: 1, After: 1}, []operand{of([]int{2, 1}, 1, 2)}, [][]float64{{0, 1, 0, 0, 2, 0}}},
		{"concat", program.Concat{Dim: 1}, []operand{of([]int{2, 1}, 1, 2), matrix}, [][]float64{{1, 1, 2, 3, 2, 4, 5, 6}}},
	}
	for _, c := range cases {
		for name, got := range map[string][][]float64{"float32": run[float32](t, c.op, c.in...),
			"float64": run[float64](t, c.op, c.in...)} {
			for i, want := range c.want {
				for k := range max(len(want), len(got[i])) {
					g, w := got[i][k], want[k]
					if !near.OrNaN(g, w, 1e-6, 0) {
						t.Errorf("%s, %s: result %d is %v, want %v", c.name, name, i, got[i], want)
						break
					}
				}
			}
		}
	}
}

func TestRandomIsTheStreamOfTheKey(t *testing.T) {
	got := run[float64](t, program.Random{Stream: 9, To: "2,3"})[0]
	seed := program.Key{Seed: 1, Epoch: 2, Example: 3}.Stream(9)
	for i, x := range got {
		if x != float64(random.Uniform(seed, uint64(i))) {
			t.Errorf("element %d is %g", i, x)
		}
	}
}

// Stores happen when the run ends: a program may swap two ranges.
func TestStoresSeeTheVectorBeforeTheRun(t *testing.T) {
	b := program.NewBuilder()
	b.Store(program.Params, 0, b.View(program.Params, 2, 2))
	b.Store(program.Params, 2, b.View(program.Params, 0, 2))
	b.Output("first", b.View(program.Params, 0, 2))
	var executor program.Executor = naive.Executor{}
	e, err := executor.Compile(b.Build())
	if err != nil {
		t.Fatal(err)
	}
	bind := &program.Bindings{}
	bind.Vectors[program.Params] = []float32{1, 2, 3, 4}
	if err := e.Run(bind); err != nil {
		t.Fatal(err)
	}
	if v := bind.Vectors[program.Params]; v[0] != 3 || v[1] != 4 || v[2] != 1 || v[3] != 2 {
		t.Errorf("params are %v", v)
	}
	if v := e.Output(0); v[0] != 1 || v[1] != 2 {
		t.Errorf("output is %v", v)
	}
	if e.Memory() != 4*4 {
		t.Errorf("memory %d", e.Memory())
	}
}

func TestRunRefusesWhatDoesNotFit(t *testing.T) {
	b := program.NewBuilder()
	b.Store(program.Gradient, 1, b.Input("x", 2))
	e, err := naive.Compile[float32](b.Build())
	if err != nil {
		t.Fatal(err)
	}
	for want, bind := range map[string]*naive.Bindings[float32]{
		"0 inputs bound":                    {},
		`input "x" of shape [2] bound to 3`: {Inputs: [][]float32{{1, 2, 3}}},
		"gradient bound to 0 elements":      {Inputs: [][]float32{{1, 2}}},
	} {
		if err := e.Run(bind); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q", err, want)
		}
	}
}

type unknown struct{ program.StopGradient }

func (unknown) Name() string { return "unknown" }

func TestCompileRefusesUnknownOperation(t *testing.T) {
	b := program.NewBuilder()
	b.Output("y", b.Apply(unknown{}, b.Input("x", 2)))
	if _, err := (naive.Executor{}).Compile(b.Build()); err == nil || !strings.Contains(err.Error(), `"unknown"`) {
		t.Errorf("error = %v", err)
	}
}
