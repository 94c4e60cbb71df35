package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// L1 is the absolute error: Σ wⱼ·|yⱼ − pⱼ|. Its slope where y = p is 0. (Deeplearning4j: LossL1.)
type L1 struct{ Weighted }

// Rows is the formula.
func (l L1) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	p := predict(b, z, act, mask)
	return sum(b, l.Weights.apply(b, b.Unary(program.Abs, b.Sub(p, labels))), mask)
}

// Validate checks the weights.
func (l L1) Validate(n int, act activation.Activation) error { return l.Weights.validate("L1", n) }

func init() { register("L1", L1{}, "L1") }
