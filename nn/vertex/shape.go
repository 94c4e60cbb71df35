package vertex

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
)

// Subset takes the elements From to To, both included and counted from 0: those of vectors, of each step of a
// sequence, or the channels of images (Deeplearning4j: SubsetVertex).
type Subset struct {
	From int `dl4j:"from"`
	To   int `dl4j:"to"`
}

// OutputType is the input's type with fewer elements.
func (v Subset) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := only(in)
	if err != nil {
		return t, err
	}
	s := t.Shape(1)
	if v.From < 0 || v.To < v.From || v.To >= s[1] {
		return t, fmt.Errorf("takes the elements from %d to %d of %v: they are counted from 0 to %d", v.From, v.To, t, s[1]-1)
	}
	s[1] = v.To - v.From + 1
	return like(t, s)
}

// Forward emits the slice.
func (v Subset) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	return typed(in[0].Type, c.Slice(in[0].Value, 1, v.From, v.To+1), in[0].Mask)
}

// PoolHelper drops the first row and the first column of images, as networks imported from Caffe need it
// (Deeplearning4j: PoolHelperVertex).
type PoolHelper struct{}

// OutputType is a smaller image.
func (v PoolHelper) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := only(in)
	if err == nil && (t.Kind != inputtype.ConvolutionalKind || t.Height < 2 || t.Width < 2) {
		err = fmt.Errorf("takes images of 2x2 or more, got %v", t)
	}
	t.Height, t.Width = t.Height-1, t.Width-1
	return t, err
}

// Forward emits the slices.
func (v PoolHelper) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	a := in[0]
	a.Value = c.Slice(c.Slice(a.Value, 2, 1, a.Value.Shape[2]), 3, 1, a.Value.Shape[3])
	a.Type.Height, a.Type.Width = a.Type.Height-1, a.Type.Width-1
	return a
}

// Preprocessor is a preprocessor as a vertex of its own (Deeplearning4j: PreprocessorVertex).
type Preprocessor struct {
	Preprocessor layer.Preprocessor `dl4j:"preProcessor"`
}

// OutputType is the preprocessor's.
func (v Preprocessor) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := only(in)
	if err != nil {
		return t, err
	}
	if v.Preprocessor == nil {
		return t, fmt.Errorf("has no preprocessor")
	}
	return v.Preprocessor.OutputType(t)
}

// Forward emits the preprocessor.
func (v Preprocessor) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	a := in[0]
	t, err := v.Preprocessor.OutputType(a.Type)
	if err != nil {
		panic(&program.ShapeError{Op: "preprocessor", Reason: err.Error()})
	}
	a.Value, a.Mask = v.Preprocessor.Apply(c.Builder, a.Value, a.Mask, a.Type, c.Batch)
	a.Type = t
	return a
}

func init() {
	Classes.Register(javaPackage+"SubsetVertex", func() Vertex { return Subset{} })
	Classes.Register(javaPackage+"PoolHelperVertex", func() Vertex { return PoolHelper{} })
	Classes.Register(javaPackage+"PreprocessorVertex", func() Vertex { return Preprocessor{} })
}
