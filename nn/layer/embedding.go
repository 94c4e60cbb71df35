package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// InputChecker is a layer whose inputs need more than the right shape. The network checks inputs that come from data
// with it.
type InputChecker interface {
	// CheckInput reports an error in an array of inputs.
	CheckInput(x []float32) error
}

// embedding is the common part of both embeddings.
type embedding struct {
	Base
	// NIn is the number of different indices.
	NIn int `dl4j:"nin"`
	// NOut is the length of the vectors.
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"` // Identity by default; never the network's
	HasBias    bool                  `dl4j:"hasBias"`
}

// Settings leaves out dropout: it would turn indices into other indices. Deeplearning4j ignores it here, too.
func (l embedding) Settings() Settings {
	s := l.Base.Settings()
	s.Dropout = nil
	return s
}

// Sizes returns nIn and nOut.
func (l embedding) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

func (l embedding) complete(d Defaults, in []inputtype.Type) (embedding, error) {
	base, err := l.Base.Completed(d)
	if err != nil {
		return l, err
	}
	l.Base = base
	if l.Activation == nil {
		l.Activation = activation.Identity{}
	}
	if l.NIn, err = RowSize(l.NIn, in); err != nil {
		return l, err
	}
	if err := positive(l.NIn, l.NOut); err != nil {
		return l, err
	}
	if l.NIn > 1<<24 {
		return l, fmt.Errorf("nIn is %d: indices are float32, which counts to %d only", l.NIn, 1<<24)
	}
	return l, l.WeightInit.Validate([]int{l.NOut, l.NIn})
}

// Params are W [nIn, nOut] and, with HasBias, b [nOut].
func (l embedding) Params() []Param {
	w := l.Weight(Param{Name: "W", Shape: []int{l.NIn, l.NOut}, Order: 'f', Table: true,
		Init: Drawn(l.WeightInit, []int{l.NOut, l.NIn}, weights.FanInOut{In: 1, Out: float64(l.NOut)})})
	if !l.HasBias {
		return noiseless([]Param{w})
	}
	return noiseless([]Param{w, l.Bias("b", l.NOut)})
}

// noiseless removes weight noise, which Deeplearning4j ignores in these layers.
func noiseless(ps []Param) []Param {
	for i := range ps {
		ps[i].Noise = nil
	}
	return ps
}

// CheckInput reports an input that is not an index in [0, nIn).
func (l embedding) CheckInput(x []float32) error {
	for i, v := range x {
		if _, ok := program.Column(v, l.NIn); !ok {
			return fmt.Errorf("element %d of the inputs is %v: indices must be in [0, %d)", i, v, l.NIn)
		}
	}
	return nil
}

// rows looks up the vectors of indices, without the activation.
func (l embedding) rows(c *Context, index *program.Value) *program.Value {
	z := c.Apply(program.Lookup{}, c.Params["W"], c.Reshape(index, index.Shape.Size()))
	if l.HasBias {
		z = c.Add(z, c.Params["b"])
	}
	return z
}

// Embedding maps each index to a learned vector: x [batch, 1] of indices from 0 → act(W[x] + b) [batch, nOut]
// (Deeplearning4j: EmbeddingLayer). It must be the first layer. Its fan-in for the initialisation is 1. Dropout has no
// effect.
type Embedding struct{ embedding }

// NewEmbedding returns an embedding of nIn indices into vectors of nOut, without bias.
func NewEmbedding(nIn, nOut int) Embedding { return Embedding{embedding{NIn: nIn, NOut: nOut}} }

// InputType is an index.
func (l Embedding) InputType() inputtype.Type { return inputtype.FeedForward(1) }

// Complete fills in settings that are left open.
func (l Embedding) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	e, err := l.embedding.complete(d, in)
	return Embedding{e}, err
}

// Preprocessor returns nil: none is needed.
func (l Embedding) Preprocessor(inputtype.Type) Preprocessor { return nil }

// OutputType is a vector of nOut. The input is a vector of 1 or, as in Deeplearning4j's input types, of nIn.
func (l Embedding) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := Single(in)
	if err == nil && (t.Kind != inputtype.FeedForwardKind || t.Size != 1 && t.Size != l.NIn) {
		err = fmt.Errorf("takes indices [batch, 1], got %v", t)
	}
	return inputtype.FeedForward(l.NOut), err
}

// Forward emits the formula. A mask [batch, 1] multiplies the activations.
func (l Embedding) Forward(c *Context, in []Activation) Activation {
	x := in[0]
	if !x.Value.Shape.Equal(tensor.Shape{c.Batch, 1}) {
		panic(&program.ShapeError{Op: "embedding", Shapes: []tensor.Shape{x.Value.Shape},
			Reason: "indices [batch, 1] are needed"})
	}
	a := c.Activate(l.Activation, l.rows(c, x.Value))
	return Activation{c.Mask(a, x.Mask), x.Mask, inputtype.FeedForward(l.NOut)}
}

func init() {
	// Files before 0.9.2 leave out hasBias, which means true.
	Classes.Register(javaPackage+"EmbeddingLayer", func() Layer { return Embedding{embedding{HasBias: true}} })
}
