package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
)

// ElementWise multiplies each element by its own weight: x [batch, n] → act(x∘W + b) [batch, n] (Deeplearning4j:
// misc.ElementWiseMultiplicationLayer).
type ElementWise struct {
	Base
	// NIn and NOut are equal. If one is 0, it follows from the other or from the input type.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"`
}

// Sizes returns nIn and nOut.
func (l ElementWise) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// InputType is rows of nIn.
func (l ElementWise) InputType() inputtype.Type { return RowInput(l.NIn) }

// Complete fills in settings that are left open.
func (l ElementWise) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	base, err := l.Base.Completed(d)
	if err != nil {
		return nil, err
	}
	l.Base = base
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	if l.NIn, err = RowSize(l.NIn, in); err != nil {
		return nil, err
	}
	if l.NIn == 0 {
		l.NIn = l.NOut
	}
	if l.NOut == 0 {
		l.NOut = l.NIn
	}
	if err := positive(l.NIn, l.NOut); err != nil {
		return nil, err
	}
	if l.NIn != l.NOut {
		return nil, fmt.Errorf("nIn is %d and nOut %d: an element-wise multiplication has as many outputs as inputs", l.NIn,
			l.NOut)
	}
	return l, l.WeightInit.Validate([]int{l.NIn, 1})
}

// Preprocessor flattens images.
func (l ElementWise) Preprocessor(in inputtype.Type) Preprocessor { return ToRows(in) }

// OutputType is a vector of nOut.
func (l ElementWise) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return RowOutput(in, l.NIn, l.NOut)
}

// Params are W [1, nIn] and b [nIn].
func (l ElementWise) Params() []Param {
	w := l.Weight(Param{Name: "W", Shape: []int{1, l.NIn}, Order: 'f',
		Init: Drawn(l.WeightInit, []int{l.NIn, 1}, weights.FanInOut{In: float64(l.NIn), Out: float64(l.NOut)})})
	return noiseless([]Param{w, l.Bias("b", l.NIn)})
}

// Forward emits the formula. A mask [batch, 1] multiplies pre-activations and activations.
func (l ElementWise) Forward(c *Context, in []Activation) Activation {
	z := c.Mul(in[0].Value, c.Reshape(c.Params["W"], l.NIn))
	z = c.Mask(c.Add(z, c.Params["b"]), in[0].Mask)
	a := c.Activate(l.Activation, z)
	return Activation{c.Mask(a, in[0].Mask), in[0].Mask, inputtype.FeedForward(l.NOut)}
}

func init() {
	Classes.Register(javaPackage+"misc.ElementWiseMultiplicationLayer", func() Layer { return ElementWise{} })
}
