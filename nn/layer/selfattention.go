package layer

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/preprocessor"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

// SelfAttention lets each step of a sequence look at all of them: x [batch, nIn, time] → [batch, nOut, time], by scaled
// dot products, softmax(Qᵀ·K/√d)·V (Vaswani and others, "Attention is all you need", 2017; Deeplearning4j:
// SelfAttentionLayer). With ProjectInput Q, K and V are NHeads projections of x of HeadSize each, and Wo makes nOut of the
// heads' results; without it they are x itself, and there are no parameters. Steps that a mask has as absent are not looked
// at. It has no activation.
type SelfAttention struct {
	SameDiff
	// NIn follows from the input type where it is 0.
	NIn          int  `dl4j:"nin"`
	NOut         int  `dl4j:"nout"`
	NHeads       int  `dl4j:"nheads"`       // 1 where it is 0
	HeadSize     int  `dl4j:"headSize"`     // nOut/NHeads where it is 0
	ProjectInput bool `dl4j:"projectInput"` // needed for several heads, and where nIn is not nOut
}

// Sizes gives nIn and nOut.
func (l SelfAttention) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// Complete fills what is open.
func (l SelfAttention) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	s, err := l.SameDiff.complete(d)
	if err != nil {
		return nil, err
	}
	l.SameDiff = s
	t, err := single(in)
	if err != nil {
		return nil, err
	}
	if l.NIn == 0 && t.Kind == inputtype.RecurrentKind {
		l.NIn = t.Size
	}
	if l.NHeads == 0 {
		l.NHeads = 1
	}
	if !l.ProjectInput && l.NOut == 0 {
		l.NOut = l.NIn
	}
	if err := positive(l.NIn, l.NOut); err != nil {
		return nil, err
	}
	if l.NHeads < 1 || l.HeadSize == 0 && l.NOut%l.NHeads != 0 {
		return nil, fmt.Errorf("nHeads is %d: it must be positive, and a divisor of nOut, %d, where headSize is not set", l.NHeads, l.NOut)
	}
	if l.HeadSize == 0 {
		l.HeadSize = l.NOut / l.NHeads
	}
	const most = 1 << 24
	switch {
	case l.HeadSize < 1 || l.HeadSize > most || l.NHeads > most:
		return nil, fmt.Errorf("headSize is %d and nHeads %d: both must be positive, and at most %d", l.HeadSize, l.NHeads, most)
	case !l.ProjectInput && l.NHeads != 1:
		return nil, fmt.Errorf("projectInput must be true for %d heads", l.NHeads)
	case !l.ProjectInput && l.NIn != l.NOut:
		return nil, fmt.Errorf("projectInput must be true where nIn, %d, is not nOut, %d", l.NIn, l.NOut)
	}
	l.SameDiff = l.withParams(l.Params())
	return l, nil
}

// Preprocessor makes sequences of vectors and images.
func (l SelfAttention) Preprocessor(in inputtype.Type) preprocessor.Preprocessor {
	return toSequence(in, inputtype.NCW)
}

// OutputType is a sequence of vectors of nOut.
func (l SelfAttention) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return sequenceType(in, l.NIn, l.NOut, inputtype.NCW)
}

// Params are Wq, Wk and Wv [nHeads, headSize, nIn] and Wo [nHeads·headSize, nOut], where the input is projected.
func (l SelfAttention) Params() []Param {
	if !l.ProjectInput {
		return nil
	}
	all := l.NHeads * l.HeadSize
	fan := weights.FanInOut{In: float64(all), Out: float64(l.NOut)}
	var ps []Param
	for _, name := range []string{"Wq", "Wk", "Wv"} {
		ps = append(ps, l.weight(name, fan, l.NHeads, l.HeadSize, l.NIn))
	}
	return append(ps, l.weight("Wo", weights.FanInOut{In: float64(l.NIn), Out: float64(l.HeadSize)}, all, l.NOut))
}

// Forward emits the formula.
func (l SelfAttention) Forward(c *Context, in []Activation) Activation {
	a := in[0]
	t := a.Value.Shape[2]
	steps := c.Transpose(a.Value, 0, 2, 1) // [batch, time, nIn]
	out := a
	out.Type = inputtype.Recurrent(l.NOut, t)
	if !l.ProjectInput {
		out.Value = c.Transpose(attend(c, steps, steps, steps, a.Mask, 1), 0, 2, 1)
		return out
	}
	rows := c.Reshape(steps, c.Batch*t, l.NIn)
	all := l.NHeads * l.HeadSize
	heads := func(name string) *program.Value { // [batch·heads, time, headSize]
		p := c.MatMulT(rows, c.Reshape(c.Params[name], all, l.NIn))
		p = c.Transpose(c.Reshape(p, c.Batch, t, l.NHeads, l.HeadSize), 0, 2, 1, 3)
		return c.Reshape(p, c.Batch*l.NHeads, t, l.HeadSize)
	}
	y := attend(c, heads("Wq"), heads("Wk"), heads("Wv"), a.Mask, l.NHeads)
	y = c.Transpose(c.Reshape(y, c.Batch, l.NHeads, t, l.HeadSize), 0, 2, 1, 3)
	y = c.Apply(program.MatMul{}, c.Reshape(y, c.Batch*t, all), c.Params["Wo"])
	out.Value = c.Transpose(c.Reshape(y, c.Batch, t, l.NOut), 0, 2, 1)
	return out
}

// attend is softmax(q·kᵀ/√d)·v for [batch·heads, time, d]; keys that a mask [batch, time] has as 0 weigh nothing, unless all
// of an example's are so.
func attend(c *Context, q, k, v, mask *program.Value, heads int) *program.Value {
	d := q.Shape[2]
	scores := c.Mul(c.Apply(program.MatMul{TransB: true}, q, k), c.Fill(1/math.Sqrt(float64(d))))
	if mask != nil {
		shape := scores.Shape
		off := c.Mul(c.Sub(mask, c.Fill(1)), c.Fill(1e9))
		scores = c.Add(c.Reshape(scores, c.Batch, heads, shape[1], shape[2]), c.Reshape(off, c.Batch, 1, 1, shape[2]))
		scores = c.Reshape(scores, shape...)
	}
	return c.Apply(program.MatMul{}, c.Apply(program.Softmax{Dim: 2}, scores), v)
}

func init() {
	Classes.Register(javaPackage+"SelfAttentionLayer", func() Layer { return SelfAttention{} })
}
