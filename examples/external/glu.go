package external

import (
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
)

// GLU is a gated linear unit: x [batch, nIn] → (x·W + b) ∘ σ(x·V + c) [batch, nOut] (Dauphin, Fan, Auli and Grangier,
// "Language modeling with gated convolutional networks", 2017).
type GLU struct {
	layer.Base
	NIn  int `dl4j:"nin"` // follows from the input type if it is 0
	NOut int `dl4j:"nout"`
}

func init() { layer.Classes.Register("com.example.GLU", func() layer.Layer { return GLU{} }) }

// Complete fills what is open and checks the sizes.
func (l GLU) Complete(d layer.Defaults, in []inputtype.Type) (_ layer.Layer, err error) {
	if l.Base, err = l.Base.Completed(d); err != nil {
		return nil, err
	}
	if l.NIn, err = layer.RowSize(l.NIn, in); err != nil {
		return nil, err
	}
	return l, l.CheckMatrix(l.NIn, l.NOut)
}

// Preprocessor makes rows of images and of sequences.
func (l GLU) Preprocessor(in inputtype.Type) layer.Preprocessor { return layer.ToRows(in) }

// OutputType is a row of nOut.
func (l GLU) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return layer.RowOutput(in, l.NIn, l.NOut)
}

// Params are W and b of the values, V and c of the gate.
func (l GLU) Params() []layer.Param {
	w, v := l.Matrix("W", l.NIn, l.NOut), l.Matrix("V", l.NIn, l.NOut)
	return []layer.Param{w, l.Bias("b", l.NOut), v, l.Bias("c", l.NOut)}
}

// Forward emits the formula. The gradient follows from it.
func (l GLU) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	gate := c.Unary(program.Sigmoid, c.Affine(in[0].Value, "V", "c"))
	y := c.Mask(c.Mul(c.Affine(in[0].Value, "W", "b"), gate), in[0].Mask)
	return layer.Activation{Value: y, Mask: in[0].Mask, Type: inputtype.FeedForward(l.NOut)}
}

// Sizes gives nIn and nOut, for summaries.
func (l GLU) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }
