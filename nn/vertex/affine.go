package vertex

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Affine is (x − Center)·Factor + Offset, with fixed numbers that are repeated along the dimensions where Shape is 1.
// It implements Keras' layers Rescaling and Normalization.
//
// Deeplearning4j differs: it has no such vertex; ScaleVertex and ShiftVertex have single numbers.
type Affine struct {
	// Shape is the shape of Center, Factor and Offset, aligned at the last dimension of arrays.
	Shape []int `dl4j:"shape"`
	// Center, Factor and Offset are in C order. Nil means 0, 1 and 0.
	Center []float64 `dl4j:"center"`
	Factor []float64 `dl4j:"factor"`
	Offset []float64 `dl4j:"offset"`
}

// OutputType is the type of the input.
func (v Affine) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := only(in)
	if err != nil {
		return t, err
	}
	n, err := tensor.Shape(v.Shape).CheckedSize(1 << 24)
	if err != nil {
		return t, err
	}
	for _, list := range [][]float64{v.Center, v.Factor, v.Offset} {
		if list != nil && len(list) != n {
			return t, fmt.Errorf("there are %d numbers for the shape %v", len(list), v.Shape)
		}
	}
	return t, nil
}

// Forward emits the formula.
func (v Affine) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	a := in[0]
	shape := a.Value.Shape
	repeated, err := program.Broadcast(shape, v.Shape)
	if err != nil || !repeated.Equal(shape) {
		refuse("affine", shape, "numbers of the shape %v do not fit", v.Shape)
	}
	if v.Center != nil {
		a.Value = c.Sub(a.Value, c.Const(v.Center, v.Shape...))
	}
	if v.Factor != nil {
		a.Value = c.Mul(a.Value, c.Const(v.Factor, v.Shape...))
	}
	if v.Offset != nil {
		a.Value = c.Add(a.Value, c.Const(v.Offset, v.Shape...))
	}
	return a
}

func init() { Classes.Register(ownPackage+"Affine", func() Vertex { return Affine{} }) }
