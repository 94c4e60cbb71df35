package loss

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// MCXENT is multi-class cross-entropy: −Σ wⱼ·yⱼ·log pⱼ. (Deeplearning4j: LossMCXENT.)
//
// With Softmax, p is held within [SoftmaxClipEps, 1 − SoftmaxClipEps] for the score. The gradient in z is p − y, or
// pⱼ·Σ wₖ·yₖ − wⱼ·yⱼ with weights. As in Deeplearning4j, it is p − y without weights even for labels that do not sum
// to 1, whose derivative is pⱼ·Σ yₖ − yⱼ. Deeplearning4j refuses masks of single outputs with Softmax; here they
// multiply score and gradient.
type MCXENT struct {
	// SoftmaxClipEps is 10⁻¹⁰ in NewMCXENT, and if a literal leaves it out.
	SoftmaxClipEps float64 `dl4j:"softmaxClipEps"`
	Weighted
	meant bool // see package literal
}

// completed fills in the default if a literal leaves the epsilon out.
func (l MCXENT) completed() MCXENT {
	l.SoftmaxClipEps = literal.Or(l.SoftmaxClipEps, 1e-10, l.meant)
	return l
}

// MarshalTree writes the default if a literal leaves the epsilon out.
func (l MCXENT) MarshalTree() (any, error) {
	return dl4j.Members(l.completed())
}

// AfterRead notes that a zero from a file is intended.
func (l *MCXENT) AfterRead() { l.meant = l.SoftmaxClipEps == 0 }

// NewMCXENT returns a loss with Deeplearning4j's defaults: a SoftmaxClipEps of 10⁻¹⁰, and no weights.
func NewMCXENT() MCXENT { return MCXENT{}.completed() }

// Rows is the formula.
func (l MCXENT) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	l = l.completed()
	if _, softmax := act.(activation.Softmax); !softmax {
		p := predict(b, z, act, mask)
		var log *program.Value
		if _, sigmoid := act.(activation.Sigmoid); sigmoid {
			log = b.Neg(b.Unary(program.Softplus, b.Neg(z))) // log σ(z), also where σ(z) underflows
		} else {
			log = b.Unary(program.Log, p)
		}
		return sum(b, b.Neg(l.Weights.apply(b, b.Mul(labels, log))), mask)
	}
	p := act.Apply(b, z, activation.Env{})
	y := l.Weights.apply(b, labels)
	log := b.Unary(program.Log, b.Clip(p, max(l.SoftmaxClipEps, smallest), 1-l.SoftmaxClipEps))
	e := b.Neg(b.Mul(y, log))
	slope := b.Sub(p, labels)
	if l.Weights != nil {
		total := b.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(1), Keep: true}, y)
		slope = b.Sub(b.Mul(p, total), y)
	}
	return sum(b, b.WithGradient(e, z, slope), mask)
}

// Validate checks the weights and the bound.
func (l MCXENT) Validate(n int, act activation.Activation) error {
	if err := clipEpsilon("MCXENT", "softmaxClipEps", l.SoftmaxClipEps); err != nil {
		return err
	}
	return l.Weights.validate("MCXENT", n)
}

func init() { register("MCXENT", NewMCXENT(), "MCXENT") }
