// Package programtest has programs for tests of executors: single operations with their gradients, and random
// programs.
package programtest

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/program"
)

type values = []*program.Value

// Formula emits a value from its operands.
type Formula func(b *program.Builder, x []*program.Value) *program.Value

// Operations calls one with every operation by itself, with odd and large sizes: with a name, the range of its
// operands' elements, its formula, and the shapes of its operands.
func Operations(one func(name string, lo, hi float64, f Formula, shapes ...[]int)) {
	elementwise(one)
	products(one)
	images(one)
	reductions(one)
	shapes(one)
	loops(one)
}

// visit takes a formula.
type visit = func(name string, lo, hi float64, f Formula, shapes ...[]int)

func apply(op program.Op) Formula {
	return func(b *program.Builder, x []*program.Value) *program.Value { return b.Apply(op, x...) }
}

func elementwise(one visit) {
	for _, k := range program.UnaryKinds() {
		one(string(k), 0.2, 3, apply(program.Unary{Kind: k}), []int{3, 2039})
		if k != program.Log && k != program.Log1p && k != program.Sqrt {
			one(string(k), -3, 3, apply(program.Unary{Kind: k}), []int{17})
		}
	}
	for _, k := range program.BinaryKinds() {
		for _, s := range [][2][]int{{{}, {5}}, {{7, 5}, {5}}, {{7, 1}, {7, 5}}, {{3, 600}, {600}}, {{3, 600}, {3, 1}},
			{{2, 3, 5, 4}, {3, 1, 1}}, {{2, 3, 20, 15}, {1, 3, 1, 1}}, {{2, 1, 4}, {3, 1}}, {{6000}, {6000}}, {{70, 100}, {100}},
			{{1}, {1, 1}}, {{5, 2500}, {2500}}, {{2, 3, 4}, {2, 1, 4}}} {
			one(string(k), 0.3, 2, apply(program.Binary{Kind: k}), s[0], s[1])
		}
	}
	one("select", -1, 1, func(b *program.Builder, x values) *program.Value {
		return b.Select(b.Binary(program.Greater, x[0], b.Scalar(0)), x[1], x[2])
	}, []int{4, 300}, []int{300}, []int{4, 1})
}

func products(one visit) {
	for mode := range 8 {
		op := program.MatMul{TransA: mode&1 != 0, TransB: mode&2 != 0, OverBatch: mode&4 != 0}
		for _, s := range [][3]int{{5, 7, 3}, {33, 1, 65}, {1, 1030, 2}, {64, 90, 50}} {
			a, b := []int{s[0], s[1]}, []int{s[1], s[2]}
			if op.TransA {
				a = []int{s[1], s[0]}
			}
			if op.TransB {
				b = []int{s[2], s[1]}
			}
			one(fmt.Sprintf("matmul %+v", op), -1, 1, apply(op), a, b)
			one(fmt.Sprintf("matmul %+v", op), -1, 1, apply(op), append([]int{3}, a...), append([]int{3}, b...))
		}
	}
	one("matmul of transposes", -1, 1, func(b *program.Builder, x values) *program.Value {
		return b.Apply(program.MatMul{}, b.Transpose(x[0], 1, 0), b.Transpose(x[1], 1, 0))
	}, []int{4, 6}, []int{5, 4})
}

func images(one visit) {
	unit := program.Window{StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}
	same := unit
	same.PadTop, same.PadLeft, same.PadBottom, same.PadRight = 1, 2, 2, 1
	strided := program.Window{StrideH: 2, StrideW: 3, DilationH: 2, DilationW: 1, PadTop: 1, PadRight: 2}
	for _, w := range []program.Window{unit, same, strided} {
		one("conv2d", -1, 1, apply(program.Conv2D{Window: w}), []int{3, 2, 9, 11}, []int{5, 2, 3, 2})
		one("conv2d, bias, rectifier", -1, 1, func(b *program.Builder, x values) *program.Value {
			return b.Max(b.Add(b.Apply(program.Conv2D{Window: w}, x[0], x[1]), b.Reshape(x[2], 5, 1, 1)), b.Scalar(0))
		}, []int{3, 2, 9, 11}, []int{5, 2, 3, 2}, []int{5})
		for _, k := range []program.PoolKind{program.MaxPool, program.AveragePool} {
			for _, pad := range []bool{false, true} {
				one("pool2d", -1, 1, apply(program.Pool2D{Kind: k, KH: 2, KW: 2, Window: w, IncludePad: pad}), []int{3, 2, 9, 11})
			}
		}
	}
	halves := program.Window{StrideH: 2, StrideW: 2, DilationH: 1, DilationW: 1, PadTop: 3}
	one("pool2d", -1, 1, apply(program.Pool2D{Kind: program.MaxPool, KH: 2, KW: 2, Window: halves}), []int{2, 3, 8, 8})
	one("conv2d-grad-input", -1, 1, apply(program.Conv2DGradInput{Window: unit, H: 9, W: 8}),
		[]int{3, 5, 7, 7}, []int{5, 2, 3, 2})
	one("conv2d-grad-filter", -1, 1, apply(program.Conv2DGradFilter{Window: unit, KH: 3, KW: 2}),
		[]int{3, 2, 9, 8}, []int{3, 5, 7, 7})
	wide := program.Window{StrideH: 3, StrideW: 2, DilationH: 1, DilationW: 2,
		PadTop: 2, PadLeft: 5, PadBottom: 1, PadRight: 4}
	for _, w := range []program.Window{unit, same, strided, wide} {
		for _, multiplier := range []int{1, 3} {
			oh, ow := w.Out(9, 11, 3, 2)
			x, f, y := []int{3, 5, 9, 11}, []int{5, multiplier, 3, 2}, []int{3, 5 * multiplier, oh, ow}
			one("depthwise-conv2d", -1, 1, apply(program.DepthwiseConv2D{Window: w}), x, f)
			one("depthwise-conv2d-grad-input", -1, 1, apply(program.DepthwiseConv2DGradInput{Window: w, H: 9, W: 11}), y, f)
			one("depthwise-conv2d-grad-filter", -1, 1, apply(program.DepthwiseConv2DGradFilter{Window: w, KH: 3, KW: 2}), x, y)
		}
	}
	for _, s := range [][]int{{6, 5}, {3, 4, 7, 5}, {40, 300}} {
		one("batchnorm", -1, 2, apply(program.BatchNorm{Eps: 1e-3}), s, s[1:2], s[1:2])
	}
}

func reductions(one visit) {
	for _, k := range []program.ReduceKind{program.Sum, program.Max} {
		for _, c := range []struct {
			shape []int
			dims  program.DimSet
		}{{[]int{7, 5}, "0"}, {[]int{7, 5}, "1"}, {[]int{7, 5}, "0,1"}, {[]int{3, 4, 5}, "1"}, {[]int{3, 4, 5}, "0,2"},
			{[]int{50000}, "0"},
			{[]int{400, 300}, "0"}, {[]int{3, 4096}, "0"}, {[]int{5, 20000}, "0"}, {[]int{2, 3, 4099}, "1"},
			{[]int{30, 3, 20, 20}, "0,2,3"}, {[]int{2, 3, 4, 5}, "0,2"}, {[]int{2, 3}, ""}, {[]int{2, 1, 3}, "1"}} {
			one(string(k), -1, 1, apply(program.Reduce{Kind: k, Dims: c.dims}), c.shape)
			one(string(k), -1, 1, apply(program.Reduce{Kind: k, Dims: c.dims, Keep: true}), c.shape)
		}
	}
	for name, f := range map[string]func(b *program.Builder, x values) *program.Value{
		"squares":    func(b *program.Builder, x values) *program.Value { return b.Unary(program.Square, x[0]) },
		"magnitudes": func(b *program.Builder, x values) *program.Value { return b.Unary(program.Abs, x[0]) },
		"products":   func(b *program.Builder, x values) *program.Value { return b.Mul(x[0], x[1]) },
		"rows":       func(b *program.Builder, x values) *program.Value { return b.Mul(x[0], b.Slice(x[1], 0, 1, 2)) },
	} {
		for _, dims := range [][]int{{0}, {1}, {0, 1}} {
			one("sum of "+name, -1, 1, func(b *program.Builder, x values) *program.Value {
				y := b.Sum(b.Reshape(f(b, x), 70, 3, 100), dims...)
				z := b.Sum(b.Reshape(f(b, x[1:]), 70, 3, 100), append(slices.Clone(dims), 2)...)
				return b.Add(b.SumAll(y), b.Unary(program.Tanh, b.SumAll(z)))
			}, []int{70, 300}, []int{70, 300}, []int{70, 300})
		}
	}
	for dim, shape := range [][]int{{5, 7}, {64, 10}, {2, 7, 33}} {
		one("softmax", -3, 3, apply(program.Softmax{Dim: min(dim, 1)}), shape)
	}
}

func shapes(one visit) {
	for _, c := range []struct {
		shape []int
		perm  program.DimSet
	}{{[]int{5, 70}, "1,0"}, {[]int{3, 4, 5}, "2,1,0"}, {[]int{3, 4, 5}, "1,0,2"}, {[]int{3, 4, 5}, "0,2,1"},
		{[]int{2, 3, 4, 5}, "3,1,0,2"},
		{[]int{2, 3, 4, 5}, "2,3,0,1"}, {[]int{2, 3, 4, 5}, "0,2,1,3"}, {[]int{2, 3, 4, 70}, "0,2,1,3"},
		{[]int{2000, 3, 11}, "1,0,2"}, {[]int{1, 1}, "1,0"}, {[]int{300, 200}, "1,0"}} {
		one("transpose", -1, 1, apply(program.Transpose{Perm: c.perm}), c.shape)
	}
	one("broadcast", -1, 1, apply(program.BroadcastTo{To: "3,2,4"}), []int{2, 1})
	one("broadcast", -1, 1, apply(program.BroadcastTo{To: "3,2"}), []int{})
	one("slice", -1, 1, apply(program.Slice{Dim: 1, From: 2, To: 5}), []int{3, 7, 2})
	one("slice of rows", -1, 1, apply(program.Slice{Dim: 0, From: 1, To: 3}), []int{4, 5})
	one("pad", -1, 1, apply(program.Pad{Dim: 1, Before: 2, After: 1}), []int{3, 4, 2})
	one("concat", -1, 1, func(b *program.Builder, x values) *program.Value {
		return b.Concat(1, x[0], b.Fill(2, 2, 2), x[1])
	}, []int{2, 3}, []int{2, 1})
	one("lookup", -1, 1, func(b *program.Builder, x values) *program.Value {
		return b.Apply(program.Lookup{}, x[0], b.Const([]float64{4, 0, 4, 8.9, 2, -0.5}, 6))
	}, []int{300, 9})
	one("lookup-grad", -1, 1, func(b *program.Builder, x values) *program.Value {
		return b.Apply(program.LookupGrad{Columns: 5}, x[0], b.Const([]float64{4, 0, 4, 5, 2, -1}, 6))
	}, []int{6, 70})
	for _, index := range [][]float64{{4, 0, 8.9}, {4, 9, -1}, {}} {
		one("set-columns", -1, 1, func(b *program.Builder, x values) *program.Value {
			return b.Apply(program.SetColumns{}, x[0], b.Const(index, len(index)), x[1])
		}, []int{70, 9}, []int{len(index), 70})
	}
	one("lookup of a lookup-grad", -1, 1, func(b *program.Builder, x values) *program.Value {
		index := b.Const([]float64{4, 0, 4, 5, 4.5, -1}, 6)
		return b.Apply(program.Lookup{}, b.Apply(program.LookupGrad{Columns: 6}, x[0], index), index)
	}, []int{6, 70})
	for dim := range 3 {
		for _, shape := range [][]int{{300, 5, 7}, {40, 30, 300}, {600, 1, 1}, {2, 600, 1}, {1, 1, 600}} {
			one("reduce", -1, 1, apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(dim), InOrder: true}), shape)
		}
	}
	for _, dim := range []int{1, 2} {
		one("reverse", -1, 1, apply(program.Reverse{Dim: dim}), []int{70, 30, 50})
		one("reverse, masked", -1, 1, func(b *program.Builder, x values) *program.Value {
			return b.Apply(program.Reverse{Dim: dim}, x[0], b.Binary(program.Greater, x[1], b.Fill(0)))
		}, []int{70, 40, 40}, []int{70, 40})
	}
	one("random", -1, 1, func(b *program.Builder, x values) *program.Value { return b.Mul(x[0], b.Random(5, 3, 1000)) },
		[]int{3, 1000})
	one("reshape", -1, 1, func(b *program.Builder, x values) *program.Value {
		return b.Reshape(b.Unary(program.Exp, x[0]), 6)
	}, []int{2, 3})
	one("with-gradient", -1, 1, func(b *program.Builder, x values) *program.Value {
		return b.Add(b.WithGradient(b.Unary(program.Exp, x[0]), x[0], x[1]), b.StopGradient(x[0]))
	}, []int{2, 3}, []int{2, 3})
}
