package layer

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// LayerNormalization normalises each example separately, along some dimensions: y = γ·(x − μ)/sqrt(σ² + Eps) + β, with
// mean and population variance of the elements (Ba, Kiros and Hinton, "Layer normalization", 2016). It is Keras'
// layer.
//
// Deeplearning4j differs: it only has layer normalisation within Dense and SimpleRnn, and without Eps.
type LayerNormalization struct {
	Base
	// Axes are the normalised dimensions of arrays, 1 or above, ascending.
	Axes []int `dl4j:"axes"`
	// Shape holds the extents along Axes. It is the shape of γ and β.
	Shape []int   `dl4j:"shape"`
	Eps   float64 `dl4j:"eps"` // 10⁻³ if it is 0
	// NoScale and NoCenter leave γ and β out.
	NoScale  Not `dl4j:"scale"`
	NoCenter Not `dl4j:"center"`
}

// Complete fills in settings that are left open.
func (l LayerNormalization) Complete(d Defaults, in []inputtype.Type) (_ Layer, err error) {
	if l.Base, err = l.Base.Completed(d); err != nil {
		return nil, err
	}
	if l.Eps == 0 {
		l.Eps = 1e-3
	}
	if !(l.Eps > 0) {
		return nil, fmt.Errorf("eps is %g: it must be positive", l.Eps)
	}
	if _, err := Single(in); err != nil {
		return nil, err
	}
	if len(l.Axes) == 0 || len(l.Axes) != len(l.Shape) || !slices.IsSorted(l.Axes) || l.Axes[0] < 1 ||
		len(slices.Compact(slices.Clone(l.Axes))) != len(l.Axes) {
		return nil, fmt.Errorf("axes are %v and shape %v: there must be equally many, axes ascending from 1 on", l.Axes,
			l.Shape)
	}
	for _, n := range l.Shape {
		if n < 1 {
			return nil, fmt.Errorf("shape is %v: extents must be positive", l.Shape)
		}
	}
	_, err = tensor.Shape(l.Shape).CheckedSize(1 << 31)
	return l, err
}

// Preprocessor returns nil: none is needed.
func (l LayerNormalization) Preprocessor(inputtype.Type) Preprocessor { return nil }

// OutputType is the type of the input.
func (l LayerNormalization) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := Single(in)
	if err != nil {
		return t, err
	}
	s := t.Shape(1)
	for i, d := range l.Axes {
		if d >= len(s) || s[d] != 0 && s[d] != l.Shape[i] {
			return t, fmt.Errorf("takes arrays with the extents %v along the dimensions %v, got %v", l.Shape, l.Axes, t)
		}
	}
	return t, nil
}

// Params are gamma and beta, of the shape Shape, unless NoScale or NoCenter leaves them out.
func (l LayerNormalization) Params() []Param {
	var ps []Param
	add := func(name string, initial float64) {
		p := l.Scale(name, 1, initial)
		p.Shape, p.Order = slices.Clone(l.Shape), 'c'
		ps = append(ps, p)
	}
	if !l.NoScale {
		add("gamma", 1)
	}
	if !l.NoCenter {
		add("beta", 0)
	}
	return ps
}

// Forward emits the formula.
func (l LayerNormalization) Forward(c *Context, in []Activation) Activation {
	out := in[0]
	x := out.Value
	shape := make([]int, len(x.Shape)) // the shape that broadcasts γ and β over x
	for i := range shape {
		shape[i] = 1
	}
	for i, d := range l.Axes {
		shape[d] = l.Shape[i]
	}
	n := c.Fill(float64(tensor.Shape(l.Shape).Size()))
	mean := func(v *program.Value) *program.Value {
		return c.Div(c.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(l.Axes...), Keep: true}, v), n)
	}
	x, by := program.Shrunk(c.Builder, x, l.Axes...)
	eps := c.Div(c.Fill(l.Eps), c.Unary(program.Square, by))
	centred := c.Sub(x, mean(x))
	variance := mean(c.Unary(program.Square, centred))
	y := c.Div(centred, c.Unary(program.Sqrt, c.Add(variance, eps)))
	if !l.NoScale {
		y = c.Mul(y, c.Reshape(c.Params["gamma"], shape...))
	}
	if !l.NoCenter {
		y = c.Add(y, c.Reshape(c.Params["beta"], shape...))
	}
	out.Value = y
	return out
}

func init() {
	Classes.Register(ownPackage+"LayerNormalization", func() Layer { return LayerNormalization{} })
}
