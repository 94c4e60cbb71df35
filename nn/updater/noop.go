package updater

import (
	"github.com/dl4go/dl4go/program"
)

// NoOp uses the gradient itself as the update (Deeplearning4j: NoOp). The statistics of batch normalisation and frozen
// parameters use it, with suitable gradients. Other parameters with NoOp learn at a rate of 1; they do not stand
// still. It has no state.
type NoOp struct{}

// States is 0.
func (u NoOp) States() int { return 0 }

// InitialState is unused.
func (u NoOp) InitialState(int) float64 { return 0 }

// Scalars returns nothing: there are none.
func (u NoOp) Scalars(iteration, epoch int) []float64 { return nil }

// Emit is the equation.
func (u NoOp) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	return g, nil
}

// Rate returns false: there is no learning rate.
func (u NoOp) Rate(iteration, epoch int) (float64, bool) { return 0, false }

// KeepsAtZero is true: an update of 0 changes nothing.
func (u NoOp) KeepsAtZero() bool { return true }

// Equal compares all settings.
func (u NoOp) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u NoOp) Validate() error { return nil }

func init() { Classes.Register(javaPackage+"NoOp", func() Updater { return NoOp{} }) }
