package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// KLD is the Kullback-Leibler divergence Σ yⱼ·log(yⱼ/pⱼ), with y and p held within [10⁻⁵, 1]. Its gradient ignores the
// bounds: −yⱼ/pⱼ. (Deeplearning4j: LossKLD, also called RECONSTRUCTION_CROSSENTROPY.)
type KLD struct{}

// Rows is the formula.
func (KLD) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	p := predict(b, z, act, mask)
	y := b.Clip(labels, 1e-5, 1)
	e := b.Mul(y, b.Sub(b.Unary(program.Log, y), b.Unary(program.Log, b.Clip(p, 1e-5, 1))))
	slope := b.Neg(b.Div(labels, b.Max(p, b.Scalar(smallest))))
	return sum(b, b.WithGradient(e, p, slope), mask)
}

// Labels is n.
func (KLD) Labels(n int) int { return n }

// Validate returns nil.
func (KLD) Validate(n int, act activation.Activation) error { return nil }

func init() { register("KLD", KLD{}, "KL_DIVERGENCE", "RECONSTRUCTION_CROSSENTROPY") }
