package layer

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"LSTM", func() Layer { return NewLSTM(0) })
}

// LSTM is long short-term memory without peepholes, over sequences x [batch, nIn, time] → h [batch, nOut, time]
// (Deeplearning4j: LSTM):
//
//	a, f, o, i = act(z₀), gate(z₁), gate(z₂), gate(z₃)   where z = xₜ·W + hₜ₋₁·RW + b, in blocks of nOut
//	cₜ = f∘cₜ₋₁ + i∘a
//	hₜ = o∘act(cₜ)
//
// W is [nIn, 4·nOut], RW [nOut, 4·nOut] and b [4·nOut]. A mask [batch, time] has no effect, except within LastTimeStep
// and MaskZero: there h and c are 0 after masked steps.
type LSTM struct {
	Base
	// NIn follows from the input type if it is 0.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"`
	// GateActivation is Sigmoid if it is nil.
	GateActivation activation.Activation `dl4j:"gateActivationFn"`
	// ForgetGateBiasInit is the initial bias of the forget gate. It is 1 in NewLSTM and if a literal leaves it out.
	// Other biases begin at 0.
	ForgetGateBiasInit float64 `dl4j:"forgetGateBiasInit"`
	// WeightInitRecurrent is the initialisation of RW; nil means WeightInit.
	WeightInitRecurrent weights.Init `dl4j:"weightInitFnRecurrent"`
	// Format is NCW or NWC; it follows from the input type.
	Format string `dl4j:"rnnDataFormat,zeronull"`
	Inert  dl4j.Inert
	meant  bool // see package literal
}

// NewLSTM returns a layer with Deeplearning4j's defaults.
func NewLSTM(nOut int) LSTM { return LSTM{NOut: nOut, ForgetGateBiasInit: 1, meant: true} }

// InertFields are the settings of cuDNN.
func (LSTM) InertFields() dl4j.Object { return lstmInert() }

func lstmInert() dl4j.Object { return dl4j.Object{{Name: "helperAllowFallback", Value: true}} }

// Sizes returns nIn and nOut.
func (l LSTM) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// InputType is sequences of nIn.
func (l LSTM) InputType() inputtype.Type { return sequenceOf(l.NIn, l.Format) }

// DataFormat is Format.
func (l LSTM) DataFormat() string { return l.Format }

// Reversible reports true: the layer obeys Context.Reverse.
func (l LSTM) Reversible() bool { return true }

// Complete fills in settings that are left open.
func (l LSTM) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	f := stepFields{&l.Base, &l.NIn, &l.NOut, &l.Format, l.WeightInitRecurrent, nil, 4, 0}
	err := completeLSTM(d, in, f, &l.Activation, &l.GateActivation, &l.ForgetGateBiasInit, &l.meant)
	return l, err
}

func completeLSTM(d Defaults, in []inputtype.Type, f stepFields, act, gate *activation.Activation, forget *float64,
	meant *bool) (err error) {
	literal.Fill(meant, d.FromFile, literal.Usually(forget, 1))
	if *f.base, err = f.base.Completed(d); err != nil {
		return err
	}
	if *act == nil {
		*act = d.Activation
	}
	if *gate == nil {
		*gate = activation.Sigmoid{}
	}
	if math.IsNaN(*forget) || math.IsInf(*forget, 0) {
		return fmt.Errorf("forgetGateBiasInit is %g", *forget)
	}
	f.init = f.base.WeightInit
	return f.complete(d, in)
}

// Preprocessor turns vectors and images into sequences.
func (l LSTM) Preprocessor(in inputtype.Type) Preprocessor {
	return toSequence(in, l.Format)
}

// OutputType is a sequence of vectors of nOut.
func (l LSTM) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return sequenceType(in, l.NIn, l.NOut, l.Format)
}

// Params are W [nIn, 4·nOut], RW [nOut, 4·nOut] and b [4·nOut].
func (l LSTM) Params() []Param {
	return lstmParams(l.Base, l.NIn, l.NOut, 0, l.WeightInitRecurrent, l.ForgetGateBiasInit)
}

func lstmParams(b Base, nIn, n, peepholes int, recurrent weights.Init, forget float64) []Param {
	if recurrent == nil {
		recurrent = b.WeightInit
	}
	fan := weights.FanInOut{In: float64(n), Out: float64(nIn + n)}
	bias := b.Bias("b", 4*n)
	bias.Init = func(x []float32, _ *weights.Source) {
		clear(x)
		for i := n; i < 2*n; i++ {
			x[i] = float32(forget)
		}
	}
	return []Param{
		b.Weight(Param{Name: "W", Shape: []int{nIn, 4 * n}, Order: 'f', Init: Drawn(b.WeightInit, []int{4 * n, nIn}, fan)}),
		b.Weight(Param{Name: "RW", Shape: []int{n, 4*n + peepholes}, Order: 'f',
			Init: Drawn(recurrent, []int{4*n + peepholes, n}, fan)}),
		bias,
	}
}

// Forward emits the formula.
func (l LSTM) Forward(c *Context, in []Activation) Activation {
	x := c.steps(in[0].Value, l.Format)
	var mask *program.Value
	if c.ApplyMask {
		mask = c.maskSteps(in[0].Mask, x.Shape[0], x.Shape[1])
	}
	cell := lstmCell{l.NOut, l.Activation, l.GateActivation}
	h := cell.emit(c, x, mask, c.Params["W"], c.Params["RW"], c.Params["b"], false, "")
	t := in[0].Type.As(l.Format)
	t.Size = l.NOut
	return Activation{c.sequence(h, l.Format), in[0].Mask, t}
}

// lstmCell is the formula of LSTM and, with peepholes, of GravesLSTM.
type lstmCell struct {
	n         int
	act, gate activation.Activation
}

// emit returns h [time, batch, n] for x [time, batch, in]. If rw has 4·n + 3 rows, the last three are the peepholes.
// suffix distinguishes the states of a layer's cells.
func (l lstmCell) emit(c *Context, x, mask, w, rw, bias *program.Value, reverse bool, suffix string) *program.Value {
	n := l.n
	invariants := []*program.Value{c.Slice(rw, 0, 0, 4*n)}
	for i := 4 * n; i < rw.Shape[0]; i++ {
		invariants = append(invariants, c.Reshape(c.Slice(rw, 0, i, i+1), n))
	}
	env := activation.Env{Training: c.Training}
	apply := func(b *program.Builder, a activation.Activation, stream uint64, z *program.Value) *program.Value {
		env.Stream = c.Stream + 1 + stream
		return a.Apply(b, z, env)
	}
	return c.recurrence([]string{"h" + suffix, "c" + suffix}, n, reverse != c.Reverse,
		c.project(x, w, bias), mask, invariants,
		func(b *program.Builder, inv, state []*program.Value, x, mask *program.Value) []*program.Value {
			z := b.Split(b.Add(x, b.Apply(program.MatMul{TransB: true}, state[0], inv[0])), 1, 4)
			if len(inv) > 1 {
				z[1] = b.Add(z[1], b.Mul(state[1], inv[1]))
				z[3] = b.Add(z[3], b.Mul(state[1], inv[3]))
			}
			cell := b.Add(b.Mul(apply(b, l.gate, 0, z[1]), state[1]), b.Mul(apply(b, l.gate, 1, z[3]), apply(b, l.act, 2, z[0])))
			if len(inv) > 1 {
				z[2] = b.Add(z[2], b.Mul(cell, inv[2]))
			}
			h := b.Mul(apply(b, l.gate, 3, z[2]), apply(b, l.act, 4, cell))
			if mask != nil {
				h, cell = b.Mul(h, mask), b.Mul(cell, mask)
			}
			return []*program.Value{h, cell}
		})
}
