package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// SquaredHinge is Σ max(0, 1 − yⱼ·pⱼ)², for labels of −1 and 1. (Deeplearning4j: LossSquaredHinge.)
type SquaredHinge struct{}

// Rows is the formula.
func (SquaredHinge) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	p := predict(b, z, act, mask)
	return sum(b, b.Unary(program.Square, margin(b, labels, p)), mask)
}

// Labels is n.
func (SquaredHinge) Labels(n int) int { return n }

// Validate returns nil.
func (SquaredHinge) Validate(n int, act activation.Activation) error { return nil }

func init() { register("SquaredHinge", SquaredHinge{}, "SQUARED_HINGE") }
