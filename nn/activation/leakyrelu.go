package activation

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// LReLU is z where z > 0 and Alpha·z elsewhere, the leaky rectifier. Alpha is 0.01 by default. (Deeplearning4j:
// ActivationLReLU.)
type LReLU struct {
	Alpha float64 `dl4j:"alpha"`
	meant bool    // see package literal
}

func (a LReLU) alpha() float64 { return literal.Or(a.Alpha, 0.01, a.meant) }

// MarshalTree writes the default if a literal leaves Alpha out.
func (a LReLU) MarshalTree() (any, error) {
	return dl4j.Object{{Name: "alpha", Value: a.alpha()}}, nil
}

// AfterRead notes that a zero from a file is intended.
func (a *LReLU) AfterRead() { a.meant = a.Alpha == 0 }

// Apply is the formula.
func (a LReLU) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return leaky(b, z, b.Scalar(a.alpha()))
}

// leaky is z where z > 0 and slope·z elsewhere.
func leaky(b *program.Builder, z, slope *program.Value) *program.Value {
	return b.Select(b.Binary(program.Greater, z, b.Scalar(0)), z, b.Mul(slope, z))
}

func init() { register("LReLU", "LEAKYRELU", LReLU{Alpha: 0.01}) }
