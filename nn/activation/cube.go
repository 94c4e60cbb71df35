package activation

import "github.com/dl4go/dl4go/program"

// Cube is z³. (Deeplearning4j: ActivationCube.)
type Cube struct{}

// Apply is the formula.
func (Cube) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Mul(z, b.Unary(program.Square, z))
}

func init() { register("Cube", "CUBE", Cube{}) }
