package activation

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// HardShrink is z where |z| > Threshold, and 0 elsewhere. Threshold is 0.5 by default.
//
// Deeplearning4j differs: it has no such class.
type HardShrink struct {
	Threshold float64 `dl4j:"threshold"`
	meant     bool    // see package literal
}

func (a HardShrink) threshold() float64 { return literal.Or(a.Threshold, 0.5, a.meant) }

// MarshalTree writes the default if a literal leaves Threshold out.
func (a HardShrink) MarshalTree() (any, error) {
	return dl4j.Object{{Name: "threshold", Value: a.threshold()}}, nil
}

// AfterRead notes that a zero from a file is intended.
func (a *HardShrink) AfterRead() { a.meant = a.Threshold == 0 }

// Apply is the formula.
func (a HardShrink) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	within := b.Binary(program.GreaterEqual, b.Scalar(a.threshold()), b.Unary(program.Abs, z))
	return b.Select(within, b.Mul(z, b.Scalar(0)), z)
}
