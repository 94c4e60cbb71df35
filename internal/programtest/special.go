package programtest

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/program"
)

// Special returns a program of many operations, whose inputs have NaN, infinities, both zeros, and numbers at the ends
// of the range.
func Special() (*program.Program, *program.Bindings) {
	b := program.NewBuilder()
	x, y := b.Input("x", 12, 6), b.Input("y", 12, 6)
	var list values
	for _, k := range program.UnaryKinds() {
		list = append(list, b.Unary(k, x))
	}
	for _, k := range program.BinaryKinds() {
		list = append(list, b.Binary(k, x, y), b.Binary(k, x, b.Scalar(0)), b.Binary(k, b.Scalar(2), y))
	}
	for _, k := range []program.ReduceKind{program.Sum, program.Max} {
		for _, d := range []program.DimSet{"0", "1", "0,1"} {
			list = append(list, b.Apply(program.Reduce{Kind: k, Dims: d}, x))
		}
	}
	list = append(list, b.Apply(program.Softmax{Dim: 1}, x), b.Select(x, y, x),
		b.Max(b.Apply(program.Softmax{Dim: 0}, y), x), b.Apply(program.MatMul{TransB: true}, x, y))
	list = append(list, specialImages(b, b.Reshape(x, 2, 1, 6, 6))...)
	list = append(list, specialRows(b, x, y)...)
	for i, v := range list {
		b.Output(fmt.Sprint(i, " ", v.Node.Op.Name(), v.Node.Op), v)
	}
	p := b.Build()
	in := Bind(p, -2, 2)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for i, s := range []float32{nan, inf, -inf, 0, float32(math.Copysign(0, -1)), 1e38, 1e-30, nan} {
		in.Inputs[0][9*i], in.Inputs[1][7*i+3] = s, s
	}
	return p, in
}

// specialImages are operations on images, and their gradients.
func specialImages(b *program.Builder, image *program.Value) (list values) {
	w := program.Window{StrideH: 1, StrideW: 2, DilationH: 1, DilationW: 1, PadLeft: 1}
	list = append(list, b.Apply(program.Conv2D{Window: w}, image, b.View(program.Params, 0, 2, 1, 2, 3)))
	for _, k := range []program.PoolKind{program.MaxPool, program.AveragePool} {
		pooled := b.Apply(program.Pool2D{Kind: k, KH: 2, KW: 2, Window: w}, image)
		list = append(list, pooled)
		list = append(list, b.Gradients(pooled, b.Fill(1, pooled.Shape...), values{image})...)
	}
	return list
}

// specialRows are operations that select rows, with numbers of rows that are none.
func specialRows(b *program.Builder, x, y *program.Value) values {
	index := b.Slice(b.Reshape(x, 72), 0, 0, 6)
	rows := b.Apply(program.Lookup{}, b.Transpose(y, 1, 0), index)
	mask := b.Binary(program.Greater, b.Reshape(b.Slice(x, 1, 0, 2), 3, 8), b.Scalar(0))
	some := b.Const([]float64{math.NaN(), 3, math.Inf(1), -1}, 4)
	return values{rows, b.Apply(program.LookupGrad{Columns: 12}, rows, index),
		b.Apply(program.SetColumns{}, b.Transpose(x, 1, 0), some, b.Slice(y, 0, 0, 4)),
		b.Apply(program.Reverse{Dim: 1}, b.Reshape(y, 3, 8, 3), mask)}
}
