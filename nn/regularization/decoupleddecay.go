package regularization

import (
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// ownPackage is the package of regularizations that Deeplearning4j does not have. It cannot open files that name them.
const ownPackage = "io.github.dl4go.learning.regularization."

// DecoupledDecay adds λ·α·w to the update, after the updater, where α is the learning rate (Loshchilov and Hutter,
// "Decoupled weight decay regularization", 2019). The score does not change. It is AdamW's decay, and applies to every
// learned parameter of a layer, including those of normalisations.
//
// Deeplearning4j differs: its [WeightDecay] adds to the score, and does not apply to normalisations.
type DecoupledDecay struct {
	Schedule updater.Schedule `dl4j:"coeff"` // of λ
}

// NewDecoupledDecay returns a DecoupledDecay with a fixed λ.
func NewDecoupledDecay(lambda float64) DecoupledDecay {
	return DecoupledDecay{updater.FixedSchedule{V: lambda}}
}

// Everywhere returns the regularizations of a layer that apply to all its learned parameters.
func Everywhere(list []Regularization) []Regularization {
	var out []Regularization
	for _, r := range list {
		if _, ok := r.(DecoupledDecay); ok {
			out = append(out, r)
		}
	}
	return out
}

// Phase is AfterUpdater.
func (r DecoupledDecay) Phase() Phase { return AfterUpdater }

// Coefficient is λ.
func (r DecoupledDecay) Coefficient(iteration, epoch int) float64 {
	return r.Schedule.Value(iteration, epoch)
}

// Score is 0.
func (r DecoupledDecay) Score(b *program.Builder, w, coefficient *program.Value) *program.Value {
	return b.Scalar(0)
}

// Emit is x + λ·α·w.
func (r DecoupledDecay) Emit(b *program.Builder, w, x, coefficient, lr *program.Value) *program.Value {
	return b.Add(x, b.Mul(b.Mul(coefficient, lr), w))
}

// Validate checks the schedule.
func (r DecoupledDecay) Validate() error { return validate("DecoupledDecay", r.Schedule) }

func init() {
	Classes.Register(ownPackage+"DecoupledDecay", func() Regularization { return DecoupledDecay{} })
}
