package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// ownPackage is the package of updaters that Deeplearning4j does not have. It cannot open files that name them.
const ownPackage = "io.github.dl4go.learning."

// Momentum is gradient descent with classical momentum μ (Polyak, "Some methods of speeding up the convergence of
// iteration methods", 1964), as in Keras' SGD:
//
//	v' = μ·v − α·g
//	update = −v'
//
// State: v.
//
// Deeplearning4j differs: it only has [Nesterovs], with the same state. PyTorch's v does not contain α.
type Momentum struct {
	// LearningRate is α, 0.01 in NewMomentum. It has no effect if LearningRateSchedule is set.
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Momentum             float64  `dl4j:"momentum"` // μ

	meant bool // see package literal
}

// NewMomentum returns an updater with α 0.01, which is Keras' default, and μ 0.9.
func NewMomentum() Momentum { return Momentum{LearningRate: 0.01, Momentum: 0.9, meant: true} }

// States is 1.
func (u Momentum) States() int { return 1 }

// InitialState is 0.
func (u Momentum) InitialState(int) float64 { return 0 }

// Scalars are α.
func (u Momentum) Scalars(iteration, epoch int) []float64 {
	return []float64{rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)}
}

// Emit is the equation.
func (u Momentum) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	v := b.Sub(b.Mul(b.Scalar(u.Momentum), state[0]), b.Mul(scalars[0], g))
	return b.Neg(v), []*program.Value{v}
}

// Rate is α.
func (u Momentum) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u Momentum) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewMomentum())
	}
	return u
}

// Equal compares all settings.
func (u Momentum) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u Momentum) Validate() error {
	return check("Momentum", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("momentum", u.Momentum))
}

func init() { Classes.Register(ownPackage+"Momentum", func() Updater { return NewMomentum() }) }
