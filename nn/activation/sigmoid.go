package activation

import "github.com/dl4go/dl4go/program"

// Sigmoid is 1/(1 + e^−z). (Deeplearning4j: ActivationSigmoid.)
type Sigmoid struct{}

// Apply is the formula.
func (Sigmoid) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Unary(program.Sigmoid, z)
}

func init() { register("Sigmoid", "SIGMOID", Sigmoid{}) }
