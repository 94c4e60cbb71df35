package loss

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// The losses of Keras that Deeplearning4j does not have.
//
// Deeplearning4j differs: it has no such classes.
type (
	// Huber is the mean over the n outputs of ½·dⱼ² for errors dⱼ = pⱼ − yⱼ of at most Delta, and of Delta·(|dⱼ| −
	// ½·Delta) for larger ones (Huber, "Robust estimation of a location parameter", 1964). Deeplearning4j differs: it has
	// no such class.
	Huber struct {
		Delta float64 `dl4j:"delta"` // 1 in NewHuber
	}
	// LogCosh is 1/n · Σ log cosh(pⱼ − yⱼ). Deeplearning4j differs: it has no such class.
	LogCosh struct{}
	// CategoricalHinge is max(0, 1 + maxⱼ (1 − yⱼ)·pⱼ − Σ yⱼ·pⱼ), for one-hot labels. Deeplearning4j differs: it has no
	// such class.
	CategoricalHinge struct{}
)

// NewHuber returns a loss with Keras' default, a Delta of 1.
func NewHuber() Huber { return Huber{Delta: 1} }

// mean returns the mean of the masked losses e [rows, n] of each row.
func mean(b *program.Builder, e, mask *program.Value) *program.Value {
	return b.Mul(sum(b, e, mask), perOutput(b, e))
}

// Rows is the formula.
func (l Huber) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	size := b.Unary(program.Abs, b.Sub(predict(b, z, act, mask), labels))
	near := b.Min(size, b.Scalar(l.Delta)) // ½·near² + Delta·(size − near)
	e := b.Add(b.Mul(b.Unary(program.Square, near), b.Scalar(0.5)), b.Mul(b.Sub(size, near), b.Scalar(l.Delta)))
	return mean(b, e, mask)
}

// Labels is n.
func (l Huber) Labels(n int) int { return n }

// Validate requires a positive Delta.
func (l Huber) Validate(int, activation.Activation) error {
	if !(l.Delta > 0) || math.IsInf(l.Delta, 0) {
		return fmt.Errorf("loss Huber: delta is %g: it must be positive", l.Delta)
	}
	return nil
}

// Rows is the formula, as d + softplus(−2·d) − log 2.
func (l LogCosh) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	d := b.Sub(predict(b, z, act, mask), labels)
	e := b.Sub(b.Add(d, b.Unary(program.Softplus, b.Mul(d, b.Scalar(-2)))), b.Scalar(math.Ln2))
	return mean(b, e, mask)
}

// Labels is n.
func (l LogCosh) Labels(n int) int { return n }

// Validate returns nil.
func (l LogCosh) Validate(int, activation.Activation) error { return nil }

// Rows is the formula.
func (l CategoricalHinge) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	p := predict(b, z, act, mask)
	right := b.Mul(labels, p)
	wrong := b.Mul(b.Sub(b.Scalar(1), labels), p)
	if mask != nil && mask.Shape.Equal(z.Shape) {
		right, wrong = b.Mul(right, mask), b.Mul(wrong, mask)
		mask = nil
	}
	largest := b.Apply(program.Reduce{Kind: program.Max, Dims: program.Dims(1), Keep: true}, wrong)
	all := b.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(1), Keep: true}, right)
	e := b.Max(b.Add(b.Sub(largest, all), b.Scalar(1)), b.Scalar(0))
	return sum(b, e, mask)
}

// Labels is n.
func (l CategoricalHinge) Labels(n int) int { return n }

// Validate returns nil.
func (l CategoricalHinge) Validate(int, activation.Activation) error { return nil }

func init() {
	Classes.Register(ownPackage+"LossHuber", func() Loss { return NewHuber() })
	Classes.Register(ownPackage+"LossLogCosh", func() Loss { return LogCosh{} })
	Classes.Register(ownPackage+"LossCategoricalHinge", func() Loss { return CategoricalHinge{} })
}
