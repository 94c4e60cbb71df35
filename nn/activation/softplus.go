package activation

import "github.com/dl4go/dl4go/program"

// SoftPlus is log(1 + e^z). (Deeplearning4j: ActivationSoftPlus.)
type SoftPlus struct{}

// Apply is the formula.
func (SoftPlus) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Unary(program.Softplus, z)
}

func init() { register("SoftPlus", "SOFTPLUS", SoftPlus{}) }
