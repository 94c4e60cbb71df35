package layer

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"recurrent.SimpleRnn", func() Layer { return SimpleRnn{} })
}

// SimpleRnn is the plain recurrent layer, over sequences x [batch, nIn, time] → h [batch, nOut, time]
// (Deeplearning4j: recurrent.SimpleRnn):
//
//	hₜ = act(xₜ·W + hₜ₋₁·RW + b)
//
// W is [nIn, nOut], RW [nOut, nOut] and b [nOut]. With a mask [batch, time], h is 0 after masked steps.
type SimpleRnn struct {
	Base
	// NIn follows from the input type if it is 0.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"`
	// LayerNorm normalises xₜ·W and hₜ₋₁·RW, each row separately as in Dense, before the two halves of a gain g
	// [2·nOut].
	LayerNorm bool `dl4j:"hasLayerNorm"`
	// WeightInitRecurrent is the initialisation of RW; nil means WeightInit.
	WeightInitRecurrent weights.Init `dl4j:"weightInitFnRecurrent"`
	// Format is NCW or NWC; it follows from the input type.
	Format string `dl4j:"rnnDataFormat,zeronull"`
}

// Sizes returns nIn and nOut.
func (l SimpleRnn) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// InputType is sequences of nIn.
func (l SimpleRnn) InputType() inputtype.Type { return sequenceOf(l.NIn, l.Format) }

// DataFormat is Format.
func (l SimpleRnn) DataFormat() string { return l.Format }

// Reversible reports true: the layer obeys Context.Reverse.
func (l SimpleRnn) Reversible() bool { return true }

// Complete fills in settings that are left open.
func (l SimpleRnn) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	base, err := l.Base.Completed(d)
	if err != nil {
		return nil, err
	}
	l.Base = base
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	f := stepFields{&l.Base, &l.NIn, &l.NOut, &l.Format, l.WeightInitRecurrent, l.WeightInit, 1, 0}
	err = f.complete(d, in)
	return l, err
}

// Preprocessor turns vectors and images into sequences.
func (l SimpleRnn) Preprocessor(in inputtype.Type) Preprocessor {
	return toSequence(in, l.Format)
}

// OutputType is a sequence of vectors of nOut.
func (l SimpleRnn) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return sequenceType(in, l.NIn, l.NOut, l.Format)
}

// Params are W [nIn, nOut], RW [nOut, nOut], b [nOut] and the gain g [2·nOut].
func (l SimpleRnn) Params() []Param {
	recurrent := l.WeightInitRecurrent
	if recurrent == nil {
		recurrent = l.WeightInit
	}
	n, in := l.NOut, l.NIn
	ps := []Param{
		l.Matrix("W", in, n),
		l.Weight(Param{Name: "RW", Shape: []int{n, n}, Order: 'f',
			Init: Drawn(recurrent, []int{n, n}, weights.FanInOut{In: float64(n), Out: float64(n)})}),
		l.Bias("b", n),
	}
	if l.LayerNorm {
		ps = append(ps, l.gain(2*n))
	}
	return ps
}

// Forward emits the formula.
func (l SimpleRnn) Forward(c *Context, in []Activation) Activation {
	x := c.steps(in[0].Value, l.Format)
	steps, rows, n := x.Shape[0], x.Shape[1], l.NOut
	mask := c.maskSteps(in[0].Mask, steps, rows)
	invariants := []*program.Value{c.Params["RW"]}
	z := c.project(x, c.Params["W"], nil)
	if l.LayerNorm {
		gains := c.Split(c.Params["g"], 0, 2)
		invariants = append(invariants, gains[1])
		z = c.Mul(c.Reshape(normaliseRows(c.Builder, c.Reshape(z, steps*rows, n)), steps, rows, n), gains[0])
	}
	z = c.Add(z, c.Params["b"])
	env := activation.Env{Training: c.Training, Stream: c.Stream + 1}
	h := c.recurrence([]string{"h"}, n, c.Reverse, z, mask, invariants,
		func(b *program.Builder, inv, state []*program.Value, x, mask *program.Value) []*program.Value {
			r := b.Apply(program.MatMul{TransB: true}, state[0], inv[0])
			if l.LayerNorm {
				r = b.Mul(normaliseRows(b, r), inv[1])
			}
			h := l.Activation.Apply(b, b.Add(x, r), env)
			if mask != nil {
				h = b.Mul(h, mask)
			}
			return []*program.Value{h}
		})
	t := in[0].Type.As(l.Format)
	t.Size = n
	return Activation{c.sequence(h, l.Format), in[0].Mask, t}
}
