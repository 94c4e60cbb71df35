package activation

import (
	"math"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/program"
)

// ownPackage is the package of activations that Deeplearning4j does not have. It cannot open files that name them.
const ownPackage = "io.github.dl4go.activations."

// The activations of Keras that Deeplearning4j does not have, or computes by another formula.
//
// Deeplearning4j differs: it has no such classes.
type (
	// HardSigmoid6 is z/6 + 1/2, held within [0, 1]. It is Keras' hard_sigmoid from version 3 on. Deeplearning4j differs:
	// its HardSigmoid has other numbers.
	HardSigmoid6 struct{}
	// HardSwish is z·HardSigmoid6(z) (Howard and others, "Searching for MobileNetV3", 2019). Deeplearning4j differs: it
	// has no such class.
	HardSwish struct{}
	// GELUExact is z·Φ(z), Φ being the standard normal distribution function, to about 10⁻⁷ (Hendrycks and Gimpel,
	// "Gaussian error linear units", 2016). Deeplearning4j differs: its [GELU] is an approximation.
	GELUExact struct{}
	// GELUTanh is ½·z·(1 + tanh(√(2/π)·(z + 0.044715·z³))), the approximation of the paper of [GELUExact]. Deeplearning4j
	// differs: its [GELU] has the power of the product, (0.044715·z)³.
	GELUTanh struct{}
	// Exponential is eᶻ. Deeplearning4j differs: it has no such class.
	Exponential struct{}
	// LogSoftmax is the logarithm of a [Softmax], over the last dimension. Deeplearning4j differs: it has no such class.
	LogSoftmax struct{}
	// LogSigmoid is the logarithm of a [Sigmoid]. Deeplearning4j differs: it has no such class.
	LogSigmoid struct{}
	// CELU is max(z, 0) + min(0, Alpha·(e^(z/Alpha) − 1)) (Barron, "Continuously differentiable exponential linear units",
	// 2017). Deeplearning4j differs: it has no such class.
	CELU struct {
		Alpha float64 `dl4j:"alpha"` // 0 means 1
	}
	// TanhShrink is z − tanh z. Deeplearning4j differs: it has no such class.
	TanhShrink struct{}
	// SparsePlus is 0 below −1, z above 1, and (z + 1)²/4 between. Deeplearning4j differs: it has no such class.
	SparsePlus struct{}
	// SparseSigmoid is (z + 1)/2, held within [0, 1]. Deeplearning4j differs: it has no such class.
	SparseSigmoid struct{}
)

func sixth(b *program.Builder, z *program.Value) *program.Value {
	return b.Clip(b.Add(b.Mul(b.Scalar(1.0/6), z), b.Scalar(0.5)), 0, 1)
}

// Apply is the formula.
func (HardSigmoid6) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return sixth(b, z)
}

// Apply is the formula.
func (HardSwish) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Mul(z, sixth(b, z))
}

// Apply is the formula, with Φ by formula 7.1.26 of Abramowitz and Stegun, "Handbook of mathematical functions" (1964).
// The derivative is Φ(z) + z·φ(z).
func (GELUExact) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	u := b.Mul(b.Unary(program.Abs, z), b.Scalar(1/math.Sqrt2))
	bell := b.Unary(program.Exp, b.Neg(b.Unary(program.Square, u)))
	tail := b.Mul(b.Mul(erfTail(b, u), bell), b.Scalar(0.5)) // 1 − Φ(|z|)
	phi := b.Select(b.Binary(program.Greater, z, b.Scalar(0)), b.Sub(b.Scalar(1), tail), tail)
	slope := b.Add(phi, b.Mul(z, b.Mul(bell, b.Scalar(1/math.Sqrt(2*math.Pi)))))
	return b.WithGradient(b.Mul(z, phi), z, slope)
}

// erfTail is (1 − erf u)·exp(u²) for u ≥ 0, to about 10⁻⁷.
func erfTail(b *program.Builder, u *program.Value) *program.Value {
	t := b.Unary(program.Reciprocal, b.Add(b.Mul(u, b.Scalar(0.3275911)), b.Scalar(1)))
	p := b.Scalar(1.061405429)
	for _, c := range []float64{-1.453152027, 1.421413741, -0.284496736, 0.254829592} {
		p = b.Add(b.Mul(p, t), b.Scalar(c))
	}
	return b.Mul(p, t)
}

// Apply is the formula.
func (GELUTanh) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	u := b.Mul(z, b.Add(b.Mul(b.Scalar(0.044715), b.Unary(program.Square, z)), b.Scalar(1)))
	return b.Mul(z, b.Unary(program.Sigmoid, b.Mul(b.Scalar(2*math.Sqrt(2/math.Pi)), u)))
}

// Apply is the formula.
func (Exponential) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Unary(program.Exp, z)
}

// Apply is the formula, computed with the largest z subtracted first.
func (LogSoftmax) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	last := program.Dims(len(z.Shape) - 1)
	largest := b.StopGradient(b.Apply(program.Reduce{Kind: program.Max, Dims: last, Keep: true}, z))
	z = b.Sub(z, largest)
	sum := b.Apply(program.Reduce{Kind: program.Sum, Dims: last, Keep: true}, b.Unary(program.Exp, z))
	return b.Sub(z, b.Unary(program.Log, sum))
}

// Apply is the formula.
func (LogSigmoid) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Neg(b.Unary(program.Softplus, b.Neg(z)))
}

// Apply is the formula.
func (a CELU) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	if a.Alpha == 0 {
		a.Alpha = 1
	}
	low := b.Mul(b.Unary(program.Expm1, b.Mul(b.Min(z, b.Scalar(0)), b.Scalar(1/a.Alpha))), b.Scalar(a.Alpha))
	return b.Add(b.Max(z, b.Scalar(0)), low)
}

// MarshalTree writes the default if Alpha is left out.
func (a CELU) MarshalTree() (any, error) {
	if a.Alpha == 0 {
		a.Alpha = 1
	}
	return dl4j.Object{{Name: "alpha", Value: a.Alpha}}, nil
}

// Apply is the formula.
func (TanhShrink) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Sub(z, b.Unary(program.Tanh, z))
}

// Apply is the formula.
func (SparsePlus) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	middle := b.Clip(b.Add(z, b.Scalar(1)), 0, 2)
	return b.Add(b.Mul(b.Unary(program.Square, middle), b.Scalar(0.25)), b.Max(b.Sub(z, b.Scalar(1)), b.Scalar(0)))
}

// Apply is the formula.
func (SparseSigmoid) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Clip(b.Mul(b.Add(z, b.Scalar(1)), b.Scalar(0.5)), 0, 1)
}

func init() {
	for name, a := range map[string]Activation{"HardSigmoid6": HardSigmoid6{}, "HardSwish": HardSwish{},
		"GELUExact": GELUExact{}, "GELUTanh": GELUTanh{}, "Exponential": Exponential{}, "LogSoftmax": LogSoftmax{},
		"LogSigmoid": LogSigmoid{}, "CELU": CELU{Alpha: 1}, "TanhShrink": TanhShrink{},
		"SoftShrink": SoftShrink{Threshold: 0.5}, "HardShrink": HardShrink{Threshold: 0.5}, "SquarePlus": SquarePlus{B: 4},
		"SparsePlus": SparsePlus{}, "SparseSigmoid": SparseSigmoid{}, "Formula": Formula{"z"}} {
		Classes.Register(ownPackage+name, func() Activation { return a })
	}
}
