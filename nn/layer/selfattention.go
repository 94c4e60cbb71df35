package layer

import (
	"github.com/dl4go/dl4go/nn/inputtype"
)

// SelfAttention lets each step of a sequence attend to all steps: x [batch, nIn, time] → [batch, nOut, time], by
// DotProductAttention (Deeplearning4j: SelfAttentionLayer). With ProjectInput, Q, K and V are NHeads projections of x,
// of HeadSize each, and Wo combines the heads' results into nOut. Without it, Q, K and V are x itself, and there are
// no parameters. Masked steps are ignored. There is no activation.
type SelfAttention struct {
	SameDiff
	// NIn follows from the input type if it is 0.
	NIn          int  `dl4j:"nin"`
	NOut         int  `dl4j:"nout"`
	NHeads       int  `dl4j:"nheads"`       // 1 if it is 0
	HeadSize     int  `dl4j:"headSize"`     // nOut/NHeads if it is 0
	ProjectInput bool `dl4j:"projectInput"` // needed for several heads, and if nIn is not nOut
}

// Sizes returns nIn and nOut.
func (l SelfAttention) Sizes() (nIn, nOut int) { return l.NIn, l.out() }

// out returns the size of the result: without projection nOut may be 0.
func (l SelfAttention) out() int {
	if !l.ProjectInput {
		return l.NIn
	}
	return l.NOut
}

func (l SelfAttention) attention() DotProductAttention {
	return DotProductAttention{Queries: l.NIn, Keys: l.NIn, Values: l.NIn, Out: l.NOut, Heads: l.NHeads,
		HeadSize: l.HeadSize,
		Project:  l.ProjectInput}
}

// InputType is sequences of nIn.
func (l SelfAttention) InputType() inputtype.Type { return sequenceOf(l.NIn, "") }

// Complete fills in settings that are left open.
func (l SelfAttention) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
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
	a, err := l.attention().Complete()
	if err != nil {
		return nil, err
	}
	l.NHeads, l.HeadSize, l.SameDiff = a.Heads, a.HeadSize, s
	l.SameDiff = l.withParams(l.Params())
	return l, l.CheckWeights(l.Params())
}

// Preprocessor turns vectors and images into sequences.
func (l SelfAttention) Preprocessor(in inputtype.Type) Preprocessor {
	return toSequence(in, inputtype.NCW)
}

// OutputType is a sequence of vectors of nOut.
func (l SelfAttention) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return sequenceType(in, l.NIn, l.out(), inputtype.NCW)
}

// Params are Wq, Wk and Wv [nHeads, headSize, nIn] and Wo [nHeads·headSize, nOut] if the input is projected.
func (l SelfAttention) Params() []Param { return l.attention().params(l.SameDiff) }

// Forward emits the formula.
func (l SelfAttention) Forward(c *Context, in []Activation) Activation {
	a := in[0]
	x := c.Transpose(a.Value, 0, 2, 1) // [batch, time, nIn]
	a.Type = inputtype.Recurrent(l.out(), a.Value.Shape[2])
	a.Value = c.Transpose(l.attention().Emit(c, x, x, x, a.Mask), 0, 2, 1)
	return a
}

func init() {
	Classes.Register(javaPackage+"SelfAttentionLayer", func() Layer { return SelfAttention{} })
}
