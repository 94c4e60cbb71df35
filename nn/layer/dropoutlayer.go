package layer

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/regularization"
)

// Dropout applies Base.Dropout to its input, in training. The activation in files has no effect, as in Deeplearning4j
// (DropoutLayer).
type Dropout struct {
	Base
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"`
}

// NewDropout returns a layer that keeps each element of the input with probability p, in training.
func NewDropout(p float64) Dropout { return Dropout{Base: Base{Dropout: regularization.NewDropout(p)}} }

// Complete fills in settings that are left open.
func (l Dropout) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	base, err := l.Base.Completed(d)
	l.Base = base
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	return l, err
}

// Preprocessor returns nil: none is needed.
func (l Dropout) Preprocessor(inputtype.Type) Preprocessor { return nil }

// OutputType is the type of the input.
func (l Dropout) OutputType(in []inputtype.Type) (inputtype.Type, error) { return Single(in) }

// Params is empty.
func (l Dropout) Params() []Param { return nil }

// Forward returns its input: the dropout has been applied before it. A mask [batch, 1] multiplies vectors.
func (l Dropout) Forward(c *Context, in []Activation) Activation {
	out := in[0]
	if out.Type.Kind == inputtype.FeedForwardKind {
		out.Value = c.Mask(out.Value, out.Mask)
	}
	return out
}
