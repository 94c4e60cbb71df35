package layer

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

// Dense is a fully connected layer: x [batch, nIn] → act(x·W + b) [batch, nOut] (Deeplearning4j: DenseLayer). Images
// are flattened before it.
type Dense struct {
	Base
	// NIn follows from the input type if it is 0.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"`
	NoBias     Not                   `dl4j:"hasBias"`
	// LayerNorm normalises the pre-activations of each row to mean 0 and variance 1, before a gain g and the bias (Ba,
	// Kiros and Hinton, "Layer normalization", 2016). There is no epsilon: a row of equal values becomes 0, and no
	// gradient passes through it.
	LayerNorm bool `dl4j:"hasLayerNorm"`
}

// Sizes returns nIn and nOut.
func (l Dense) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// InputType is rows of nIn.
func (l Dense) InputType() inputtype.Type { return RowInput(l.NIn) }

// Complete fills in settings that are left open.
func (l Dense) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	base, err := l.Base.Completed(d)
	if err != nil {
		return nil, err
	}
	l.Base = base
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	l.NIn, err = RowSize(l.NIn, in)
	if err == nil {
		err = l.CheckMatrix(l.NIn, l.NOut)
	}
	return l, err
}

// Preprocessor flattens images.
func (l Dense) Preprocessor(in inputtype.Type) Preprocessor { return ToRows(in) }

// OutputType is a vector of nOut.
func (l Dense) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return RowOutput(in, l.NIn, l.NOut)
}

// Params are W [nIn, nOut], b [nOut] and the gain g [nOut].
func (l Dense) Params() []Param {
	ps := affineParams(l.Base, l.NIn, l.NOut, l.NoBias)
	if l.LayerNorm {
		ps = append(ps, l.gain(l.NOut))
	}
	return ps
}

// Forward emits the formula. A mask [batch, 1] multiplies pre-activations and activations.
func (l Dense) Forward(c *Context, in []Activation) Activation {
	z := c.MatMulT(in[0].Value, c.Params["W"])
	if l.LayerNorm {
		z = c.Mul(normaliseRows(c.Builder, z), c.Params["g"])
	}
	if !l.NoBias {
		z = c.Add(z, c.Params["b"])
	}
	z = c.Mask(z, in[0].Mask)
	a := c.Activate(l.Activation, z)
	return Activation{c.Mask(a, in[0].Mask), in[0].Mask, inputtype.FeedForward(l.NOut)}
}

// normaliseRows returns (z − mean)/std of each row, with the population's std; 0 where std is 0.
func normaliseRows(c *program.Builder, z *program.Value) *program.Value {
	n := c.Fill(float64(z.Shape[1]))
	z, _ = program.Scaled(c, z, 1) // the quotient does not depend on the scale
	mean := c.Div(c.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(1), Keep: true}, z), n)
	centred := c.Sub(z, mean)
	squares := c.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(1), Keep: true},
		c.Unary(program.Square, centred))
	variance := c.Div(squares, n)
	flat := c.Binary(program.Equal, variance, c.Fill(0))
	factor := c.Div(c.Fill(1), c.Unary(program.Sqrt, c.Select(flat, c.Fill(1), variance)))
	return c.Mul(centred, c.Select(flat, c.Fill(0), factor))
}

func affineParams(b Base, nIn, nOut int, noBias Not) []Param {
	if noBias {
		return []Param{b.Matrix("W", nIn, nOut)}
	}
	return []Param{b.Matrix("W", nIn, nOut), b.Bias("b", nOut)}
}
