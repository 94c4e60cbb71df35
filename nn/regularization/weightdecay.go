package regularization

import (
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// WeightDecay adds λ·α·w to the update, after the updater, where α is the learning rate. Without ApplyLR it adds λ·w
// (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019). It adds ½·λ·‖w‖² to the score.
// (Deeplearning4j: WeightDecay.)
type WeightDecay struct {
	ApplyLR  bool             `dl4j:"applyLR"`
	Schedule updater.Schedule `dl4j:"coeff"` // of λ
}

// NewWeightDecay returns a WeightDecay with a fixed λ.
func NewWeightDecay(lambda float64, applyLR bool) WeightDecay {
	return WeightDecay{applyLR, updater.FixedSchedule{V: lambda}}
}

// Phase is AfterUpdater.
func (r WeightDecay) Phase() Phase { return AfterUpdater }

// Coefficient is λ.
func (r WeightDecay) Coefficient(iteration, epoch int) float64 {
	return r.Schedule.Value(iteration, epoch)
}

// Score is ½·λ·‖w‖².
func (r WeightDecay) Score(b *program.Builder, w, coefficient *program.Value) *program.Value {
	return halfSquares(b, w, coefficient)
}

// Emit is x + λ·α·w, or x + λ·w.
func (r WeightDecay) Emit(b *program.Builder, w, x, coefficient, lr *program.Value) *program.Value {
	if r.ApplyLR {
		coefficient = b.Mul(coefficient, lr)
	}
	return b.Add(x, b.Mul(coefficient, w))
}

// Validate checks the schedule.
func (r WeightDecay) Validate() error { return validate("WeightDecay", r.Schedule) }

func init() {
	Classes.Register(javaPackage+"WeightDecay", func() Regularization { return WeightDecay{ApplyLR: true} })
}
