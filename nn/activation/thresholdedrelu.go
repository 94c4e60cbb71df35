package activation

import "github.com/dl4go/dl4go/program"

// ThresholdedReLU is z where z > Theta and 0 elsewhere. Theta is 1 by default. (Deeplearning4j:
// ActivationThresholdedReLU.)
type ThresholdedReLU struct {
	Theta float64 `dl4j:"theta"`
}

// Apply is the formula.
func (a ThresholdedReLU) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Select(b.Binary(program.Greater, z, b.Scalar(a.Theta)), z, b.Scalar(0))
}

func init() { register("ThresholdedReLU", "THRESHOLDEDRELU", ThresholdedReLU{Theta: 1}) }
