package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// Hinge is Σ max(0, 1 − yⱼ·pⱼ), for labels of −1 and 1. (Deeplearning4j: LossHinge.)
type Hinge struct{}

// Rows is the formula.
func (Hinge) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	p := predict(b, z, act, mask)
	return sum(b, margin(b, labels, p), mask)
}

// margin is max(0, 1 − y·p).
func margin(b *program.Builder, y, p *program.Value) *program.Value {
	return b.Max(b.Sub(b.Scalar(1), b.Mul(y, p)), b.Scalar(0))
}

// Labels is n.
func (Hinge) Labels(n int) int { return n }

// Validate returns nil.
func (Hinge) Validate(n int, act activation.Activation) error { return nil }

func init() { register("Hinge", Hinge{}, "HINGE") }
