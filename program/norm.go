package program

import "math"

// normScale keeps the squares of all of float32's numbers within its range.
const normScale = 0x1p-80

// Norm is the Euclidean norm of x over dims, which stay with extent 1, and the scale that the norm is of: 1, and
// 2⁻⁸⁰ where the sum of the squares overflows, as it does from 1.8e19 on. The norm is √Σ(scale·x)².
func (b *Builder) Norm(x *Value, dims ...int) (norm, scale *Value) {
	length := func(x *Value) *Value {
		return b.Unary(Sqrt, b.Apply(Reduce{Kind: Sum, Dims: Dims(dims...), Keep: true}, b.Unary(Square, x)))
	}
	plain, small := length(x), b.Scalar(normScale)
	tooLarge := b.Binary(Greater, plain, b.Scalar(math.MaxFloat32))
	return b.Select(tooLarge, length(b.Mul(x, small)), plain), b.Select(tooLarge, small, b.Scalar(1))
}

// largeEntry is where Shrunk begins. Below it, cubes of norms and their squares are within float32's range.
const largeEntry = 1 << 16

// Shrunk is x/by, and by: along dims, the largest magnitude of x if it is above 2¹⁶, and 1 otherwise, which changes no
// bit. Sums of squares of its results don't overflow. By has no gradient.
func Shrunk(b *Builder, x *Value, dims ...int) (shrunk, by *Value) {
	most := b.Apply(Reduce{Kind: Max, Dims: Dims(dims...), Keep: true}, b.Unary(Abs, b.StopGradient(x)))
	by = b.Select(b.Binary(Greater, most, b.Scalar(largeEntry)), most, b.Scalar(1))
	return b.Div(x, by), by
}
