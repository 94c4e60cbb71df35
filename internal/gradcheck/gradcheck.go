// Package gradcheck compares the gradients that package program derives with differences of the function's values, in
// float64 on the naive executor, for functions and for whole networks. It is for tests.
package gradcheck

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

const (
	// Tolerance bounds |derived − measured| / max(|derived|, |measured|, smallest).
	Tolerance = 1e-6
	smallest  = 1e-3
	// The fourth-order difference with this step has an error of about 1e-12 for values near 1. Functions must be
	// smooth within twice the step of their operands.
	step = 1e-4
)

// Tensor is an operand.
type Tensor struct {
	Shape tensor.Shape
	Data  []float64
}

// Uniform returns random elements of [lo, hi).
func Uniform(seed uint64, lo, hi float64, shape ...int) Tensor {
	t := Tensor{tensor.Shape(shape).Clone(), make([]float64, tensor.Shape(shape).Size())}
	r := random.NewSource(seed)
	for i := range t.Data {
		t.Data[i] = lo + (hi-lo)*r.Float64()
	}
	return t
}

// Distinct returns elements of (-1, 1) in random order, at least 0.7/size apart from each other and from 0.
func Distinct(seed uint64, shape ...int) Tensor {
	t := Tensor{tensor.Shape(shape).Clone(), make([]float64, tensor.Shape(shape).Size())}
	n := len(t.Data)
	for i, k := range random.Permutation(seed, n) {
		t.Data[i] = 2 * (float64(k-n/2) + 0.37) / float64(n)
	}
	return t
}

// Function checks the gradients of f by each operand; the result's elements are summed with random weights. It returns
// the program that it ran, forward and backward.
func Function(f func(b *program.Builder, x []*program.Value) *program.Value, operands ...Tensor) (*program.Program,
	error) {
	declare := func(b *program.Builder) (x []*program.Value, y *program.Value) {
		for i, t := range operands {
			x = append(x, b.Input(fmt.Sprintf("x%d", i), t.Shape...))
		}
		return x, f(b, x)
	}
	b := program.NewBuilder()
	_, y := declare(b)
	b.Output("y", y)
	forward, err := naive.Compile[float64](b.Build())
	if err != nil {
		return nil, err
	}
	weights := Uniform(uint64(y.Shape.Size()), 0.5, 1.5, y.Shape...)

	b = program.NewBuilder()
	x, y := declare(b)
	b.Output("y", y)
	grads := b.Gradients(y, b.Const(weights.Data, y.Shape...), x)
	for i, g := range grads {
		if g != nil {
			b.Output(fmt.Sprintf("dx%d", i), g)
		}
	}
	p := b.Build()
	backward, err := naive.Compile[float64](p)
	if err != nil {
		return nil, err
	}

	bind := &naive.Bindings[float64]{}
	for _, t := range operands {
		bind.Inputs = append(bind.Inputs, append([]float64(nil), t.Data...))
	}
	if err := backward.Run(bind); err != nil {
		return nil, err
	}
	value := func() (float64, error) {
		if err := forward.Run(bind); err != nil {
			return 0, err
		}
		sum := 0.0
		for i, y := range forward.Output(0) {
			sum += y * weights.Data[i]
		}
		return sum, nil
	}
	for i, t := range operands {
		derived := make([]float64, len(t.Data)) // without a gradient it is 0
		if k := p.Output(fmt.Sprintf("dx%d", i)); k >= 0 {
			copy(derived, backward.Output(k))
		}
		if err := compare(derived, bind.Inputs[i], value); err != nil {
			return nil, fmt.Errorf("operand %d of shape %v: %w", i, t.Shape, err)
		}
	}
	return p, nil
}

// compare measures the derivative of value by each element of x, and returns an error that names the worst difference.
func compare(derived, x []float64, value func() (float64, error)) error {
	worst := 0.0
	var report error
	for i := range x {
		was := x[i]
		var f [4]float64
		for k, at := range [4]float64{-2, -1, 1, 2} {
			x[i] = was + at*step
			v, err := value()
			if err != nil {
				return err
			}
			f[k] = v
		}
		x[i] = was
		measured := (8*(f[2]-f[1]) - (f[3] - f[0])) / (12 * step)
		err := math.Abs(derived[i]-measured) / max(math.Abs(derived[i]), math.Abs(measured), smallest)
		if !(err <= Tolerance) && !(err <= worst) {
			worst = err
			report = fmt.Errorf("the gradient of element %d is %.9g, by differences %.9g (relative error %.2g)", i, derived[i],
				measured, err)
		}
	}
	return report
}
