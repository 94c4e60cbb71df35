package activation

import "github.com/dl4go/dl4go/program"

// RReLU is, in training, z where z > 0 and a·z elsewhere, where each element draws its a uniformly from [L, U) (Xu, Wang,
// Chen and Li, "Empirical evaluation of rectified activations in convolutional network", 2015); in inference it is
// max(z, (L + U)/2), as in Deeplearning4j, where the paper has the slope (L + U)/2. L is 1/8 and U is 1/3 by default.
// (Deeplearning4j: ActivationRReLU.)
//
// Deeplearning4j differs: its gradient is 1 for every element.
type RReLU struct {
	L float64 `dl4j:"l"`
	U float64 `dl4j:"u"`
}

// Apply is the formula.
func (a RReLU) Apply(b *program.Builder, z *program.Value, env Env) *program.Value {
	if !env.Training {
		return b.Max(z, b.Scalar((a.L+a.U)/2))
	}
	slope := b.Add(b.Mul(b.Scalar(a.U-a.L), b.Random(env.Stream, z.Shape...)), b.Scalar(a.L))
	return leaky(b, z, slope)
}

func init() { register("RReLU", "RRELU", RReLU{L: 1.0 / 8, U: 1.0 / 3}) }
