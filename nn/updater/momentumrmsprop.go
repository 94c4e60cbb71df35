package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// MomentumRmsProp is RMSprop as in Keras since version 2.3, with ε under the root, and with momentum (Tieleman and
// Hinton, lecture 6.5 of "Neural networks for machine learning", 2012; Graves, "Generating sequences with recurrent
// neural networks", 2013):
//
//	h' = ρ·h + (1−ρ)·g²
//	c' = ρ·c + (1−ρ)·g
//	m' = μ·m + α·g/√(h' − c'² + ε)
//	update = m'
//
// Without Centered there is no c. Without Momentum there is no m, and the update is the quotient. State: h, m, c,
// initially 0.
//
// Deeplearning4j differs: its [RmsProp] adds ε to the root, has no momentum, and starts with ε.
type MomentumRmsProp struct {
	// LearningRate is α, 0.001 in NewMomentumRmsProp. It has no effect if LearningRateSchedule is set.
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	RmsDecay             float64  `dl4j:"rmsDecay"` // ρ
	Momentum             float64  `dl4j:"momentum"` // μ
	Epsilon              float64  `dl4j:"epsilon"`
	Centered             bool     `dl4j:"centered"`

	meant bool // see package literal
}

// NewMomentumRmsProp returns an updater with Keras' defaults: α 0.001, ρ 0.9, μ 0, ε 10⁻⁷, not centered.
func NewMomentumRmsProp() MomentumRmsProp {
	return MomentumRmsProp{LearningRate: 1e-3, RmsDecay: 0.9, Epsilon: 1e-7, meant: true}
}

// States returns 1 to 3.
func (u MomentumRmsProp) States() int {
	n := 1
	if u.Momentum != 0 {
		n++
	}
	if u.Centered {
		n++
	}
	return n
}

// InitialState is 0.
func (u MomentumRmsProp) InitialState(int) float64 { return 0 }

// Scalars are α.
func (u MomentumRmsProp) Scalars(iteration, epoch int) []float64 {
	return []float64{rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)}
}

// Emit is the equation.
func (u MomentumRmsProp) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	h := moving(b, u.RmsDecay, state[0], b.Unary(program.Square, g))
	next := []*program.Value{h}
	below := h
	var centre *program.Value
	if u.Centered {
		centre = moving(b, u.RmsDecay, state[len(state)-1], g)
		below = b.Sub(h, b.Unary(program.Square, centre))
	}
	update := b.Div(b.Mul(scalars[0], g), b.Unary(program.Sqrt, b.Add(below, b.Scalar(u.Epsilon))))
	if u.Momentum != 0 {
		update = b.Add(b.Mul(b.Scalar(u.Momentum), state[1]), update)
		next = append(next, update)
	}
	if u.Centered {
		next = append(next, centre)
	}
	return update, next
}

// Rate is α.
func (u MomentumRmsProp) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u MomentumRmsProp) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewMomentumRmsProp())
	}
	return u
}

// Equal compares all settings.
func (u MomentumRmsProp) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u MomentumRmsProp) Validate() error {
	return check("MomentumRmsProp", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("rmsDecay", u.RmsDecay), decay("momentum", u.Momentum), positive("epsilon", u.Epsilon))
}

func init() {
	Classes.Register(ownPackage+"MomentumRmsProp", func() Updater { return NewMomentumRmsProp() })
}
