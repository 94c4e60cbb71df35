package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// CosineProximity is −cos(y, p) = −Σ yⱼ·pⱼ / (‖y‖·‖p‖), with norms of at least 10⁻⁵. (Deeplearning4j:
// LossCosineProximity, which refuses masks of single outputs; here they mask the terms of the sum, not the norms.)
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

// norm is √Σxⱼ² of each row, at least 10⁻⁵, where rows were divided by a number: that is 0 for a large one's least.
func norm(b *program.Builder, x, by *program.Value) *program.Value {
	least := b.Select(b.Binary(program.Greater, by, b.Scalar(1)), b.Scalar(0), b.Scalar(1e-10))
	return b.Unary(program.Sqrt, b.Max(b.Sum(b.Unary(program.Square, x), 1), b.Reshape(least, x.Shape[0])))
}

// Labels is n.
func (CosineProximity) Labels(n int) int { return n }

// Validate finds nothing.
func (CosineProximity) Validate(n int, act activation.Activation) error { return nil }

func init() { register("CosineProximity", CosineProximity{}, "COSINE_PROXIMITY") }
