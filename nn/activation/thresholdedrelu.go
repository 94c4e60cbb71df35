package activation

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// ThresholdedReLU is z where z > Theta and 0 elsewhere. Theta is 1 by default. (Deeplearning4j:
// ActivationThresholdedReLU.)
type ThresholdedReLU struct {
	Theta float64 `dl4j:"theta"`
	meant bool    // see package literal
}

func (a ThresholdedReLU) theta() float64 { return literal.Or(a.Theta, 1, a.meant) }

// MarshalTree writes the default if a literal leaves Theta out.
func (a ThresholdedReLU) MarshalTree() (any, error) {
	return dl4j.Object{{Name: "theta", Value: a.theta()}}, nil
}

// AfterRead notes that a zero from a file is intended.
func (a *ThresholdedReLU) AfterRead() { a.meant = a.Theta == 0 }

// Apply is the formula.
func (a ThresholdedReLU) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Select(b.Binary(program.GreaterEqual, b.Scalar(a.theta()), z), b.Scalar(0), z) // NaN stays NaN
}

func init() { register("ThresholdedReLU", "THRESHOLDEDRELU", ThresholdedReLU{Theta: 1}) }
