package layer

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

// ownPackage is the package of layers that Deeplearning4j does not have. It cannot open files that name them.
const ownPackage = "io.github.dl4go.nn.conf.layers."

func init() {
	Classes.Register(ownPackage+"GRU", func() Layer { return GRU{} })
}

// GRU is a gated recurrent unit, over sequences x [batch, nIn, time] → h [batch, nOut, time] (Cho et al., "Learning
// phrase representations using RNN encoder-decoder for statistical machine translation", 2014). It is Keras' GRU:
//
//	z, r = gate(a₀ + u₀), gate(a₁ + u₁)      where a = xₜ·W + b and u = hₜ₋₁·RW + rb, in blocks of nOut
//	g = act(a₂ + r∘u₂)
//	hₜ = z∘hₜ₋₁ + (1 − z)∘g
//
// W is [nIn, 3·nOut], RW [nOut, 3·nOut], b and rb are [3·nOut]. With ResetBefore there is no rb, and the reset gate
// comes before the product: u₂ = (r∘hₜ₋₁)·RW₂ and g = act(a₂ + u₂), as in the paper.
//
// With a mask [batch, time], masked steps are skipped: h does not change.
//
// Deeplearning4j differs: it has no such layer, and cannot open a network with one.
type GRU struct {
	Base
	// NIn follows from the input type if it is 0.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"`
	// GateActivation is Sigmoid if it is nil.
	GateActivation activation.Activation `dl4j:"gateActivationFn"`
	// NoBias leaves b and rb out.
	NoBias Not `dl4j:"hasBias"`
	// ResetBefore is the opposite of Keras' reset_after. The zero value is the default of Keras and cuDNN.
	ResetBefore Not `dl4j:"resetAfter"`
	// ZeroMasked gives 0 for masked steps instead of the output before them. The state is kept in either case. Keras
	// sets it for the layers within its Bidirectional (zero_output_for_mask).
	ZeroMasked bool `dl4j:"zeroOutputForMask"`
	// WeightInitRecurrent is the initialisation of RW; nil means WeightInit.
	WeightInitRecurrent weights.Init `dl4j:"weightInitFnRecurrent"`
	// Format is NCW or NWC; it follows from the input type.
	Format string `dl4j:"rnnDataFormat,zeronull"`
}

// Sizes returns nIn and nOut.
func (l GRU) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// InputType is sequences of nIn.
func (l GRU) InputType() inputtype.Type { return sequenceOf(l.NIn, l.Format) }

// DataFormat is Format.
func (l GRU) DataFormat() string { return l.Format }

// Reversible reports true: the layer obeys Context.Reverse.
func (l GRU) Reversible() bool { return true }

// Complete fills in settings that are left open.
func (l GRU) Complete(d Defaults, in []inputtype.Type) (_ Layer, err error) {
	if l.Base, err = l.Base.Completed(d); err != nil {
		return nil, err
	}
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	if l.GateActivation == nil {
		l.GateActivation = activation.Sigmoid{}
	}
	f := stepFields{&l.Base, &l.NIn, &l.NOut, &l.Format, l.WeightInitRecurrent, l.WeightInit, 3, 0}
	err = f.complete(d, in)
	return l, err
}

// Preprocessor turns vectors and images into sequences.
func (l GRU) Preprocessor(in inputtype.Type) Preprocessor {
	return toSequence(in, l.Format)
}

// OutputType is a sequence of vectors of nOut.
func (l GRU) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return sequenceType(in, l.NIn, l.NOut, l.Format)
}

// Params are W [nIn, 3·nOut], RW [nOut, 3·nOut], and the biases b and rb [3·nOut].
func (l GRU) Params() []Param {
	recurrent := l.WeightInitRecurrent
	if recurrent == nil {
		recurrent = l.WeightInit
	}
	n := l.NOut
	ps := []Param{
		l.Matrix("W", l.NIn, 3*n),
		l.Weight(Param{Name: "RW", Shape: []int{n, 3 * n}, Order: 'f',
			Init: Drawn(recurrent, []int{3 * n, n}, weights.FanInOut{In: float64(n), Out: float64(3 * n)})}),
	}
	if !l.NoBias {
		ps = append(ps, l.Bias("b", 3*n))
	}
	if !l.NoBias && !l.ResetBefore {
		ps = append(ps, l.Bias("rb", 3*n))
	}
	return ps
}

// Forward emits the formula.
func (l GRU) Forward(c *Context, in []Activation) Activation {
	x := c.steps(in[0].Value, l.Format)
	mask := c.maskSteps(in[0].Mask, x.Shape[0], x.Shape[1])
	h := c.recurrence([]string{"h"}, l.NOut, c.Reverse, c.project(x, c.Params["W"], c.Params["b"]), mask, l.invariants(c),
		func(b *program.Builder, inv, state []*program.Value, x, mask *program.Value) []*program.Value {
			h := l.step(c, b, inv, state[0], x)
			if mask != nil {
				h = b.Select(mask, h, state[0])
			}
			return []*program.Value{h}
		})
	if mask != nil && l.ZeroMasked {
		h = c.Select(mask, h, c.Fill(0))
	}
	t := in[0].Type.As(l.Format)
	t.Size = l.NOut
	return Activation{c.sequence(h, l.Format), in[0].Mask, t}
}

// invariants returns RW, in two parts with ResetBefore, and rb if there is one.
func (l GRU) invariants(c *Context) []*program.Value {
	rw := c.Params["RW"]
	if l.ResetBefore {
		return []*program.Value{c.Slice(rw, 0, 0, 2*l.NOut), c.Slice(rw, 0, 2*l.NOut, 3*l.NOut)}
	}
	if l.NoBias {
		return []*program.Value{rw}
	}
	return []*program.Value{rw, c.Params["rb"]}
}

// step returns the state after h, for a = x·W + b [batch, 3·nOut].
func (l GRU) step(c *Context, b *program.Builder, inv []*program.Value, h, a *program.Value) *program.Value {
	apply := func(f activation.Activation, stream uint64, z *program.Value) *program.Value {
		return f.Apply(b, z, activation.Env{Training: c.Training, Stream: c.Stream + 1 + stream})
	}
	product := func(h, w *program.Value) *program.Value { return b.Apply(program.MatMul{TransB: true}, h, w) }
	as := b.Split(a, 1, 3)
	u := product(h, inv[0])
	if !l.ResetBefore && len(inv) > 1 {
		u = b.Add(u, inv[1])
	}
	us := b.Split(u, 1, u.Shape[1]/l.NOut)
	z := apply(l.GateActivation, 0, b.Add(as[0], us[0]))
	r := apply(l.GateActivation, 1, b.Add(as[1], us[1]))
	var candidate *program.Value
	if l.ResetBefore {
		candidate = product(b.Mul(r, h), inv[1])
	} else {
		candidate = b.Mul(r, us[2])
	}
	g := apply(l.Activation, 2, b.Add(as[2], candidate))
	return b.Add(b.Mul(z, h), b.Mul(b.Sub(b.Fill(1), z), g))
}
