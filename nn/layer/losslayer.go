package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Loss is an output layer without parameters: x [batch, n] → act(x), compared with labels [batch, n]
// (Deeplearning4j: LossLayer).
type Loss struct {
	Base
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"` // ignored; Deeplearning4j writes 0
	Activation activation.Activation `dl4j:"activationFn"`
	Loss       loss.Loss             `dl4j:"lossFn"`
}

// Complete fills in settings that are left open.
func (l Loss) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
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
	if l.NIn == 0 {
		return l, nil
	}
	return l, l.Loss.Validate(l.NIn, l.Activation)
}

// MeansScore marks the layer as a [MeanScorer].
func (Loss) MeansScore() {}

// CheckLoss checks that activation and loss go together.
func (l Loss) CheckLoss() error { return loss.ValidateOutputLayer(l.Loss, l.Activation, l.NIn, false) }

// Preprocessor flattens images.
func (l Loss) Preprocessor(in inputtype.Type) Preprocessor { return ToRows(in) }

// OutputType is the type of the input.
func (l Loss) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := Single(in)
	if err == nil && (t.Kind != inputtype.FeedForwardKind || l.NIn > 0 && t.Size != l.NIn) {
		err = fmt.Errorf("takes vectors of %d (nIn), got %v", l.NIn, t)
	}
	return t, err
}

// Params is empty.
func (l Loss) Params() []Param { return nil }

// Forward applies the activation, and a mask [batch, 1] after it.
func (l Loss) Forward(c *Context, in []Activation) Activation {
	a := c.Activate(l.Activation, in[0].Value)
	return Activation{c.Mask(a, in[0].Mask), in[0].Mask, in[0].Type}
}

// Score emits the loss of each row. Without a label mask, the mask of the inputs applies, as in Deeplearning4j.
func (l Loss) Score(c *Context, in []Activation, labels, mask *program.Value) *program.Value {
	if mask == nil {
		mask = in[0].Mask
	}
	return l.Loss.Rows(c.Builder, labels, in[0].Value, l.Activation, mask)
}

// LabelShape is [batch, n], or [batch, 1] for class numbers.
func (l Loss) LabelShape(out inputtype.Type, batch int) tensor.Shape {
	return tensor.Shape{batch, l.Loss.Labels(out.Elements())}
}
