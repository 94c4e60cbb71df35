package activation

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// ELU is z where z > 0 and Alpha·(e^z − 1) elsewhere (Clevert, Unterthiner and Hochreiter, "Fast and accurate deep
// network learning by exponential linear units", 2016). Alpha is 1 by default. (Deeplearning4j: ActivationELU.)
//
// Deeplearning4j differs: its gradient below 0 leaves Alpha out.
type ELU struct {
	Alpha float64 `dl4j:"alpha"`
	meant bool    // see package literal
}

func (a ELU) alpha() float64 { return literal.Or(a.Alpha, 1, a.meant) }

// MarshalTree writes the default if a literal leaves Alpha out.
func (a ELU) MarshalTree() (any, error) {
	return dl4j.Object{{Name: "alpha", Value: a.alpha()}}, nil
}

// AfterRead notes that a zero from a file is intended.
func (a *ELU) AfterRead() { a.meant = a.Alpha == 0 }

// Apply is the formula.
func (a ELU) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	zero := b.Scalar(0)
	below := b.Mul(b.Scalar(a.alpha()), b.Unary(program.Expm1, b.Min(zero, z)))
	return b.Select(b.Binary(program.Greater, z, zero), z, below)
}

func init() { register("ELU", "ELU", ELU{Alpha: 1}) }
