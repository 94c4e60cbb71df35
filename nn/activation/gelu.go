package activation

import (
	"math"

	"github.com/dl4go/dl4go/program"
)

// GELU approximates z·Φ(z), Φ being the standard normal distribution function, by z·σ(1.702·z) (Hendrycks and Gimpel,
// "Gaussian error linear units", 2016), or with Precise by ½·z·(1 + tanh(√(2/π)·(z + (0.044715·z)³))).
// (Deeplearning4j: ActivationGELU.)
//
// The second formula is Deeplearning4j's, for the sake of networks trained with it. The paper has 0.044715·z³, which is
// closer to z·Φ(z). Deeplearning4j differs: its gradient is not quite the formula's derivative.
type GELU struct {
	Precise bool `dl4j:"precise"`
}

// Apply is the formula.
func (a GELU) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	if !a.Precise {
		return b.Mul(z, b.Unary(program.Sigmoid, b.Mul(b.Scalar(1.702), z)))
	}
	// ½·(1 + tanh u) = σ(2u), with u = √(2/π)·z·(1 + 0.044715³·z²)
	cubed := b.Scalar(0.044715 * 0.044715 * 0.044715)
	u := b.Mul(z, b.Add(b.Mul(cubed, b.Unary(program.Square, z)), b.Scalar(1)))
	return b.Mul(z, b.Unary(program.Sigmoid, b.Mul(b.Scalar(2*math.Sqrt(2/math.Pi)), u)))
}

func init() { register("GELU", "GELU", GELU{}) }
