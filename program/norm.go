package program

import "math"

// Norms between leastNorm and float32's largest number are plain: their squares neither overflow nor vanish. Others are
// norms of the values times largeScale or smallScale, powers of two, which change no bit of what they keep in range.
const (
	leastNorm  = 0x1p-40
	largeScale = 0x1p-80
	smallScale = 0x1p80
)

// Norm is the Euclidean norm of x over dims, which stay with extent 1, and the scale that the norm is of: √Σ(scale·x)².
// The scale is 1, 2⁻⁸⁰ where the sum of the squares overflows, as it does from 1.8e19 on, or 2⁸⁰ for norms below 2⁻⁴⁰.
func (b *Builder) Norm(x *Value, dims ...int) (norm, scale *Value) {
	length := func(x *Value) *Value {
		return b.Unary(Sqrt, b.Apply(Reduce{Kind: Sum, Dims: Dims(dims...), Keep: true}, b.Unary(Square, x)))
	}
	plain := length(x)
	scale = b.Select(b.Binary(Greater, b.Scalar(leastNorm), plain), b.Scalar(smallScale), b.Scalar(1))
	scale = b.Select(b.Binary(Greater, plain, b.Scalar(math.MaxFloat32)), b.Scalar(largeScale), scale)
	return b.Select(b.Binary(Equal, scale, b.Scalar(1)), plain, length(b.Mul(x, scale))), scale
}

// Values outside of these bounds are scaled by Shrunk and Scaled. Between them, cubes of norms and their squares are
// within float32's range. smallUnit is a power of two, so that dividing by it changes no bit.
const (
	largeEntry = 1 << 16
	smallEntry = 0x1p-50
	smallUnit  = 0x1p-64
)

// Shrunk is x/by, and by: along dims, the largest magnitude of x if it is above 2¹⁶, and 1 otherwise, which changes no
// bit. Sums of squares of its results don't overflow. By has no gradient.
func Shrunk(b *Builder, x *Value, dims ...int) (shrunk, by *Value) {
	return ShrunkAbove(b, largeEntry, x, dims...)
}

// ShrunkAbove is Shrunk with another bound than 2¹⁶, for sums of higher powers.
func ShrunkAbove(b *Builder, bound float64, x *Value, dims ...int) (shrunk, by *Value) {
	most := magnitude(b, x, dims)
	by = b.Select(b.Binary(Greater, most, b.Scalar(bound)), most, b.Scalar(1))
	return b.Div(x, by), by
}

// Scaled is Shrunk that also scales small rows up: by is 2⁻⁶⁴ where the largest magnitude is below 2⁻⁵⁰, so that the
// squares don't vanish.
func Scaled(b *Builder, x *Value, dims ...int) (scaled, by *Value) {
	most := magnitude(b, x, dims)
	by = b.Select(b.Binary(Greater, b.Scalar(smallEntry), most), b.Scalar(smallUnit), b.Scalar(1))
	by = b.Select(b.Binary(Greater, most, b.Scalar(largeEntry)), most, by)
	return b.Div(x, by), by
}

// magnitude is the largest one of x along dims, without its gradient.
func magnitude(b *Builder, x *Value, dims []int) *Value {
	return b.Apply(Reduce{Kind: Max, Dims: Dims(dims...), Keep: true}, b.Unary(Abs, b.StopGradient(x)))
}
