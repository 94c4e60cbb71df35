package vertex

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
)

// Scale is Factor · x (Deeplearning4j: ScaleVertex).
type Scale struct {
	Factor float64 `dl4j:"scaleFactor"` // 1 if a literal leaves it out
	meant  bool    // see package literal
}

// MarshalTree writes the default if a literal leaves the factor out.
func (v Scale) MarshalTree() (any, error) {
	return dl4j.Object{{Name: "scaleFactor", Value: literal.Or(v.Factor, 1, v.meant)}}, nil
}

// AfterRead notes that a zero from a file is intended.
func (v *Scale) AfterRead() { v.meant = v.Factor == 0 }

// OutputType is the type of the input.
func (v Scale) OutputType(in []inputtype.Type) (inputtype.Type, error) { return only(in) }

// Forward emits the product.
func (v Scale) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	a := in[0]
	a.Value = c.Mul(a.Value, c.Fill(literal.Or(v.Factor, 1, v.meant)))
	return a
}

// Shift is x + By (Deeplearning4j: ShiftVertex).
type Shift struct {
	By float64 `dl4j:"shiftFactor"`
}

// OutputType is the type of the input.
func (v Shift) OutputType(in []inputtype.Type) (inputtype.Type, error) { return only(in) }

// Forward emits the sum.
func (v Shift) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	a := in[0]
	a.Value = c.Add(a.Value, c.Fill(v.By))
	return a
}

// only returns the type of the single input.
func only(in []inputtype.Type) (inputtype.Type, error) {
	if err := inputs(in, 1, 1); err != nil {
		return inputtype.Type{}, err
	}
	return in[0], nil
}

func init() {
	Classes.Register(javaPackage+"ScaleVertex", func() Vertex { return Scale{Factor: 1} })
	Classes.Register(javaPackage+"ShiftVertex", func() Vertex { return Shift{} })
}
