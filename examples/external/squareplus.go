package external

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// Squareplus is a smooth ReLU: (z + √(z² + b))/2 (Barron, "Squareplus: a softplus-like algebraic rectifier", 2021).
type Squareplus struct {
	B float64 `dl4j:"b"`
}

func init() {
	activation.Classes.Register("com.example.Squareplus", func() activation.Activation { return Squareplus{B: 4} })
}

// Apply emits the formula.
func (s Squareplus) Apply(b *program.Builder, z *program.Value, _ activation.Env) *program.Value {
	root := b.Unary(program.Sqrt, b.Add(b.Unary(program.Square, z), b.Scalar(s.B)))
	return b.Mul(b.Add(z, root), b.Scalar(0.5))
}
