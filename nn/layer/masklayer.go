package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
)

// Mask sets masked values to 0: x∘mask, by row for vectors, by step for sequences (Deeplearning4j: util.MaskLayer).
// Without a mask it returns its input.
type Mask struct{ Bare }

// Complete fills in settings that are left open.
func (l Mask) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare = l.Bare.Completed(d)
	_, err := Single(in)
	return l, err
}

// OutputType is the type of the input.
func (l Mask) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := Single(in)
	if err == nil && t.Kind == inputtype.Unknown {
		err = fmt.Errorf("takes vectors, sequences or images, got %v", t)
	}
	return t, err
}

// Forward multiplies by the mask.
func (l Mask) Forward(c *Context, in []Activation) Activation {
	out := in[0]
	if m := out.Mask; m != nil {
		switch shape := out.Value.Shape; len(shape) {
		case 3:
			m = c.Reshape(m, shape[0], 1, m.Shape.Size()/shape[0])
		case 4:
			m = c.Reshape(m, shape[0], 1, 1, m.Shape.Size()/shape[0])
		}
		out.Value = c.Mul(out.Value, m)
	}
	return out
}

func init() { Classes.Register(javaPackage+"util.MaskLayer", func() Layer { return Mask{} }) }
