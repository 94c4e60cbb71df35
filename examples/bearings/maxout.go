package main

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
)

// Maxout gives the largest of several affine functions: x [batch, nIn] → max over p of x·W_p + b_p, [batch, nOut]
// (Goodfellow et al., "Maxout networks", 2013). Settings and members in files are those of a dense layer, and Pieces.
type Maxout struct {
	layer.Dense
	Pieces int `dl4j:"pieces"`
}

// A configuration that goes to a worker, or into a model's file, names the class. Constructors give what a file leaves
// out.
func init() {
	layer.Classes.Register("com.example.bearings.Maxout", func() layer.Layer { return Maxout{Pieces: 2} })
}

// Complete fills what is open.
func (l Maxout) Complete(d layer.Defaults, in []inputtype.Type) (layer.Layer, error) {
	if l.Pieces < 1 {
		return nil, fmt.Errorf("pieces is %d: it must be positive", l.Pieces)
	}
	if l.Activation == nil {
		l.Activation = activation.Identity{} // the maximum bends enough
	}
	dense, err := l.Dense.Complete(d, in)
	if err != nil {
		return nil, err
	}
	l.Dense = dense.(layer.Dense)
	return l, nil
}

// Params are W [nIn, nOut·pieces] and b [nOut·pieces].
func (l Maxout) Params() []layer.Param {
	l.NOut *= l.Pieces
	return l.Dense.Params()
}

// Forward emits the formula. Its gradient follows from it.
func (l Maxout) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	wide := l.Dense
	wide.NOut *= l.Pieces
	z := c.Reshape(wide.Forward(c, in).Value, c.Batch, l.NOut, l.Pieces)
	y := c.Apply(program.Reduce{Kind: program.Max, Dims: program.Dims(2)}, z)
	return layer.Activation{Value: y, Mask: in[0].Mask, Type: inputtype.FeedForward(l.NOut)}
}
