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
	dot := sum(b, b.Mul(labels, p), mask)
	return b.Neg(b.Div(dot, b.Mul(norm(b, p), norm(b, labels))))
}

// norm is √Σxⱼ² of each row, at least 10⁻⁵.
func norm(b *program.Builder, x *program.Value) *program.Value {
	return b.Unary(program.Sqrt, b.Max(b.Sum(b.Unary(program.Square, x), 1), b.Scalar(1e-10)))
}

// Labels is n.
func (CosineProximity) Labels(n int) int { return n }

// Validate finds nothing.
func (CosineProximity) Validate(n int, act activation.Activation) error { return nil }

func init() { register("CosineProximity", CosineProximity{}, "COSINE_PROXIMITY") }
