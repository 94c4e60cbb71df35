package program

import "math"

// Norms from leastNorm to float32's largest number are computed directly: their squares neither overflow nor
// underflow. For others, the values are first multiplied by largeScale or smallScale. These are powers of two, so
// values that stay in range keep their bits.
const (
	leastNorm  = 0x1p-40
	largeScale = 0x1p-80
	smallScale = 0x1p80
)

// Norm returns √Σ(scale·x)², the Euclidean norm of scale·x over dims, and the scale. The dimensions dims stay, with
// extent 1. The scale prevents overflow and underflow. It is 2⁻⁸⁰ if the sum of the squares of x overflows, which
// happens from 1.8e19 on. It is 2⁸⁰ for norms below 2⁻⁴⁰, and otherwise 1.
func (b *Builder) Norm(x *Value, dims ...int) (norm, scale *Value) {
	length := func(x *Value) *Value {
		return b.Unary(Sqrt, b.Apply(Reduce{Kind: Sum, Dims: Dims(dims...), Keep: true}, b.Unary(Square, x)))
	}
	plain := length(x)
	scale = b.Select(b.Binary(Greater, b.Scalar(leastNorm), plain), b.Scalar(smallScale), b.Scalar(1))
	scale = b.Select(b.Binary(Greater, plain, b.Scalar(math.MaxFloat32)), b.Scalar(largeScale), scale)
	return b.Select(b.Binary(Equal, scale, b.Scalar(1)), plain, length(b.Mul(x, scale))), scale
}

// Shrunk and Scaled scale values outside these bounds. Between the bounds, cubes of norms and their squares are in
// float32's range. smallUnit is a power of two, so that dividing by it changes no bit.
const (
	largeEntry = 1 << 16
	smallEntry = 0x1p-50
	smallUnit  = 0x1p-64
)

// Shrunk returns x/by, whose sums of squares over dims do not overflow, and by. by is the largest magnitude of x along
// dims if that is above 2¹⁶, and otherwise 1, which changes no bit. No gradient flows to by.
func Shrunk(b *Builder, x *Value, dims ...int) (shrunk, by *Value) {
	return ShrunkAbove(b, largeEntry, x, dims...)
}

// ShrunkAbove is [Shrunk] with another bound than 2¹⁶, for sums of higher powers.
func ShrunkAbove(b *Builder, bound float64, x *Value, dims ...int) (shrunk, by *Value) {
	most := magnitude(b, x, dims)
	by = b.Select(b.Binary(Greater, most, b.Scalar(bound)), most, b.Scalar(1))
	return b.Div(x, by), by
}

// Scaled is [Shrunk] that also enlarges small numbers: by is 2⁻⁶⁴ if the largest magnitude is below 2⁻⁵⁰, so that
// squares do not underflow.
func Scaled(b *Builder, x *Value, dims ...int) (scaled, by *Value) {
	most := magnitude(b, x, dims)
	by = b.Select(b.Binary(Greater, b.Scalar(smallEntry), most), b.Scalar(smallUnit), b.Scalar(1))
	by = b.Select(b.Binary(Greater, most, b.Scalar(largeEntry)), most, by)
	return b.Div(x, by), by
}

// magnitude returns the largest magnitude of x along dims, without a gradient.
func magnitude(b *Builder, x *Value, dims []int) *Value {
	return b.Apply(Reduce{Kind: Max, Dims: Dims(dims...), Keep: true}, b.Unary(Abs, b.StopGradient(x)))
}
