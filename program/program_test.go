package program_test

import (
	"errors"
	"strings"
	"testing"

	. "github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func dense(b *Builder) (w, score *Value) {
	x := b.Input("x", 2, 3)
	b.Input("unused", 7)
	w = b.View(Params, 0, 3, 4)
	y := b.Max(b.Add(b.Apply(MatMul{}, x, w), b.View(Params, 12, 1, 4)), b.Scalar(0))
	return w, b.SumAll(y)
}

func TestDump(t *testing.T) {
	b := NewBuilder()
	w, score := dense(b)
	b.View(Params, 100, 5) // read by nothing
	b.Unary(Exp, w)        // used by nothing
	b.Output("score", score)
	b.Store(Gradient, 0, b.Gradients(score, nil, []*Value{w})[0])
	p := b.Build()
	var text strings.Builder
	if err := p.Dump(&text); err != nil {
		t.Fatal(err)
	}
	const want = `%0 = input "x" [2, 3]
%1 = input "unused" [7]
%5 = matmul{TransA:false TransB:false OverBatch:false}(%0, params[0:12]) [2, 4]
%6 = binary{Kind:add}(%5, params[12:16]) [2, 4]
%7 = binary{Kind:max}(%6, 0) [2, 4]
%8 = reduce{Kind:sum Dims:0,1 Keep:false InOrder:false}(%7) []
%9 = binary{Kind:greater}(%6, 0) [2, 4]
%10 = matmul{TransA:true TransB:false OverBatch:true}(%0, %9) [3, 4]
gradient[0:12] = %10
output "score" = %8 []
`
	if text.String() != want {
		t.Errorf("got\n%swant\n%s", text.String(), want)
	}
	if p.Lengths != [NumVectors]int{Params: 16, Gradient: 12} {
		t.Errorf("lengths %v", p.Lengths)
	}
	if p.Input("unused") != 1 || p.Input("y") != -1 || p.Output("score") != 0 || p.Output("x") != -1 {
		t.Error("inputs or outputs are not found by name")
	}
	for i, v := range p.Values {
		if v.ID != i {
			t.Errorf("value %d has the ID %d", i, v.ID)
		}
	}
}

func TestSameOperationGivesSameValue(t *testing.T) {
	b := NewBuilder()
	x := b.Input("x", 2, 3)
	for name, f := range map[string]func() *Value{
		"input":    func() *Value { return b.Input("x", 2, 3) },
		"constant": func() *Value { return b.Fill(2, 3) },
		"view":     func() *Value { return b.View(State, 4, 2) },
		"node":     func() *Value { return b.Unary(Exp, x) },
		"random":   func() *Value { return b.Random(3, 2, 2) },
	} {
		if first, second := f(), f(); first != second {
			t.Errorf("%s: two values", name)
		}
	}
	for name, other := range map[string]*Value{
		"shape":   b.Reshape(x, 6),
		"kind":    b.Unary(Log, x),
		"operand": b.Unary(Exp, b.Reshape(x, 3, 2)),
		"stream":  b.Random(4, 2, 2),
		"order":   b.Sub(x, b.Unary(Exp, x)),
	} {
		if other == x || other == b.Unary(Exp, x) || other == b.Random(3, 2, 2) || other == b.Sub(b.Unary(Exp, x), x) {
			t.Errorf("another %s gives the same value", name)
		}
	}
}

func TestFormulasLeaveOutWhatChangesNothing(t *testing.T) {
	b := NewBuilder()
	x, row := b.Input("x", 2, 3), b.Input("row", 3)
	zero, one := b.Scalar(0), b.Scalar(1)
	for name, v := range map[string]*Value{
		"x+0": b.Add(x, zero), "0+x": b.Add(zero, x), "x·1": b.Mul(x, one), "1·x": b.Mul(one, x),
		"reshape": b.Reshape(x, 2, 3), "broadcast": b.BroadcastTo(x, 2, 3), "slice": b.Slice(x, 1, 0, 3),
	} {
		if v != x {
			t.Errorf("%s is not x", name)
		}
	}
	if v := b.Add(row, b.Fill(0, 2, 3)); !v.Shape.Equal(tensor.Shape{2, 3}) {
		t.Errorf("adding zeros of a larger shape gives %v", v.Shape)
	}
}

func TestShapeErrors(t *testing.T) {
	b := NewBuilder()
	in := func(shape ...int) *Value { return b.Fill(1, shape...) }
	image, filter := in(2, 3, 5, 5), in(4, 3, 3, 3)
	unit := Window{StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}
	pool := Pool2D{Kind: MaxPool, KH: 2, KW: 2, Window: unit}
	cases := []struct {
		op   Op
		in   []*Value
		want string
	}{
		{Unary{"cube"}, []*Value{in(2)}, `there is no function "cube"`},
		{Unary{Exp}, nil, "takes one operand"},
		{Binary{Add}, []*Value{in(2, 3), in(2)}, "shapes [2, 3] and [2] do not broadcast"},
		{Binary{"xor"}, []*Value{in(2), in(2)}, `there is no function "xor"`},
		{Binary{Add}, []*Value{in(2)}, "takes two operands"},
		{Select{}, []*Value{in(2), in(2), in(3)}, "do not broadcast"},
		{Select{}, []*Value{in(2)}, "takes three operands"},
		{MatMul{}, []*Value{in(2, 3), in(4, 5)}, "inner extents 3 and 4 differ"},
		{MatMul{TransA: true}, []*Value{in(2, 3), in(3, 5)}, "inner extents 2 and 3 differ"},
		{MatMul{}, []*Value{in(2, 3, 4), in(3, 4, 5)}, "batches of 2 and 3 differ"},
		{MatMul{}, []*Value{in(3), in(3)}, "takes two matrices"},
		{Conv2D{unit}, []*Value{image, in(4, 2, 3, 3)}, "images of 3 channels and filters for 2"},
		{Conv2D{unit}, []*Value{image, in(4, 3, 6, 3)},
			"the kernel of 6x3, dilated by 1x1, is larger than the padded image of 5x5"},
		{Conv2D{Window{}}, []*Value{image, filter}, "must be positive"},
		{Conv2D{unit}, []*Value{in(3, 5, 5), filter}, "takes images"},
		{Conv2DGradInput{unit, 5, 5}, []*Value{in(2, 4, 2, 3), filter}, "an image of 5x5 gives 3x3"},
		{Conv2DGradInput{Window{}, 5, 5}, []*Value{in(2, 4, 2, 3), filter}, "must be positive"},
		{Conv2DGradInput{unit, 5, 5}, []*Value{in(2, 3, 3, 3), filter}, "takes gradients"},
		{Conv2DGradFilter{unit, 3, 3}, []*Value{image, in(2, 4, 2, 3)}, "a kernel of 3x3 gives 3x3"},
		{Conv2DGradFilter{unit, 3, 3}, []*Value{image, in(1, 4, 3, 3)}, "of one batch"},
		{Conv2DGradFilter{Window{}, 3, 3}, []*Value{image, in(2, 4, 3, 3)}, "must be positive"},
		{DepthwiseConv2D{unit}, []*Value{image, in(4, 2, 3, 3)}, "images of 3 channels and filters for 4"},
		{DepthwiseConv2D{unit}, []*Value{in(3, 5, 5), filter}, "takes images"},
		{DepthwiseConv2DGradInput{unit, 5, 5}, []*Value{in(2, 6, 2, 3), in(3, 2, 3, 3)}, "an image of 5x5 gives 3x3"},
		{DepthwiseConv2DGradInput{unit, 5, 5}, []*Value{in(2, 5, 3, 3), in(3, 2, 3, 3)}, "takes gradients"},
		{DepthwiseConv2DGradFilter{unit, 3, 3}, []*Value{image, in(2, 4, 3, 3)}, "which is not a multiple"},
		{DepthwiseConv2DGradFilter{unit, 3, 3}, []*Value{image, in(1, 6, 3, 3)}, "of one batch"},
		{pool, []*Value{in(2, 3, 1, 5)}, "larger than the padded image"},
		{pool, []*Value{in(2, 3)}, "takes images"},
		{Pool2D{Kind: "median", KH: 2, KW: 2, Window: unit}, []*Value{image}, `there is no pooling "median"`},
		{Pool2DGrad{pool}, []*Value{image, in(2, 3, 3, 4), in(2, 3, 3, 4)}, "x gives a y of [2, 3, 4, 4]"},
		{Pool2DGrad{pool}, []*Value{image, in(2, 3, 4, 4), in(2, 3, 4)}, "takes x, y and dy"},
		{BatchNorm{}, []*Value{image, in(2), in(3)}, "gamma and beta must have the shape [3]"},
		{BatchNorm{}, []*Value{in(3), in(3), in(3)}, "takes x"},
		{BatchNormGrad{}, []*Value{image, in(3), in(3), in(2), image}, "must have the shape [3]"},
		{BatchNormGrad{}, []*Value{image, in(3), in(3), in(3), in(2, 3, 5)}, "must have one shape"},
		{Reduce{Kind: Sum, Dims: "2"}, []*Value{in(2, 3)}, "has no dimension 2"},
		{Reduce{Kind: "mean"}, []*Value{in(2, 3)}, `there is no reduction "mean"`},
		{Softmax{1}, []*Value{in(2)}, "has no dimension 1"},
		{Reshape{"4"}, []*Value{in(2, 3)}, "cannot become [4]"},
		{Reshape{"-2,-3"}, []*Value{in(2, 3)}, "an extent is negative"},
		{BroadcastTo{"3"}, []*Value{in(2, 3)}, "cannot be repeated to [3]"},
		{BroadcastTo{"2,4"}, []*Value{in(2, 3)}, "do not broadcast"},
		{Transpose{"0,0"}, []*Value{in(2, 3)}, "is not a permutation"},
		{Transpose{"0"}, []*Value{in(2, 3)}, "does not fit"},
		{Slice{1, 2, 4}, []*Value{in(2, 3)}, "has no range [2, 4) in dimension 1"},
		{Pad{0, -1, 0}, []*Value{in(2, 3)}, "cannot be padded"},
		{Concat{0}, []*Value{in(2, 3), in(2, 4)}, "dimension 1 differs"},
		{Concat{0}, []*Value{in(2, 3), in(2)}, "ranks differ"},
		{Concat{2}, []*Value{in(2, 3)}, "has no dimension 2"},
		{StopGradient{}, []*Value{in(2), in(2)}, "takes one operand"},
		{WithGradient{}, []*Value{in(), in(2), in(3)}, "a gradient of x's shape"},
		{WithGradient{}, []*Value{in(3), in(2), in(2)}, "neither a scalar nor"},
		{Random{1, "2"}, []*Value{in(2)}, "takes no operand"},
	}
	for _, c := range cases {
		var e *ShapeError
		err := Try(func() { b.Apply(c.op, c.in...) })
		if !errors.As(err, &e) || !strings.Contains(e.Error(), c.want) || !strings.Contains(e.Op, c.op.Name()) {
			t.Errorf("%s%+v: error = %v, want %q", c.op.Name(), c.op, err, c.want)
		}
	}
	b.Input("x", 2, 3)
	b.Store(Update, 0, in(4))
	for want, f := range map[string]func(){
		"declared twice":              func() { b.Input("x", 3, 2) },
		"an extent is negative":       func() { b.Input("y", -1) },
		"2 values":                    func() { b.Const([]float64{1, 2}, 3) },
		"the ranges overlap":          func() { b.Store(Update, 3, in(2)) },
		"no gradient of second order": func() { secondOrder(b, b.Apply(pool, image), image) },
		"there is no gradient of second ord": func() {
			secondOrder(b, b.ApplyAll(BatchNorm{}, image, in(3), in(3))[0],
				image)
		},
	} {
		var e *ShapeError
		if err := Try(f); !errors.As(err, &e) || !strings.Contains(e.Error(), want) {
			t.Errorf("error = %v, want %q", err, want)
		}
	}
	if err := Try(func() { b.Store(Update, 4, in(2)) }); err != nil {
		t.Errorf("a store beside another one: %v", err)
	}
}

func secondOrder(b *Builder, y, x *Value) {
	g := b.Gradients(b.Unary(Square, y), nil, []*Value{x})
	b.Gradients(g[0], nil, []*Value{x})
}

func TestTryPassesOtherPanics(t *testing.T) {
	defer func() {
		if recover() != "other" {
			t.Error("the panic was swallowed")
		}
	}()
	_ = Try(func() { panic("other") })
}

func TestNoGradientWhereNothingDepends(t *testing.T) {
	b := NewBuilder()
	x, z := b.Input("x", 2), b.Input("z", 2)
	g := b.Gradients(b.Add(b.Unary(Exp, x), b.StopGradient(z)), nil, []*Value{x, z})
	if g[0] == nil || g[1] != nil {
		t.Errorf("gradients %v", g)
	}
}
