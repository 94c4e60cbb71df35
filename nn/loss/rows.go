package loss

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// smallest is about the smallest normal float32. Logarithms and quotients use it for predictions that underflow.
const smallest = 1.2e-38

// predict returns p = act(z). As in Deeplearning4j, no gradient reaches the z of a masked single output, not even
// through the other outputs of a softmax.
func predict(b *program.Builder, z *program.Value, act activation.Activation, mask *program.Value) *program.Value {
	if _, softmax := act.(activation.Softmax); softmax && mask != nil && mask.Shape.Equal(z.Shape) {
		z = b.WithGradient(z, z, mask)
	}
	return act.Apply(b, z, activation.Env{})
}

// sum adds the masked losses e [rows, n] of each row.
func sum(b *program.Builder, e, mask *program.Value) *program.Value {
	if mask != nil {
		e = b.Mul(e, mask)
	}
	return b.Sum(e, 1)
}

// perOutput returns 1/n as a constant.
func perOutput(b *program.Builder, z *program.Value) *program.Value {
	return b.Scalar(1 / float64(z.Shape[1]))
}

// clipEpsilon checks the bound that keeps predictions away from 0 and 1.
func clipEpsilon(class, name string, eps float64) error {
	if !(eps >= 0 && eps < 0.5) {
		return fmt.Errorf("loss %s: %s is %g, must be in [0, 0.5)", class, name, eps)
	}
	return nil
}
