package activation

import "github.com/dl4go/dl4go/program"

// Swish is z·σ(z) (Ramachandran, Zoph and Le, "Searching for activation functions", 2017).
// (Deeplearning4j: ActivationSwish.)
type Swish struct{}

// Apply is the formula.
func (Swish) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Mul(z, b.Unary(program.Sigmoid, z))
}

func init() { register("Swish", "SWISH", Swish{}) }
