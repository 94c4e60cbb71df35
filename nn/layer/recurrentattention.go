package layer

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// RecurrentAttention is a recurrent layer with attention. The result of each step is the query with which the next
// step attends to the whole sequence, x [batch, nIn, time] → h [batch, nOut, time] (Deeplearning4j:
// RecurrentAttentionLayer):
//
//	h₀ = act(x₀·W + b)
//	hₜ = act(xₜ·W + b + attention(hₜ₋₁, x, x)·RW)
//
// attention is DotProductAttention, with NHeads projections or, with PlainInput, of h and x themselves. W is [nIn,
// nOut], RW [nOut, nOut] and b [nOut]. Attention ignores masked steps. Masked steps have results, and the mask is
// passed on. Truncated back-propagation, and running step by step, treat each segment as a sequence of its own.
//
// Deeplearning4j only accepts sequences of one length; here they may have any length.
type RecurrentAttention struct {
	SameDiff
	// NIn follows from the input type if it is 0.
	NIn        int    `dl4j:"nin"`
	NOut       int    `dl4j:"nout"`
	NHeads     int    `dl4j:"nheads"`       // 1 if it is 0
	HeadSize   int    `dl4j:"headSize"`     // nOut/NHeads if it is 0
	PlainInput Not    `dl4j:"projectInput"` // only for one head with nIn equal to nOut
	NoBias     Not    `dl4j:"hasBias"`
	Activation string `dl4j:"activation"` // a name of Deeplearning4j's enum Activation; TANH if it is empty

	Inert dl4j.Inert
}

// InertFields is the length of the sequences that Deeplearning4j's layer last ran on.
func (RecurrentAttention) InertFields() dl4j.Object {
	return dl4j.Object{{Name: "timeSteps", Value: dl4j.Number("0")}}
}

// Sizes returns nIn and nOut.
func (l RecurrentAttention) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

func (l RecurrentAttention) attention() DotProductAttention {
	return DotProductAttention{Queries: l.NOut, Keys: l.NIn, Values: l.NIn, Out: l.NOut, Heads: l.NHeads,
		HeadSize: l.HeadSize,
		Project:  !bool(l.PlainInput)}
}

// InputType is sequences of nIn.
func (l RecurrentAttention) InputType() inputtype.Type { return sequenceOf(l.NIn, "") }

// Complete fills in settings that are left open.
func (l RecurrentAttention) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	s, err := l.SameDiff.complete(d)
	if err != nil {
		return nil, err
	}
	if l.Activation == "" {
		l.Activation = "TANH"
	}
	if _, err := sameDiffActivation(l.Activation); err != nil {
		return nil, err
	}
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	if l.NIn == 0 && t.Kind == inputtype.RecurrentKind {
		l.NIn = t.Size
	}
	if l.PlainInput && l.NOut == 0 {
		l.NOut = l.NIn
	}
	if err := positive(l.NIn, l.NOut); err != nil {
		return nil, err
	}
	if _, err := (tensor.Shape{l.NIn, l.NOut}).CheckedSize(1 << 31); err != nil {
		return nil, err
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
func (l RecurrentAttention) Preprocessor(in inputtype.Type) Preprocessor {
	return toSequence(in, inputtype.NCW)
}

// OutputType is a sequence of vectors of nOut.
func (l RecurrentAttention) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return sequenceType(in, l.NIn, l.NOut, inputtype.NCW)
}

// Params are W [nIn, nOut] and RW [nOut, nOut], then, unless the input is plain, Wq [nHeads, headSize, nOut], Wk and
// Wv [nHeads, headSize, nIn] and Wo [nHeads·headSize, nOut], then b [nOut].
func (l RecurrentAttention) Params() []Param {
	in, out := float64(l.NIn), float64(l.NOut)
	ps := []Param{
		l.weight("W", weights.FanInOut{In: in, Out: out}, l.NIn, l.NOut),
		l.weight("RW", weights.FanInOut{In: out, Out: out}, l.NOut, l.NOut),
	}
	ps = append(ps, l.attention().params(l.SameDiff)...)
	if !l.NoBias {
		ps = append(ps, l.base().Bias("b", l.NOut))
	}
	return ps
}

// Forward emits the formula. Keys and values are projected once, before the loop.
func (l RecurrentAttention) Forward(c *Context, in []Activation) Activation {
	act, _ := sameDiffActivation(l.Activation)
	env := activation.Env{Training: c.Training, Stream: c.Stream + 1}
	a, at := in[0], l.attention()
	x := c.Transpose(a.Value, 0, 2, 1) // [batch, time, nIn]
	rows, steps := x.Shape[0], x.Shape[1]
	z := c.Apply(program.MatMul{}, c.Reshape(c.Transpose(a.Value, 2, 0, 1), steps*rows, l.NIn), c.Params["W"])
	if !l.NoBias {
		z = c.Add(z, c.Params["b"])
	}
	z = c.Reshape(z, steps, rows, l.NOut)

	h := act.Apply(c.Builder, c.Reshape(c.Slice(z, 0, 0, 1), rows, l.NOut), env)
	all := c.Reshape(h, 1, rows, l.NOut)
	if steps > 1 {
		invariants := []*program.Value{c.Params["RW"], x, x}
		if at.Project {
			invariants = []*program.Value{c.Params["RW"], at.heads(c.Builder, x, c.Params["Wk"]),
				at.heads(c.Builder, x, c.Params["Wv"]),
				c.Params["Wq"], c.Params["Wo"]}
		}
		if off := absent(c, a.Mask, rows, steps); off != nil {
			invariants = append(invariants, off)
		}
		env.Stream++
		next, _, _ := c.Scan(program.Loop{Steps: steps - 1}, invariants, []*program.Value{h},
			[]*program.Value{c.Slice(z, 0, 1, steps)},
			func(b *program.Builder, inv, state, z []*program.Value) (next, results []*program.Value) {
				var off *program.Value
				if a.Mask != nil {
					off = inv[len(inv)-1]
				}
				q := b.Reshape(state[0], rows, 1, l.NOut)
				y := q
				if at.Project {
					y = at.join(b, attend(b, at.heads(b, q, inv[3]), inv[1], inv[2], off), inv[4])
				} else {
					y = attend(b, q, inv[1], inv[2], off)
				}
				r := b.Apply(program.MatMul{}, b.Reshape(y, rows, l.NOut), inv[0])
				return []*program.Value{act.Apply(b, b.Add(z[0], r), env)}, nil
			})
		all = c.Concat(0, all, next[0])
	}
	a.Value = c.Transpose(all, 1, 2, 0)
	a.Type = inputtype.Recurrent(l.NOut, steps)
	return a
}

func init() {
	Classes.Register(javaPackage+"RecurrentAttentionLayer",
		func() Layer { return RecurrentAttention{PlainInput: true, NoBias: true} })
}
