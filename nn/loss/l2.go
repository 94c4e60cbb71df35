package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// L2 is the squared error: Σ wⱼ·(yⱼ − pⱼ)². (Deeplearning4j: LossL2.)
type L2 struct{ Weighted }

// Rows is the formula.
func (l L2) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	p := predict(b, z, act, mask)
	return sum(b, l.Weights.apply(b, b.Unary(program.Square, b.Sub(p, labels))), mask)
}

// Validate checks the weights.
func (l L2) Validate(n int, act activation.Activation) error { return l.Weights.validate("L2", n) }

func init() { register("L2", L2{}, "L2") }
