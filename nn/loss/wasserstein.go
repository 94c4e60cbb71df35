package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// Wasserstein is 1/n · Σ yⱼ·pⱼ, the critic's loss of a Wasserstein GAN with labels of −1 and 1 (Arjovsky, Chintala and
// Bottou, "Wasserstein GAN", 2017). (Deeplearning4j: LossWasserstein.)
//
// Deeplearning4j differs: masks of single outputs do not change its gradient through a softmax.
type Wasserstein struct{}

// Rows is the formula.
func (Wasserstein) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	p := predict(b, z, act, mask)
	return b.Mul(sum(b, b.Mul(labels, p), mask), perOutput(b, z))
}

// Labels is n.
func (Wasserstein) Labels(n int) int { return n }

// Validate returns nil.
func (Wasserstein) Validate(n int, act activation.Activation) error { return nil }

func init() { register("Wasserstein", Wasserstein{}, "WASSERSTEIN") }
