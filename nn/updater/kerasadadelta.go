package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// KerasAdaDelta is [AdaDelta] with a learning rate, as in Keras and PyTorch:
//
//	a' = ρ·a + (1−ρ)·g²
//	x = g·√(d + ε)/√(a' + ε)
//	d' = ρ·d + (1−ρ)·x²
//	update = α·x
//
// State: a, d.
//
// Deeplearning4j differs: its AdaDelta has no learning rate.
type KerasAdaDelta struct {
	// LearningRate is α, 0.001 in NewKerasAdaDelta. It has no effect if LearningRateSchedule is set.
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Rho                  float64  `dl4j:"rho"`
	Epsilon              float64  `dl4j:"epsilon"`

	meant bool // see package literal
}

// NewKerasAdaDelta returns an updater with Keras' defaults: α 0.001, ρ 0.95, ε 10⁻⁷.
func NewKerasAdaDelta() KerasAdaDelta {
	return KerasAdaDelta{LearningRate: 1e-3, Rho: 0.95, Epsilon: 1e-7, meant: true}
}

// States is 2: a and d.
func (u KerasAdaDelta) States() int { return 2 }

// InitialState is 0.
func (u KerasAdaDelta) InitialState(int) float64 { return 0 }

// Scalars are α.
func (u KerasAdaDelta) Scalars(iteration, epoch int) []float64 {
	return []float64{rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)}
}

// Emit is the equation.
func (u KerasAdaDelta) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	x, next := AdaDelta{Rho: u.Rho, Epsilon: u.Epsilon}.Emit(b, g, state, nil)
	return b.Mul(scalars[0], x), next
}

// Rate is α.
func (u KerasAdaDelta) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u KerasAdaDelta) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewKerasAdaDelta())
	}
	return u
}

// Equal compares all settings.
func (u KerasAdaDelta) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u KerasAdaDelta) Validate() error {
	return check("KerasAdaDelta", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("rho", u.Rho), positive("epsilon", u.Epsilon))
}

func init() {
	Classes.Register(ownPackage+"KerasAdaDelta", func() Updater { return NewKerasAdaDelta() })
}
