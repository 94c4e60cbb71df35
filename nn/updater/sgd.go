package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// Sgd is plain gradient descent: the update is α·g. It has no state. (Deeplearning4j: Sgd.)
type Sgd struct {
	// LearningRate is α, 0.001 in NewSgd. It has no effect if LearningRateSchedule is set (Deeplearning4j then usually
	// has NaN here).
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`

	meant bool // see package literal
}

// NewSgd returns an updater with Deeplearning4j's default, α 0.001.
func NewSgd() Sgd { return Sgd{LearningRate: 1e-3, meant: true} }

// States is 0.
func (u Sgd) States() int { return 0 }

// InitialState is unused.
func (u Sgd) InitialState(int) float64 { return 0 }

// Scalars are α.
func (u Sgd) Scalars(iteration, epoch int) []float64 {
	return []float64{rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)}
}

// Emit is the equation.
func (u Sgd) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	return b.Mul(scalars[0], g), nil
}

// Rate is α.
func (u Sgd) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u Sgd) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewSgd())
	}
	return u
}

// KeepsAtZero is true: an update of 0 changes nothing.
func (u Sgd) KeepsAtZero() bool { return true }

// Equal compares all settings.
func (u Sgd) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u Sgd) Validate() error {
	return check("Sgd", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule))
}

func init() { Classes.Register(javaPackage+"Sgd", func() Updater { return NewSgd() }) }
