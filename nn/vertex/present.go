package vertex

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Present reports which steps of sequences are present: [batch, time, …] → [batch, time, 1], 1 for a step with an
// element other than Value, and 0 otherwise. [Masked] turns the result into a mask.
//
// Deeplearning4j differs: it has no such vertex. Its layer util.MaskZeroLayer masks a single layer.
type Present struct {
	Value float64 `dl4j:"maskingValue"`
}

// OutputType is a sequence of single numbers.
func (v Present) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := only(in)
	if err != nil {
		return t, err
	}
	return lastType(tensor.Shape{1, t.Shape(1)[1], 1})
}

// Forward emits the comparison. No gradient passes through it.
func (v Present) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	x := in[0].Value
	rows, steps := x.Shape[0], x.Shape[1]
	n := x.Shape.Size() / max(1, rows*steps)
	equal := c.Binary(program.Equal, c.Reshape(x, rows, steps, n), c.Fill(v.Value))
	all := c.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(2), Keep: true}, equal)
	return last(c.Sub(c.Fill(1), c.Binary(program.Equal, all, c.Fill(float64(n)))), nil)
}

// Masked returns its first input, with the second one, [batch, time, 1], as its mask.
//
// Deeplearning4j differs: it has no such vertex.
type Masked struct{}

// OutputType is the type of the first input.
func (v Masked) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	if err := inputs(in, 2, 2); err != nil {
		return inputtype.Type{}, err
	}
	if in[0].Kind != inputtype.RecurrentKind || in[1].Kind != inputtype.RecurrentKind {
		return in[0], fmt.Errorf("takes sequences, and which of their steps are there: got %v and %v", in[0], in[1])
	}
	return in[0].As(inputtype.NWC), nil
}

// Forward sets the mask.
func (v Masked) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	x, m := in[0].Value, in[1].Value
	if !m.Shape.Equal(tensor.Shape{x.Shape[0], x.Shape[1], 1}) {
		refuse("masked", m.Shape, "beside sequences %v a mask of %d steps is needed", x.Shape, x.Shape[1])
	}
	return last(x, c.Reshape(c.StopGradient(m), x.Shape[0], x.Shape[1]))
}

// Flip reverses the second dimension of arrays [batch, time, size]: the last step comes first.
//
// Deeplearning4j differs: it has no such vertex. Its ReverseTimeSeriesVertex is for arrays [batch, size, time].
type Flip struct{}

// OutputType is the type of the input.
func (v Flip) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := sequences(in, "")
	return t.As(inputtype.NWC), err
}

// Forward emits the reversal. It does not pass on a mask.
func (v Flip) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	return last(c.Apply(program.Reverse{Dim: 1}, in[0].Value), nil)
}

func init() {
	Classes.Register(ownPackage+"Present", func() Vertex { return Present{} })
	Classes.Register(ownPackage+"Masked", func() Vertex { return Masked{} })
	Classes.Register(ownPackage+"Flip", func() Vertex { return Flip{} })
}
