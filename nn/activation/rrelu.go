package activation

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/program"
)

// RReLU is, in training, z where z > 0 and a·z elsewhere. Each element draws its a uniformly from [L, U) (Xu, Wang,
// Chen and Li, "Empirical evaluation of rectified activations in convolutional network", 2015). In inference it is
// max(z, (L + U)/2), as in Deeplearning4j; the paper has the slope (L + U)/2 there. L is 1/8 and U is 1/3 by default.
// (Deeplearning4j: ActivationRReLU.)
//
// Deeplearning4j differs: its gradient is 1 for every element.
type RReLU struct {
	L     float64 `dl4j:"l"`
	U     float64 `dl4j:"u"`
	meant bool    // see package literal
}

// bounds returns L and U, or their defaults if a literal leaves both out.
func (a RReLU) bounds() (l, u float64) {
	if a.L == 0 && a.U == 0 && !a.meant {
		return 1.0 / 8, 1.0 / 3
	}
	return a.L, a.U
}

// MarshalTree writes the defaults if a literal leaves both bounds out.
func (a RReLU) MarshalTree() (any, error) {
	l, u := a.bounds()
	return dl4j.Object{{Name: "l", Value: l}, {Name: "u", Value: u}}, nil
}

// AfterRead notes that a zero from a file is intended.
func (a *RReLU) AfterRead() { a.meant = a.L == 0 && a.U == 0 }

// Apply is the formula.
func (a RReLU) Apply(b *program.Builder, z *program.Value, env Env) *program.Value {
	lower, upper := a.bounds()
	if !env.Training {
		return b.Max(z, b.Scalar((lower+upper)/2))
	}
	slope := b.Add(b.Mul(b.Scalar(upper-lower), b.Random(env.Stream, z.Shape...)), b.Scalar(lower))
	return leaky(b, z, slope)
}

func init() { register("RReLU", "RRELU", RReLU{L: 1.0 / 8, U: 1.0 / 3}) }
