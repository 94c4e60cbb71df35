package loss

import (
	"errors"
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// ownPackage is the package of losses that Deeplearning4j does not have. It cannot open files that name them.
const ownPackage = "io.github.dl4go.lossfunctions."

// Adjusted changes another loss by the settings of losses in Keras and PyTorch.
//
// Deeplearning4j differs: it has no such class.
type Adjusted struct {
	Loss Loss `dl4j:"loss"`
	// Factor multiplies the loss; 1 if it is 0.
	Factor float64 `dl4j:"factor"`
	// StepMean takes the mean over the steps of a sequence, or over the cells of an image, instead of the sum. With a
	// mask it is the mean over all unmasked ones of the minibatch, so a row's loss depends on the others.
	StepMean bool `dl4j:"meanOverSteps"`
	// Logits is an activation that is only applied in the loss: the outputs are its inputs.
	Logits activation.Activation `dl4j:"logits"`
	// Smoothing s moves labels, which sum to 1, towards equal shares: y·(1 − s) + s/n. For losses of single outputs,
	// Sets, it is y·(1 − s) + s/2.
	Smoothing float64 `dl4j:"labelSmoothing"`
	Sets      bool    `dl4j:"sets"`
	// Signs reads labels as −1 and 1 if all labels of the minibatch are 0 or 1.
	Signs bool `dl4j:"signs"`
}

// MeansSteps reports whether a loss is an [Adjusted] with StepMean.
func MeansSteps(l Loss) bool {
	a, ok := l.(Adjusted)
	return ok && a.StepMean
}

// Rows returns the other loss with the changes.
func (l Adjusted) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	if l.Logits != nil {
		act = l.Logits
	}
	if l.Smoothing != 0 {
		n := float64(z.Shape[1])
		if l.Sets {
			n = 2
		}
		labels = b.Add(b.Mul(labels, b.Scalar(1-l.Smoothing)), b.Scalar(l.Smoothing/n))
	}
	if l.Signs {
		either := b.Add(b.Binary(program.Equal, labels, b.Scalar(0)), b.Binary(program.Equal, labels, b.Scalar(1)))
		all := b.Binary(program.Equal, b.SumAll(either), b.Scalar(float64(labels.Shape.Size())))
		labels = b.Select(all, b.Sub(b.Mul(labels, b.Scalar(2)), b.Scalar(1)), labels)
	}
	e := l.Loss.Rows(b, labels, z, act, mask)
	if l.Factor != 0 {
		e = b.Mul(e, b.Scalar(l.Factor))
	}
	return e
}

// Labels returns the number of the other loss.
func (l Adjusted) Labels(n int) int {
	if l.Loss == nil {
		return n
	}
	return l.Loss.Labels(n)
}

// Validate checks the settings, and those of the other loss.
func (l Adjusted) Validate(n int, act activation.Activation) error {
	switch {
	case l.Loss == nil:
		return errors.New("loss Adjusted: the loss that it changes is missing")
	case math.IsNaN(l.Factor) || math.IsInf(l.Factor, 0):
		return fmt.Errorf("loss Adjusted: factor is %g", l.Factor)
	case !(l.Smoothing >= 0 && l.Smoothing <= 1):
		return fmt.Errorf("loss Adjusted: labelSmoothing is %g: it must be in [0, 1]", l.Smoothing)
	case l.Smoothing != 0 && l.Loss.Labels(2) != 2:
		return errors.New("loss Adjusted: labelSmoothing is for shares, and the loss takes class numbers")
	}
	if l.Logits != nil {
		act = l.Logits
	}
	return l.Loss.Validate(n, act)
}

func init() { Classes.Register(ownPackage+"LossAdjusted", func() Loss { return Adjusted{} }) }
