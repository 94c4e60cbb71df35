package activation

import "github.com/dl4go/dl4go/program"

// Mish is z·tanh(log(1 + e^z)) (Misra, "Mish: a self regularized non-monotonic activation function", 2019).
// (Deeplearning4j: ActivationMish.)
type Mish struct{}

// Apply is the formula.
func (Mish) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Mul(z, b.Unary(program.Tanh, b.Unary(program.Softplus, z)))
}

func init() { register("Mish", "MISH", Mish{}) }
