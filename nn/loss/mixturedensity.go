package loss

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// MixtureDensity is the negative log-likelihood −log Σₖ αₖ·N(y; μₖ, σₖ²) of labels of LabelWidth under a mixture of
// normal distributions (Bishop, "Mixture density networks", 1994). There are (LabelWidth + 2)·Mixtures outputs act(z).
// The first Mixtures give α by a softmax, the next σ by an exponential, and the rest the μ, one after the other.
// (Deeplearning4j: LossMixtureDensity.)
type MixtureDensity struct {
	LabelWidth int `dl4j:"labelWidth"`
	Mixtures   int `dl4j:"mixtures"`
}

// Rows is the formula. A mask [rows, 1] multiplies the losses.
func (l MixtureDensity) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	rows, k, w := z.Shape[0], l.Mixtures, l.LabelWidth
	if mask != nil && mask.Shape.Size() != rows {
		panic(&program.ShapeError{Op: "MixtureDensity", Shapes: []tensor.Shape{mask.Shape},
			Reason: "it takes masks of rows, not of single outputs"})
	}
	out := act.Apply(b, z, activation.Env{})
	share, spread := b.Slice(out, 1, 0, k), b.Slice(out, 1, k, 2*k)
	mu := b.Reshape(b.Slice(out, 1, 2*k, (w+2)*k), rows, k, w)
	distance := b.Sum(b.Unary(program.Square, b.Sub(b.Reshape(labels, rows, 1, w), mu)), 2)
	precision := b.Unary(program.Exp, b.Mul(spread, b.Scalar(-2)))
	t := b.Sub(share, logSumExp(b, share))
	t = b.Sub(t, b.Mul(b.Mul(distance, precision), b.Scalar(0.5)))
	t = b.Sub(t, b.Mul(b.Add(spread, b.Scalar(0.5*math.Log(2*math.Pi))), b.Scalar(float64(w))))
	return sum(b, b.Neg(logSumExp(b, t)), mask)
}

// logSumExp returns log Σe^xⱼ of each row, [rows, 1].
func logSumExp(b *program.Builder, x *program.Value) *program.Value {
	top := b.StopGradient(b.Apply(program.Reduce{Kind: program.Max, Dims: program.Dims(1), Keep: true}, x))
	e := b.Unary(program.Exp, b.Sub(x, top))
	return b.Add(b.Unary(program.Log, b.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(1), Keep: true}, e)),
		top)
}

// Labels is LabelWidth.
func (l MixtureDensity) Labels(int) int { return l.LabelWidth }

// Validate checks the number of outputs.
func (l MixtureDensity) Validate(n int, act activation.Activation) error {
	const most = 1 << 24
	if l.LabelWidth < 1 || l.Mixtures < 1 || l.LabelWidth > most || l.Mixtures > most {
		return fmt.Errorf("loss MixtureDensity: labelWidth is %d and mixtures %d: both must be positive, and at most %d",
			l.LabelWidth, l.Mixtures, most)
	}
	if want := (l.LabelWidth + 2) * l.Mixtures; n != want {
		return fmt.Errorf("loss MixtureDensity: %d outputs, (labelWidth + 2)·mixtures is %d", n, want)
	}
	return nil
}

func init() { register("MixtureDensity", MixtureDensity{}) }
