package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// LazyAdam is [Adam] that skips elements whose gradient is 0: the parameter, m and v stay as they are. A step then
// costs as much as the rows of an embedding that its minibatch uses, not as much as the whole table.
//
// The results differ from Adam's. With Adam, a row that a minibatch does not use goes on moving along its averaged
// gradient. With LazyAdam, the averages of a rare row decay only in the steps that use it. The bias correction counts
// all steps.
//
// State: m, v. TensorFlow's LazyAdam and PyTorch's SparseAdam skip whole rows; LazyAdam also skips single elements of
// other parameters, such as the weights of a unit that a rectifier switches off. Deeplearning4j has no such updater and
// does not read it.
type LazyAdam struct {
	// LearningRate is α, 0.001 in NewLazyAdam. It has no effect if LearningRateSchedule is set.
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Beta1                float64  `dl4j:"beta1"`   // decay of m
	Beta2                float64  `dl4j:"beta2"`   // decay of v
	Epsilon              float64  `dl4j:"epsilon"` // beside √v

	meant bool // see package literal
}

// NewLazyAdam returns an updater with the defaults of [NewAdam].
func NewLazyAdam() LazyAdam { return LazyAdam(NewAdam()) }

// States is 2: m and v.
func (u LazyAdam) States() int { return 2 }

// InitialState is 0.
func (u LazyAdam) InitialState(int) float64 { return 0 }

// Scalars are those of Adam.
func (u LazyAdam) Scalars(iteration, epoch int) []float64 { return Adam(u).Scalars(iteration, epoch) }

// Emit is the equation of Adam where g is not 0.
func (u LazyAdam) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	update, moved := Adam(u).Emit(b, g, state, scalars)
	zero := b.Binary(program.Equal, g, b.Scalar(0))
	for i, s := range state {
		moved[i] = b.Select(zero, s, moved[i])
	}
	return b.Select(zero, b.Scalar(0), update), moved
}

// KeepsAtZero is true: elements with a gradient of 0 are skipped.
func (u LazyAdam) KeepsAtZero() bool { return true }

// Rate is α.
func (u LazyAdam) Rate(iteration, epoch int) (float64, bool) { return Adam(u).Rate(iteration, epoch) }

func (u LazyAdam) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewLazyAdam())
	}
	return u
}

// Equal compares all settings.
func (u LazyAdam) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u LazyAdam) Validate() error {
	return check("LazyAdam", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("beta1", u.Beta1), decay("beta2", u.Beta2), positive("epsilon", u.Epsilon))
}

func init() { Classes.Register(ownPackage+"LazyAdam", func() Updater { return NewLazyAdam() }) }
