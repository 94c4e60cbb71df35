package updater

import "github.com/dl4go/dl4go/program"

// factored is [Adafactor] for matrices.
type factored struct {
	Adafactor
	of Parameter
}

// States is 2: r and c.
func (u factored) States() int { return 2 }

// StateSize is the number of rows or of columns, of all matrices.
func (u factored) StateSize(i int) int {
	over := u.of.Columns
	if i == 1 {
		over = u.of.Rows
	}
	return u.of.Shape.Size() / u.of.Shape[over]
}

// Emit is the equation for parameters that are 0.
func (u factored) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	return u.EmitFor(b, b.Fill(0, g.Shape...), g, state, scalars)
}

// EmitFor is the equation. g/√v is g/√r'·√(mean of r')/√c', because the product of a small r' and a small c' would be
// 0.
func (u factored) EmitFor(
	b *program.Builder, w, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	flat := g.Shape
	g = b.Reshape(g, u.of.Shape...)
	q := b.Add(b.Unary(program.Square, g), b.Scalar(u.Epsilon1))
	means := func(i, over int) *program.Value {
		mean := meanOf(b, q, over)
		return u.average(b, b.Reshape(state[i], mean.Shape...), mean, scalars)
	}
	r, c := means(0, u.of.Columns), means(1, u.of.Rows)
	root := func(x *program.Value) *program.Value { return b.Unary(program.Sqrt, x) }
	byColumn := b.Div(root(meanOf(b, r, u.of.Rows)), root(c))
	quotient := b.Mul(b.Div(g, root(r)), byColumn)
	update := u.step(b, w, b.Reshape(quotient, flat...), scalars)
	return update, []*program.Value{b.Reshape(r, u.StateSize(0)), b.Reshape(c, u.StateSize(1))}
}

// Equal compares settings and parameters.
func (u factored) Equal(other Updater) bool {
	o, ok := other.(factored)
	return ok && u.of.Equal(o.of) && u.Adafactor.Equal(o.Adafactor)
}
