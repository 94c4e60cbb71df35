package activation

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// SoftShrink moves z by Threshold towards 0; it is 0 where |z| ≤ Threshold. Threshold is 0.5 by default.
//
// Deeplearning4j differs: it has no such class.
type SoftShrink struct {
	Threshold float64 `dl4j:"threshold"`
	meant     bool    // see package literal
}

func (a SoftShrink) threshold() float64 { return literal.Or(a.Threshold, 0.5, a.meant) }

// MarshalTree writes the default if a literal leaves Threshold out.
func (a SoftShrink) MarshalTree() (any, error) {
	return dl4j.Object{{Name: "threshold", Value: a.threshold()}}, nil
}

// AfterRead notes that a zero from a file is intended.
func (a *SoftShrink) AfterRead() { a.meant = a.Threshold == 0 }

// Apply is the formula.
func (a SoftShrink) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Sub(z, b.Clip(z, -a.threshold(), a.threshold()))
}
