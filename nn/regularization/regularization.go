// Package regularization keeps networks from overfitting. It has four kinds of settings, all of them also in
// Deeplearning4j:
//
//   - [Regularization]: penalties on parameters, which are L1, L2 and weight decay;
//   - [Dropout]: random changes of a layer's input while it is trained;
//   - [Noise]: random changes of a layer's weights while it is trained;
//   - [Constraint]: limits on parameters, applied after each step.
//
// Each is a plain value. It reads and writes Deeplearning4j's JSON by the table of its kind ([Classes],
// [DropoutClasses], [NoiseClasses], [ConstraintClasses]), and emits its formula as program operations.
package regularization

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// Phase is the point of a step at which a regularisation acts.
type Phase int

const (
	// BeforeUpdater adds to the gradient, which is the updater's input.
	BeforeUpdater Phase = iota
	// AfterUpdater adds to the update, which is the updater's result.
	AfterUpdater
)

// Regularization is a penalty on a parameter array.
type Regularization interface {
	// Phase says when Emit acts.
	Phase() Phase
	// Coefficient is the strength at a step. Score and Emit get it as a value of shape [].
	Coefficient(iteration, epoch int) float64
	// Score returns the term of the score for the parameters w, a value of shape [].
	Score(b *program.Builder, w, coefficient *program.Value) *program.Value
	// Emit returns x, the gradient or the update (see Phase), with the regularisation of the parameters w added. lr is
	// the updater's learning rate at the step, or 1 if it has none.
	Emit(b *program.Builder, w, x, coefficient, lr *program.Value) *program.Value
	// Validate checks the settings.
	Validate() error
}

// Classes is the table of regularisations and their Java classes. Register your own there.
var Classes = dl4j.NewClasses[Regularization]("regularisation")

const javaPackage = "org.nd4j.linalg.learning.regularization."

// halfSquares returns ½·c·‖w‖².
func halfSquares(b *program.Builder, w, c *program.Value) *program.Value {
	return b.Mul(b.Mul(c, b.Scalar(0.5)), b.SumAll(b.Unary(program.Square, w)))
}

func validate(class string, s updater.Schedule) error {
	if s == nil {
		return fmt.Errorf("%s: it has no coefficient", class)
	}
	if err := s.Validate(); err != nil {
		return fmt.Errorf("%s: %w", class, err)
	}
	return nil
}
