package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// MSLE is the mean squared logarithmic error: 1/n · Σ wⱼ·log²((pⱼ + 1)/(yⱼ + 1)), for y and p above −1.
// (Deeplearning4j: LossMSLE.)
type MSLE struct{ Weighted }

// Rows is the formula.
func (l MSLE) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	p := predict(b, z, act, mask)
	e := b.Unary(program.Square, b.Sub(b.Unary(program.Log1p, p), b.Unary(program.Log1p, labels)))
	return b.Mul(sum(b, l.Weights.apply(b, e), mask), perOutput(b, z))
}

// Validate checks the weights.
func (l MSLE) Validate(n int, act activation.Activation) error { return l.Weights.validate("MSLE", n) }

func init() { register("MSLE", MSLE{}, "MEAN_SQUARED_LOGARITHMIC_ERROR") }
