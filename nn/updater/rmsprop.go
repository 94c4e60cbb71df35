package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// RmsProp divides by the root of the averaged square (Tieleman and Hinton, lecture 6.5 of "Neural networks for machine
// learning", 2012):
//
//	h' = ρ·h + (1−ρ)·g²
//	update = α·g/(√h' + ε)
//
// State: h, initially ε. (Deeplearning4j: RmsProp.) PyTorch starts with 0; TensorFlow has ε under the root.
type RmsProp struct {
	// LearningRate is α, 0.1 in NewRmsProp. It has no effect if LearningRateSchedule is set (Deeplearning4j then
	// usually has NaN here).
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	RmsDecay             float64  `dl4j:"rmsDecay"` // ρ
	Epsilon              float64  `dl4j:"epsilon"`  // beside √h

	meant bool // see package literal
}

// NewRmsProp returns an updater with Deeplearning4j's defaults: α 0.1, ρ 0.95, ε 10⁻⁸.
func NewRmsProp() RmsProp {
	return RmsProp{LearningRate: 0.1, RmsDecay: 0.95, Epsilon: 1e-8, meant: true}
}

// States is 1.
func (u RmsProp) States() int { return 1 }

// InitialState is ε.
func (u RmsProp) InitialState(int) float64 { return u.Epsilon }

// Scalars are α.
func (u RmsProp) Scalars(iteration, epoch int) []float64 {
	return []float64{rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)}
}

// Emit is the equation.
func (u RmsProp) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	h := moving(b, u.RmsDecay, state[0], b.Unary(program.Square, g))
	root := b.Add(b.Unary(program.Sqrt, h), b.Scalar(u.Epsilon))
	return b.Div(b.Mul(scalars[0], g), root), []*program.Value{h}
}

// Rate is α.
func (u RmsProp) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u RmsProp) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewRmsProp())
	}
	return u
}

// Equal compares all settings.
func (u RmsProp) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u RmsProp) Validate() error {
	return check("RmsProp", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("rmsDecay", u.RmsDecay), positive("epsilon", u.Epsilon))
}

func init() { Classes.Register(javaPackage+"RmsProp", func() Updater { return NewRmsProp() }) }
