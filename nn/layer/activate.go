package layer

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// Activate applies an activation function to its input, which may have any type (Deeplearning4j: ActivationLayer).
type Activate struct {
	Bare
	Activation activation.Activation `dl4j:"activationFn"`
}

// Complete fills in settings that are left open.
func (l Activate) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare = l.Bare.Completed(d)
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	return l, nil
}

// OutputType is the type of the input.
func (l Activate) OutputType(in []inputtype.Type) (inputtype.Type, error) { return Single(in) }

// Forward applies the activation.
func (l Activate) Forward(c *Context, in []Activation) Activation {
	out := in[0]
	out.Value = c.Activate(l.Activation, out.Value)
	return out
}
