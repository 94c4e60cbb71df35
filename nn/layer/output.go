package layer

import (
	"errors"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

var errNoLoss = errors.New("it has no Loss; set one, such as loss.NewMCXENT() with activation.Softmax{}")

// Output is a fully connected layer with a loss: x [batch, nIn] → act(x·W + b) [batch, nOut], compared with labels
// [batch, nOut] (Deeplearning4j: OutputLayer).
type Output struct {
	Base
	// NIn follows from the input type if it is 0.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"`
	Loss       loss.Loss             `dl4j:"lossFn"`
	NoBias     Not                   `dl4j:"hasBias"`
}

// Sizes returns nIn and nOut.
func (l Output) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// InputType is rows of nIn.
func (l Output) InputType() inputtype.Type { return RowInput(l.NIn) }

// Complete fills in settings that are left open.
func (l Output) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
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
	if l.Loss == nil {
		return nil, errNoLoss
	}
	if err := l.CheckMatrix(l.NIn, l.NOut); err != nil {
		return nil, err
	}
	return l, l.Loss.Validate(l.NOut, l.Activation)
}

// CheckLoss checks that activation and loss go together.
func (l Output) CheckLoss() error {
	return loss.ValidateOutputLayer(l.Loss, l.Activation, l.NOut, true)
}

// Preprocessor flattens images.
func (l Output) Preprocessor(in inputtype.Type) Preprocessor { return ToRows(in) }

// OutputType is a vector of nOut.
func (l Output) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return RowOutput(in, l.NIn, l.NOut)
}

// Params are W [nIn, nOut] and b [nOut].
func (l Output) Params() []Param { return affineParams(l.Base, l.NIn, l.NOut, l.NoBias) }

func (l Output) preOutput(c *Context, in Activation) *program.Value {
	z := c.MatMulT(in.Value, c.Params["W"])
	if !l.NoBias {
		z = c.Add(z, c.Params["b"])
	}
	return z
}

// Forward emits the formula. A mask [batch, 1] or [batch, nOut] multiplies pre-activations and activations.
func (l Output) Forward(c *Context, in []Activation) Activation {
	z := c.Mask(l.preOutput(c, in[0]), in[0].Mask)
	a := c.Activate(l.Activation, z)
	return Activation{c.Mask(a, in[0].Mask), in[0].Mask, inputtype.FeedForward(l.NOut)}
}

// Score emits the loss of each row. Without a label mask, the mask of the inputs applies. As in Deeplearning4j, the
// mask multiplies the pre-activations, too, but not their gradient. That makes a difference if masks are neither 0 nor
// 1, and if single outputs of a softmax are masked.
func (l Output) Score(c *Context, in []Activation, labels, mask *program.Value) *program.Value {
	if mask == nil {
		mask = in[0].Mask
	}
	z := l.preOutput(c, in[0])
	if mask != nil {
		z = c.WithGradient(c.Mask(z, mask), z, c.Fill(1, z.Shape...))
	}
	return l.Loss.Rows(c.Builder, labels, z, l.Activation, mask)
}

// LabelShape is [batch, nOut], or [batch, 1] for class numbers.
func (l Output) LabelShape(out inputtype.Type, batch int) tensor.Shape {
	return tensor.Shape{batch, l.Loss.Labels(l.NOut)}
}
