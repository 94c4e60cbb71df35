package activation

import "github.com/dl4go/dl4go/program"

// TanH is tanh z. (Deeplearning4j: ActivationTanH.)
type TanH struct{}

// Apply is the formula.
func (TanH) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Unary(program.Tanh, z)
}

func init() { register("TanH", "TANH", TanH{}) }
