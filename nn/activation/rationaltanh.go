package activation

import "github.com/dl4go/dl4go/program"

// RationalTanh is 1.7159·r(2z/3) with r(u) = sgn(u)·(1 − 1/(1 + |u| + u² + 1.41645·u⁴)), an approximation of
// 1.7159·tanh(2z/3) that rises monotonically. (Deeplearning4j: ActivationRationalTanh.)
type RationalTanh struct{}

// Apply is the formula in the form r(u) = u·(1 + |u| + c·|u|³)/(1 + |u| + u² + c·u⁴), which neither cancels nor loses
// its slope at 0.
func (RationalTanh) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	one, c := b.Scalar(1), b.Scalar(1.41645)
	u := b.Clip(b.Mul(b.Scalar(2.0/3), z), -1e4, 1e4) // r is 1 beyond; the power would overflow
	a := b.Unary(program.Abs, u)
	square := b.Unary(program.Square, u)
	top := b.Add(b.Add(a, one), b.Mul(c, b.Mul(a, square)))
	bottom := b.Add(b.Mul(a, top), one)
	return b.Mul(b.Scalar(1.7159), b.Div(b.Mul(u, top), bottom))
}

func init() { register("RationalTanh", "RATIONALTANH", RationalTanh{}) }
