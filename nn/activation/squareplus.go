package activation

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// SquarePlus is (z + √(z² + B))/2. B is 4 by default.
//
// Deeplearning4j differs: it has no such class.
type SquarePlus struct {
	B     float64 `dl4j:"b"`
	meant bool    // see package literal
}

func (a SquarePlus) b() float64 { return literal.Or(a.B, 4, a.meant) }

// MarshalTree writes the default if a literal leaves B out.
func (a SquarePlus) MarshalTree() (any, error) {
	return dl4j.Object{{Name: "b", Value: a.b()}}, nil
}

// AfterRead notes that a zero from a file is intended.
func (a *SquarePlus) AfterRead() { a.meant = a.B == 0 }

// Apply is the formula.
func (a SquarePlus) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	root := b.Unary(program.Sqrt, b.Add(b.Unary(program.Square, z), b.Scalar(a.b())))
	return b.Mul(b.Add(z, root), b.Scalar(0.5))
}
