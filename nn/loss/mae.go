package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// MAE is the mean absolute error: 1/n · Σ wⱼ·|yⱼ − pⱼ|. (Deeplearning4j: LossMAE. It does not divide its score of
// single examples by n; here it is divided.)
type MAE struct{ Weighted }

// Rows is the formula.
func (l MAE) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	return b.Mul(L1(l).Rows(b, labels, z, act, mask), perOutput(b, z))
}

// Validate checks the weights.
func (l MAE) Validate(n int, act activation.Activation) error { return l.Weights.validate("MAE", n) }

func init() { register("MAE", MAE{}, "MEAN_ABSOLUTE_ERROR") }
