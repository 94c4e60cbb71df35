package updater

import (
	"math"

	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// Adafactor divides gradients by their magnitude, as Adam does, but keeps only the means of each row and each column
// of a matrix (Shazeer and Stern, "Adafactor: adaptive learning rates with sublinear memory cost", 2018):
//
//	β = 1 − t^d, q = g² + ε₁
//	r' = β·r + (1−β)·mean of q over columns
//	c' = β·c + (1−β)·mean of q over rows
//	v = r'·c' / mean of r'
//	u = g/√v
//	update = max(ε₂, rms(w)) · min(α, 1/√t) · u / max(1, rms(u)/Clip)
//
// Each matrix along the other dimensions of a kernel has its own r and c. A vector has v' = β·v + (1−β)·q in their
// place. rms is the root of the mean square over a whole parameter. State: r, c of matrices, v of vectors; initially 0.
//
// The results are Keras'. Deeplearning4j differs: it has no such updater.
type Adafactor struct {
	// LearningRate is α, the most that a step may be, 0.001 in NewAdafactor. It has no effect if LearningRateSchedule is
	// set.
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Decay                float64  `dl4j:"decay"`    // d, the exponent of t
	Epsilon1             float64  `dl4j:"epsilon1"` // ε₁
	Epsilon2             float64  `dl4j:"epsilon2"` // ε₂, the least magnitude of a parameter
	Clip                 float64  `dl4j:"clip"`     // the largest rms of u

	meant bool // see package literal
}

// NewAdafactor returns an updater with Keras' defaults: α 0.001, d −0.8, ε₁ 10⁻³⁰, ε₂ 0.001, Clip 1.
func NewAdafactor() Adafactor {
	return Adafactor{LearningRate: 1e-3, Decay: -0.8, Epsilon1: 1e-30, Epsilon2: 1e-3, Clip: 1, meant: true}
}

// For returns the updater of a vector or a matrix.
func (u Adafactor) For(p Parameter) Updater {
	if p.IsMatrix() {
		return factored{u, p}
	}
	return u
}

// States is 1: v.
func (u Adafactor) States() int { return 1 }

// InitialState is 0.
func (u Adafactor) InitialState(int) float64 { return 0 }

// Scalars are min(α, 1/√t), β and 1 − β.
func (u Adafactor) Scalars(iteration, epoch int) []float64 {
	t := float64(iteration) + 1
	alpha, rest := rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), math.Pow(t, u.Decay)
	return []float64{min(alpha, 1/math.Sqrt(t)), 1 - rest, rest}
}

// Emit is the equation for parameters that are 0.
func (u Adafactor) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	return u.EmitFor(b, b.Fill(0, g.Shape...), g, state, scalars)
}

// EmitFor is the equation for vectors.
func (u Adafactor) EmitFor(
	b *program.Builder, w, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	v := u.average(b, state[0], b.Add(b.Unary(program.Square, g), b.Scalar(u.Epsilon1)), scalars)
	return u.step(b, w, b.Div(g, b.Unary(program.Sqrt, v)), scalars), []*program.Value{v}
}

// average returns β·old + (1−β)·x.
func (u Adafactor) average(b *program.Builder, old, x *program.Value, scalars []*program.Value) *program.Value {
	return b.Add(b.Mul(scalars[1], old), b.Mul(scalars[2], x))
}

// step returns the update for u, the quotient of gradient and magnitude.
func (u Adafactor) step(b *program.Builder, w, quotient *program.Value, scalars []*program.Value) *program.Value {
	size := b.Mul(b.Max(b.Scalar(u.Epsilon2), rootMeanSquare(b, w)), scalars[0])
	excess := b.Mul(rootMeanSquare(b, quotient), b.Scalar(1/u.Clip))
	return b.Mul(b.Div(size, b.Max(b.Scalar(1), excess)), quotient)
}

// PerParameter is true: the magnitudes are those of a parameter.
func (u Adafactor) PerParameter() bool { return true }

// Rate is α.
func (u Adafactor) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u Adafactor) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewAdafactor())
	}
	return u
}

// Equal compares all settings.
func (u Adafactor) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u Adafactor) Validate() error {
	return check("Adafactor", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		rule{"decay", u.Decay, u.Decay <= 0 && !math.IsInf(u.Decay, 0), "must not be positive"},
		rule{"epsilon1", u.Epsilon1, u.Epsilon1 > 0 && !math.IsInf(u.Epsilon1, 0), "must be positive"},
		positive("epsilon2", u.Epsilon2),
		rule{"clip", u.Clip, u.Clip > 0, "must be positive"})
}

func init() { Classes.Register(ownPackage+"Adafactor", func() Updater { return NewAdafactor() }) }
