package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// MSE is the mean squared error: 1/n · Σ wⱼ·(yⱼ − pⱼ)². (Deeplearning4j: LossMSE; SQUARED_LOSS is the same.)
type MSE struct{ Weighted }

// Rows is the formula.
func (l MSE) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	return b.Mul(L2(l).Rows(b, labels, z, act, mask), perOutput(b, z))
}

// Validate checks the weights.
func (l MSE) Validate(n int, act activation.Activation) error { return l.Weights.validate("MSE", n) }

func init() { register("MSE", MSE{}, "MSE", "SQUARED_LOSS") }
