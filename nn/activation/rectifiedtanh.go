package activation

import "github.com/dl4go/dl4go/program"

// RectifiedTanh is max(0, tanh z). (Deeplearning4j: ActivationRectifiedTanh.)
type RectifiedTanh struct{}

// Apply is the formula.
func (RectifiedTanh) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Max(b.Unary(program.Tanh, z), b.Scalar(0))
}

func init() { register("RectifiedTanh", "RECTIFIEDTANH", RectifiedTanh{}) }
