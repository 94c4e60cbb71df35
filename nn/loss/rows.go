package loss

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// smallest is about the smallest normal float32; logarithms and quotients of predictions that underflow use it.
const smallest = 1.2e-38

// predict is p = act(z). Where single outputs are masked no gradient reaches their z, not even through the other
// outputs of a softmax, as Deeplearning4j has it.
func predict(b *program.Builder, z *program.Value, act activation.Activation, mask *program.Value) *program.Value {
	if _, softmax := act.(activation.Softmax); softmax && mask != nil && mask.Shape.Equal(z.Shape) {
		z = b.WithGradient(z, z, mask)
	}
	return act.Apply(b, z, activation.Env{})
}

// sum adds up the masked losses e [rows, n] of each row.
func sum(b *program.Builder, e, mask *program.Value) *program.Value {
	if mask != nil {
		e = b.Mul(e, mask)
	}
	return b.Sum(e, 1)
}

// perOutput is 1/n as a constant.
func perOutput(b *program.Builder, z *program.Value) *program.Value {
	return b.Scalar(1 / float64(z.Shape[1]))
}

// clipEpsilon checks the distance that predictions keep from 0 and 1.
func clipEpsilon(class, name string, eps float64) error {
	if !(eps >= 0 && eps < 0.5) {
		return fmt.Errorf("loss %s: %s is %g, must be in [0, 0.5)", class, name, eps)
	}
	return nil
}
