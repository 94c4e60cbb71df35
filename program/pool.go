package program

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// PoolKind says how a pooling window is combined.
type PoolKind string

// The pooling kinds. MaxPool ignores the padding and returns NaN if the window holds one. AveragePool divides by the
// number of cells inside the image, or with IncludePad by the window's size. A window without a cell of the image
// gives 0.
const (
	MaxPool     PoolKind = "max"
	AveragePool PoolKind = "average"
)

// Pool2D combines windows of KH by KW of images x [batch, channels, h, w] → [batch, channels, oh, ow].
type Pool2D struct {
	Kind       PoolKind
	KH, KW     int
	Window     Window
	IncludePad bool
}

// Name is "pool2d".
func (o Pool2D) Name() string { return "pool2d" }

// Infer returns [batch, channels, oh, ow].
func (o Pool2D) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 1 || len(in[0]) != 4 {
		return nil, fmt.Errorf("takes images [batch, channels, height, width]")
	}
	x := in[0]
	if o.Kind != MaxPool && o.Kind != AveragePool {
		return nil, fmt.Errorf("there is no pooling %q", o.Kind)
	}
	if err := o.Window.check(x[2], x[3], o.KH, o.KW); err != nil {
		return nil, err
	}
	oh, ow := o.Window.Out(x[2], x[3], o.KH, o.KW)
	return []tensor.Shape{{x[0], x[1], oh, ow}}, nil
}

// Grad is Pool2DGrad.
func (o Pool2D) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	return []*Value{b.Apply(Pool2DGrad{o}, n.In[0], n.Out[0], dout[0])}
}

// Pool2DGrad computes dx from (x, y, dy). The gradient of MaxPool goes to the first cell, in row-major order, that
// equals the maximum. That of AveragePool goes to all cells in equal parts.
type Pool2DGrad struct{ Pool Pool2D }

// Name is "pool2d-grad".
func (o Pool2DGrad) Name() string { return "pool2d-grad" }

// Infer returns x's shape.
func (o Pool2DGrad) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 3 || !in[1].Equal(in[2]) {
		return nil, fmt.Errorf("takes x, y and dy of y's shape")
	}
	y, err := o.Pool.Infer(in[:1])
	if err != nil {
		return nil, err
	}
	if !y[0].Equal(in[1]) {
		return nil, fmt.Errorf("x gives a y of %v", y[0])
	}
	return in[:1], nil
}

// Grad panics with a *[ShapeError]: no network needs a gradient of second order.
func (o Pool2DGrad) Grad(_ *Builder, n *Node, _ []*Value) []*Value { panic(noGradient(n)) }
