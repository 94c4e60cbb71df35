package external

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/program"
)

// PseudoHuber is a smooth Huber loss: Σ δ²·(√(1 + ((p − y)/δ)²) − 1), about squared for small errors and linear for
// large ones.
type PseudoHuber struct {
	Delta float64 `dl4j:"delta"`
}

func init() {
	loss.Classes.Register("com.example.PseudoHuber", func() loss.Loss { return PseudoHuber{Delta: 1} })
}

// Rows emits the loss of each row.
func (l PseudoHuber) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	off := b.Mul(b.Sub(act.Apply(b, z, activation.Env{}), labels), b.Scalar(1/l.Delta))
	root := b.Unary(program.Sqrt, b.Add(b.Unary(program.Square, off), b.Scalar(1)))
	e := b.Mul(b.Sub(root, b.Scalar(1)), b.Scalar(l.Delta*l.Delta))
	if mask != nil {
		e = b.Mul(e, mask)
	}
	return b.Sum(e, 1)
}

// Labels is one label column for each output.
func (l PseudoHuber) Labels(n int) int { return n }

// Validate wants δ above 0.
func (l PseudoHuber) Validate(int, activation.Activation) error {
	if !(l.Delta > 0) {
		return fmt.Errorf("loss PseudoHuber: delta is %g; set it above 0", l.Delta)
	}
	return nil
}
