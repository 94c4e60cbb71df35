package activation

import "github.com/dl4go/dl4go/program"

// HardSigmoid is 0.2·z + 0.5, held within [0, 1]. (Deeplearning4j: ActivationHardSigmoid.)
type HardSigmoid struct{}

// Apply is the formula.
func (HardSigmoid) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Clip(b.Add(b.Mul(b.Scalar(0.2), z), b.Scalar(0.5)), 0, 1)
}

func init() { register("HardSigmoid", "HARDSIGMOID", HardSigmoid{}) }
