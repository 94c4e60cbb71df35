package activation

import "github.com/dl4go/dl4go/program"

// SoftSign is z/(1 + |z|). (Deeplearning4j: ActivationSoftSign.)
type SoftSign struct{}

// Apply is the formula.
func (SoftSign) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Div(z, b.Add(b.Unary(program.Abs, z), b.Scalar(1)))
}

func init() { register("SoftSign", "SOFTSIGN", SoftSign{}) }
