package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// Poisson is Σ (pⱼ − yⱼ·log pⱼ), for p above 0. (Deeplearning4j: LossPoisson.)
type Poisson struct{}

// Rows is the formula.
func (Poisson) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	p := predict(b, z, act, mask)
	e := b.Sub(p, b.Mul(labels, b.Unary(program.Log, b.Max(p, b.Scalar(smallest)))))
	return sum(b, e, mask)
}

// Labels is n.
func (Poisson) Labels(n int) int { return n }

// Validate returns nil.
func (Poisson) Validate(n int, act activation.Activation) error { return nil }

func init() { register("Poisson", Poisson{}, "POISSON") }
