package activation

import "github.com/dl4go/dl4go/program"

// ReLU6 is z held within [0, 6]. (Deeplearning4j: ActivationReLU6.)
type ReLU6 struct{}

// Apply is the formula.
func (ReLU6) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Clip(z, 0, 6)
}

func init() { register("ReLU6", "RELU6", ReLU6{}) }
