package activation

import "github.com/dl4go/dl4go/program"

// RReLU is z where z > 0 and a·z elsewhere; in training each element draws its a uniformly from [L, U), in inference
// a = (L + U)/2 (Xu, Wang, Chen and Li, "Empirical evaluation of rectified activations in convolutional network",
// 2015). L is 1/8 and U is 1/3 by default. (Deeplearning4j: ActivationRReLU.)
//
// Deeplearning4j differs: in inference it cuts z off below (L + U)/2 instead, and its gradient is 1 for every element
// as its slopes are positive.
type RReLU struct {
	L float64 `dl4j:"l"`
	U float64 `dl4j:"u"`
}

// Apply is the formula.
func (a RReLU) Apply(b *program.Builder, z *program.Value, env Env) *program.Value {
	if !env.Training {
		return leaky(b, z, b.Scalar((a.L+a.U)/2))
	}
	slope := b.Add(b.Mul(b.Scalar(a.U-a.L), b.Random(env.Stream, z.Shape...)), b.Scalar(a.L))
	return leaky(b, z, slope)
}

func init() { register("RReLU", "RRELU", RReLU{L: 1.0 / 8, U: 1.0 / 3}) }
