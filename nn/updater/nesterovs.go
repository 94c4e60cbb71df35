package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// Nesterovs is gradient descent with Nesterov's momentum μ (Sutskever, Martens, Dahl and Hinton, "On the importance of
// initialization and momentum in deep learning", 2013). The parameters are those after the look-ahead, as in Bengio,
// Boulanger-Lewandowski and Pascanu, "Advances in optimizing recurrent networks", 2013:
//
//	v' = μ·v − α·g
//	update = μ·v − (1+μ)·v'
//
// State: v. (Deeplearning4j: Nesterovs; its constructor with one number takes the momentum.)
//
// PyTorch differs: its v does not contain α, so a change of the learning rate affects the whole velocity at once.
type Nesterovs struct {
	// LearningRate is α, 0.1 in NewNesterovs. It has no effect if LearningRateSchedule is set (Deeplearning4j then
	// usually has NaN here).
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	// Momentum is μ, 0.9 in NewNesterovs. It has no effect if MomentumSchedule is set.
	Momentum         float64  `dl4j:"momentum"`
	MomentumSchedule Schedule `dl4j:"momentumISchedule,omitnull,alias=momentumSchedule"`

	meant bool // see package literal
}

// NewNesterovs returns an updater with Deeplearning4j's defaults: α 0.1, μ 0.9.
func NewNesterovs() Nesterovs { return Nesterovs{LearningRate: 0.1, Momentum: 0.9, meant: true} }

// States is 1.
func (u Nesterovs) States() int { return 1 }

// InitialState is 0.
func (u Nesterovs) InitialState(int) float64 { return 0 }

// Scalars are α and μ.
func (u Nesterovs) Scalars(iteration, epoch int) []float64 {
	return []float64{rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch),
		rate(u.Momentum, u.MomentumSchedule, iteration, epoch)}
}

// Emit is the equation.
func (u Nesterovs) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	mv := b.Mul(scalars[1], state[0])
	v := b.Sub(mv, b.Mul(scalars[0], g))
	return b.Sub(mv, b.Mul(b.Add(scalars[1], b.Scalar(1)), v)), []*program.Value{v}
}

// Rate is α.
func (u Nesterovs) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u Nesterovs) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewNesterovs())
	}
	return u
}

// Equal compares all settings.
func (u Nesterovs) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u Nesterovs) Validate() error {
	return check("Nesterovs", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		scheduled("momentum", u.Momentum, u.MomentumSchedule))
}

func init() { Classes.Register(javaPackage+"Nesterovs", func() Updater { return NewNesterovs() }) }
