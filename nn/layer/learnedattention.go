package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
)

// LearnedSelfAttention lets NQueries learned queries attend to the steps of a sequence of any length: x [batch, nIn,
// time] → [batch, nOut, nQueries], by DotProductAttention (Deeplearning4j: LearnedSelfAttentionLayer). With
// ProjectInput there are NHeads projections of HeadSize each, and Wo combines the heads' results into nOut. Without
// it, queries and steps are compared directly, and the result has nIn elements. Masked steps are ignored. The result
// has no mask, and there is no activation.
//
// Deeplearning4j cannot run networks with this layer: repeating the queries for each example fails.
type LearnedSelfAttention struct {
	SameDiff
	// NIn follows from the input type if it is 0.
	NIn          int  `dl4j:"nin"`
	NOut         int  `dl4j:"nout"`
	NHeads       int  `dl4j:"nheads"`       // 1 if it is 0
	HeadSize     int  `dl4j:"headSize"`     // nOut/NHeads if it is 0
	ProjectInput bool `dl4j:"projectInput"` // needed for several heads, and if nIn is not nOut
	NQueries     int  `dl4j:"nqueries"`
}

// Sizes returns nIn and nOut.
func (l LearnedSelfAttention) Sizes() (nIn, nOut int) { return l.NIn, l.out() }

// out returns the size of the result: without projection nOut may be 0.
func (l LearnedSelfAttention) out() int {
	if !l.ProjectInput {
		return l.NIn
	}
	return l.NOut
}

func (l LearnedSelfAttention) attention() DotProductAttention {
	return DotProductAttention{Queries: l.NIn, Keys: l.NIn, Values: l.NIn, Out: l.NOut, Heads: l.NHeads,
		HeadSize: l.HeadSize,
		Project:  l.ProjectInput}
}

// InputType is sequences of nIn.
func (l LearnedSelfAttention) InputType() inputtype.Type { return sequenceOf(l.NIn, "") }

// Complete fills in settings that are left open.
func (l LearnedSelfAttention) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	s, err := l.SameDiff.complete(d)
	if err != nil {
		return nil, err
	}
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	if l.NIn == 0 && t.Kind == inputtype.RecurrentKind {
		l.NIn = t.Size
	}
	if l.NQueries < 1 {
		return nil, fmt.Errorf("nQueries is %d: it must be positive", l.NQueries)
	}
	a, err := l.attention().Complete()
	if err != nil {
		return nil, err
	}
	l.NHeads, l.HeadSize, l.SameDiff = a.Heads, a.HeadSize, s
	l.SameDiff = l.withParams(l.Params())
	return l, l.CheckWeights(l.Params())
}

// Preprocessor turns vectors and images into sequences.
func (l LearnedSelfAttention) Preprocessor(in inputtype.Type) Preprocessor {
	return toSequence(in, inputtype.NCW)
}

// OutputType is a sequence of nQueries vectors of nOut.
func (l LearnedSelfAttention) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := sequenceType(in, l.NIn, l.out(), inputtype.NCW)
	t.TimeSteps = l.NQueries
	return t, err
}

// Params are the queries Q [1, nIn, nQueries], and if the input is projected Wq, Wk and Wv [nHeads, headSize, nIn] and
// Wo [nHeads·headSize, nOut].
func (l LearnedSelfAttention) Params() []Param {
	q := l.weight("Q", weights.FanInOut{In: float64(l.NIn), Out: float64(l.NQueries)}, 1, l.NIn, l.NQueries)
	return append([]Param{q}, l.attention().params(l.SameDiff)...)
}

// Forward emits the formula.
func (l LearnedSelfAttention) Forward(c *Context, in []Activation) Activation {
	x := c.Transpose(in[0].Value, 0, 2, 1) // [batch, time, nIn]
	q := c.BroadcastTo(c.Transpose(c.Params["Q"], 0, 2, 1), x.Shape[0], l.NQueries, l.NIn)
	y := l.attention().Emit(c, q, x, x, in[0].Mask)
	return Activation{Value: c.Transpose(y, 0, 2, 1), Type: inputtype.Recurrent(l.out(), l.NQueries)}
}

func init() {
	Classes.Register(javaPackage+"LearnedSelfAttentionLayer", func() Layer { return LearnedSelfAttention{} })
}
