package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// CosineProximity is −cos(y, p) = −Σ yⱼ·pⱼ / (‖y‖·‖p‖), with norms of at least 10⁻⁵. Masks of single outputs apply to
// the terms of the sum, not to the norms. (Deeplearning4j: LossCosineProximity, which refuses such masks.)
type CosineProximity struct{}

// Rows is the formula.
func (CosineProximity) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	p := predict(b, z, act, mask)
	p, most := program.Shrunk(b, p, 1)
	labels, mostOfLabels := program.Shrunk(b, labels, 1)
	dot := sum(b, b.Mul(labels, p), mask)
	return b.Neg(b.Div(dot, b.Mul(norm(b, p, most), norm(b, labels, mostOfLabels))))
}

// norm is √Σxⱼ² of each row, at least 10⁻⁵. Rows may have been divided by a number; the bound is divided by it, too,
// and may become 0.
func norm(b *program.Builder, x, by *program.Value) *program.Value {
	least := b.Select(b.Binary(program.Greater, by, b.Scalar(1)), b.Scalar(0), b.Scalar(1e-10))
	return b.Unary(program.Sqrt, b.Max(b.Sum(b.Unary(program.Square, x), 1), b.Reshape(least, x.Shape[0])))
}

// Labels is n.
func (CosineProximity) Labels(n int) int { return n }

// Validate returns nil.
func (CosineProximity) Validate(n int, act activation.Activation) error { return nil }

func init() { register("CosineProximity", CosineProximity{}, "COSINE_PROXIMITY") }
