package updater

import (
	"math"

	"github.com/dl4go/dl4go/program"
)

// orthogonal is [Muon] for a matrix.
type orthogonal struct {
	Muon
	of Parameter
}

// States is 1: m.
func (u orthogonal) States() int { return 1 }

// Emit is the equation. A transposed matrix has the transposed step. So the matrix stays as it is stored.
func (u orthogonal) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	m := b.Add(b.Mul(b.Scalar(u.Momentum), state[0]), g)
	d := m
	if !u.Classical {
		d = b.Add(g, b.Mul(b.Scalar(u.Momentum), m))
	}
	rows, columns := u.of.Shape[u.of.Rows], u.of.Shape[u.of.Columns]
	x := b.Reshape(d, rows, columns)
	if u.of.Rows > u.of.Columns {
		x = b.Reshape(d, columns, rows)
	}
	factor := 1.0
	if u.RMS != 0 {
		factor = u.RMS * math.Sqrt(float64(max(rows, columns)))
	}
	step := b.Mul(b.Mul(scalars[0], b.Scalar(factor)), u.direction(b, x))
	return b.Reshape(step, g.Shape...), []*program.Value{m}
}

// direction brings the singular values of x close to 1.
func (u orthogonal) direction(b *program.Builder, x *program.Value) *program.Value {
	norm, scale := b.Norm(x, 0, 1)
	x = b.Div(b.Mul(x, scale), b.Add(norm, b.Mul(b.Scalar(1e-7), scale)))
	wide := x.Shape[0] <= x.Shape[1]
	for range u.Iterations {
		square := b.Apply(program.MatMul{TransA: !wide, TransB: wide}, x, x)
		even := b.Add(b.Mul(b.Scalar(u.B), square),
			b.Apply(program.MatMul{}, b.Mul(b.Scalar(u.C), square), square))
		odd := b.Mul(b.Scalar(u.A), x)
		if wide {
			x = b.Add(odd, b.Apply(program.MatMul{}, even, x))
		} else {
			x = b.Add(odd, b.Apply(program.MatMul{}, x, even))
		}
	}
	return x
}

// Equal compares settings and parameters.
func (u orthogonal) Equal(other Updater) bool {
	o, ok := other.(orthogonal)
	return ok && u.of.Equal(o.of) && u.Muon.Equal(o.Muon)
}
