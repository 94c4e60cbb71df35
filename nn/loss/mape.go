package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// MAPE is the mean absolute percentage error: 100/n · Σ wⱼ·|(yⱼ − pⱼ)/yⱼ|. It is infinite for labels of 0.
// (Deeplearning4j: LossMAPE.)
type MAPE struct{ Weighted }

// Rows is the formula.
func (l MAPE) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	p := predict(b, z, act, mask)
	if mask != nil { // labels that don't count are often 0: read them as 1
		one, zero := b.Scalar(1), b.Scalar(0)
		labels = b.Add(labels, b.Mul(b.Binary(program.Equal, mask, zero), b.Sub(one, labels)))
	}
	e := b.Unary(program.Abs, b.Div(b.Sub(p, labels), labels))
	rows := sum(b, l.Weights.apply(b, e), mask)
	return b.Mul(rows, b.Scalar(100/float64(z.Shape[1])))
}

// Validate checks the weights.
func (l MAPE) Validate(n int, act activation.Activation) error { return l.Weights.validate("MAPE", n) }

func init() { register("MAPE", MAPE{}, "MEAN_ABSOLUTE_PERCENTAGE_ERROR") }
