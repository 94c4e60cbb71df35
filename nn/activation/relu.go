package activation

import "github.com/dl4go/dl4go/program"

// ReLU is max(0, z). With settings it is z where z ≥ Threshold, NegativeSlope·(z − Threshold) below, and at most Max.
// Settings that are nil are 0, 0 and infinite. The slope at 0 is 0. (Deeplearning4j: ActivationReLU.)
type ReLU struct {
	Max           *float64 `dl4j:"max"`
	NegativeSlope *float64 `dl4j:"negativeSlope"`
	Threshold     *float64 `dl4j:"threshold"`
}

// Apply is the formula.
func (a ReLU) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	y := b.Max(z, b.Scalar(0))
	if a.NegativeSlope != nil || a.Threshold != nil {
		threshold, slope := b.Scalar(or0(a.Threshold)), b.Scalar(or0(a.NegativeSlope))
		y = b.Select(b.Binary(program.GreaterEqual, z, threshold), z, b.Mul(slope, b.Sub(z, threshold)))
	}
	if a.Max != nil {
		y = b.Min(y, b.Scalar(*a.Max))
	}
	return y
}

func or0(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

func init() { register("ReLU", "RELU", ReLU{}) }
