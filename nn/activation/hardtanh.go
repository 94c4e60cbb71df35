package activation

import "github.com/dl4go/dl4go/program"

// HardTanH is z held within [−1, 1]. (Deeplearning4j: ActivationHardTanH.)
type HardTanH struct{}

// Apply is the formula.
func (HardTanH) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Clip(z, -1, 1)
}

func init() { register("HardTanH", "HARDTANH", HardTanH{}) }
