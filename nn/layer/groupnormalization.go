package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// GroupNormalization normalises each example separately, in groups of channels: y = γ·(x − μ)/sqrt(σ² + Eps) + β, with
// mean and population variance over the channels of a group and all steps or pixels (Wu and He, "Group normalization",
// 2018). As many groups as channels are instance normalisation. Masked steps count, too.
//
// Deeplearning4j differs: it has no such layer.
type GroupNormalization struct {
	Base
	// NIn is the number of channels; if it is 0, it follows from the input type.
	NIn    int     `dl4j:"nin"`
	Groups int     `dl4j:"groups"` // divides the number of channels; 1 if it is 0
	Eps    float64 `dl4j:"eps"`    // 10⁻⁵ if it is 0
	// NoScale and NoCenter leave γ and β out.
	NoScale  Not `dl4j:"scale"`
	NoCenter Not `dl4j:"center"`
}

// channelsOf returns the number of features or channels of arrays of a type, and their dimension.
func channelsOf(t inputtype.Type) (count, dim int) {
	s := t.Shape(1)
	dim = 1
	if t.UnitsLast() {
		dim = len(s) - 1
	}
	return s[dim], dim
}

// Complete fills in settings that are left open.
func (l GroupNormalization) Complete(d Defaults, in []inputtype.Type) (_ Layer, err error) {
	if l.Base, err = l.Base.Completed(d); err != nil {
		return nil, err
	}
	if l.Eps == 0 {
		l.Eps = 1e-5
	}
	if !(l.Eps > 0) {
		return nil, fmt.Errorf("eps is %g: it must be positive", l.Eps)
	}
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	if l.Groups == 0 {
		l.Groups = 1
	}
	if l.NIn == 0 && t.Kind != inputtype.Unknown {
		l.NIn, _ = channelsOf(t)
	}
	if l.NIn < 1 || l.Groups < 1 || l.NIn%l.Groups != 0 {
		return nil, fmt.Errorf("nIn is %d and groups is %d: groups must divide the channels", l.NIn, l.Groups)
	}
	return l, nil
}

// Sizes returns the number of channels twice.
func (l GroupNormalization) Sizes() (nIn, nOut int) { return l.NIn, l.NIn }

// Preprocessor returns nil: none is needed.
func (l GroupNormalization) Preprocessor(inputtype.Type) Preprocessor { return nil }

// OutputType is the type of the input.
func (l GroupNormalization) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := Single(in)
	if err != nil || t.Kind == inputtype.Unknown {
		return t, err
	}
	if n, _ := channelsOf(t); n != l.NIn {
		return t, fmt.Errorf("takes %d channels, got %v", l.NIn, t)
	}
	return t, nil
}

// Params are gamma and beta [channels], unless NoScale or NoCenter leaves them out.
func (l GroupNormalization) Params() []Param {
	var ps []Param
	if !l.NoScale {
		ps = append(ps, l.Scale("gamma", l.NIn, 1))
	}
	if !l.NoCenter {
		ps = append(ps, l.Scale("beta", l.NIn, 0))
	}
	return ps
}

// Forward emits the formula.
func (l GroupNormalization) Forward(c *Context, in []Activation) Activation {
	out := in[0]
	_, dim := channelsOf(out.Type)
	if dim == 1 {
		out.Value = l.normalized(c, out.Value)
		return out
	}
	there, back := []int{0, dim}, []int{0} // to channels first
	for d := 1; d < dim; d++ {
		there, back = append(there, d), append(back, d+1)
	}
	out.Value = c.Transpose(l.normalized(c, c.Transpose(out.Value, there...)), append(back, 1)...)
	return out
}

// normalized emits the formula for [batch, channels, …].
func (l GroupNormalization) normalized(c *Context, x *program.Value) *program.Value {
	s := x.Shape
	inner := tensor.Shape(s[1:]).Size() / l.Groups
	shape := make([]int, len(s)) // of γ and β
	for i := range shape {
		shape[i] = 1
	}
	shape[1] = s[1]
	groups := c.Reshape(x, s[0], l.Groups, inner)
	mean := func(v *program.Value) *program.Value {
		return c.Div(c.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(2), Keep: true}, v),
			c.Fill(float64(inner)))
	}
	shrunk, by := program.Shrunk(c.Builder, groups, 2)
	eps := c.Div(c.Fill(l.Eps), c.Unary(program.Square, by))
	centred := c.Sub(shrunk, mean(shrunk))
	variance := mean(c.Unary(program.Square, centred))
	y := c.Reshape(c.Div(centred, c.Unary(program.Sqrt, c.Add(variance, eps))), s...)
	if !l.NoScale {
		y = c.Mul(y, c.Reshape(c.Params["gamma"], shape...))
	}
	if !l.NoCenter {
		y = c.Add(y, c.Reshape(c.Params["beta"], shape...))
	}
	return y
}

func init() {
	Classes.Register(ownPackage+"GroupNormalization", func() Layer { return GroupNormalization{} })
}
