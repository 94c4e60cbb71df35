package loss

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// XENT is binary cross-entropy: −Σ wⱼ·(yⱼ·log pⱼ + (1 − yⱼ)·log(1 − pⱼ)), with p held within [ClipEps, 1 − ClipEps].
// The gradient in p is (pⱼ − yⱼ)/(pⱼ·(1 − pⱼ)) with the bounded p. (Deeplearning4j: LossBinaryXENT.)
//
// With Softmax the score is −Σ wⱼ·yⱼ·log pⱼ without bounds. The gradient is the one above, with the weights applied in
// z, as in Deeplearning4j.
type XENT struct {
	// ClipEps is 10⁻⁵ in NewXENT, and if a literal leaves it out.
	ClipEps float64 `dl4j:"clipEps"`
	Weighted
	meant bool // see package literal
}

// completed fills in the default if a literal leaves the epsilon out.
func (l XENT) completed() XENT {
	l.ClipEps = literal.Or(l.ClipEps, 1e-5, l.meant)
	return l
}

// MarshalTree writes the default if a literal leaves the epsilon out.
func (l XENT) MarshalTree() (any, error) {
	return dl4j.Members(l.completed())
}

// AfterRead notes that a zero from a file is intended.
func (l *XENT) AfterRead() { l.meant = l.ClipEps == 0 }

// NewXENT returns a loss with Deeplearning4j's defaults: a ClipEps of 10⁻⁵, and no weights.
func NewXENT() XENT { return XENT{}.completed() }

// Rows is the formula.
func (l XENT) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	l = l.completed()
	one := b.Scalar(1)
	log := func(x *program.Value) *program.Value { return b.Unary(program.Log, b.Max(x, b.Scalar(smallest))) }
	_, softmax := act.(activation.Softmax)
	if softmax && l.Weights != nil {
		z = b.WithGradient(z, z, l.Weights.apply(b, b.Fill(1, z.Shape...)))
	}
	p := predict(b, z, act, mask)
	bounded := b.Clip(p, l.ClipEps, 1-l.ClipEps)
	other := b.Sub(one, bounded)
	slope := b.Div(b.Sub(bounded, labels), b.Max(b.Mul(bounded, other), b.Scalar(smallest)))
	if softmax {
		e := b.Neg(l.Weights.apply(b, b.Mul(labels, log(p))))
		return sum(b, b.WithGradient(e, p, slope), mask)
	}
	e := b.Neg(b.Add(b.Mul(labels, log(bounded)), b.Mul(b.Sub(one, labels), log(other))))
	return sum(b, l.Weights.apply(b, b.WithGradient(e, p, slope)), mask)
}

// Validate checks the weights and the bound.
func (l XENT) Validate(n int, act activation.Activation) error {
	if err := clipEpsilon("XENT", "clipEps", l.ClipEps); err != nil {
		return err
	}
	return l.Weights.validate("XENT", n)
}

func init() { register("BinaryXENT", NewXENT(), "XENT") }
