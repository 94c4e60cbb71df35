package activation

import "github.com/dl4go/dl4go/program"

// Softmax is e^zⱼ / Σₖ e^zₖ over the last dimension. For rows [batch, n] these are the features; for images it is the
// width, as in Deeplearning4j. (Deeplearning4j: ActivationSoftmax.)
type Softmax struct{}

// Apply is the formula, computed with the largest z subtracted first.
func (Softmax) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	return b.Apply(program.Softmax{Dim: len(z.Shape) - 1}, z)
}

func init() { register("Softmax", "SOFTMAX", Softmax{}) }
