package activation

import "github.com/dl4go/dl4go/program"

// Identity is z. (Deeplearning4j: ActivationIdentity.)
type Identity struct{}

// Apply is the formula.
func (Identity) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return z
}

func init() { register("Identity", "IDENTITY", Identity{}) }
