package program

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// BatchNorm normalises x [batch, channels, …] per channel by the minibatch's own statistics, over every dimension
// except the second: (x, gamma [channels], beta [channels]) → y, mean [channels], variance [channels].
//
//	y = gamma·(x − mean)/sqrt(variance + Eps) + beta
//
// variance is the population variance. No gradient flows through the results mean and variance.
type BatchNorm struct{ Eps float64 }

// Name is "batchnorm".
func (o BatchNorm) Name() string { return "batchnorm" }

// Infer returns x's shape and two vectors.
func (o BatchNorm) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 3 || len(in[0]) < 2 {
		return nil, fmt.Errorf("takes x [batch, channels, …], gamma and beta [channels]")
	}
	c := tensor.Shape{in[0][1]}
	if !in[1].Equal(c) || !in[2].Equal(c) {
		return nil, fmt.Errorf("gamma and beta must have the shape %v", c)
	}
	return []tensor.Shape{in[0], c, c}, nil
}

// Grad is BatchNormGrad; no gradient flows from mean and variance.
func (o BatchNorm) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	if dout[0] == nil {
		return []*Value{nil, nil, nil}
	}
	return b.ApplyAll(BatchNormGrad(o), n.In[0], n.In[1], n.Out[1], n.Out[2], dout[0])
}

// BatchNormGrad computes dx, dgamma and dbeta from (x, gamma, mean, variance, dy):
//
//	dbeta = Σ dy;  dgamma = Σ dy·x̂;  dx = gamma/sqrt(variance + Eps) · (dy − dbeta/m − x̂·dgamma/m)
//
// with x̂ the normalised x and m the number of elements of a channel.
type BatchNormGrad struct{ Eps float64 }

// Name is "batchnorm-grad".
func (o BatchNormGrad) Name() string { return "batchnorm-grad" }

// Infer returns the shapes of x, gamma and beta.
func (o BatchNormGrad) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 5 {
		return nil, fmt.Errorf("takes x, gamma, mean, variance and dy")
	}
	x, dy := in[0], in[4]
	if len(x) < 2 || !dy.Equal(x) {
		return nil, fmt.Errorf("x [batch, channels, …] and dy must have one shape")
	}
	for _, s := range in[1:4] {
		if c := (tensor.Shape{x[1]}); !s.Equal(c) {
			return nil, fmt.Errorf("gamma, mean and variance must have the shape %v", c)
		}
	}
	return []tensor.Shape{x, in[1], in[1]}, nil
}

// Grad panics with a *[ShapeError]: no network needs a gradient of second order.
func (o BatchNormGrad) Grad(_ *Builder, n *Node, _ []*Value) []*Value { panic(noGradient(n)) }
