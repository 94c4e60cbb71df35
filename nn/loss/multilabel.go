package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// MultiLabel is the pairwise loss of labels that do not exclude each other (Zhang and Zhou, "Multilabel neural
// networks with applications to functional genomics and text categorization", 2006): Σ e^(pⱼ − pᵢ)/(P·N) over the P
// labels i that are set and the N labels j that are 0. A row whose labels are all set, or all 0, has no loss. Pairs
// with a masked output do not count. (Deeplearning4j: LossMultiLabel, which fails on masks of single outputs.)
type MultiLabel struct{}

// Rows is the formula.
func (MultiLabel) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	p := act.Apply(b, z, activation.Env{})
	none := b.Binary(program.Equal, labels, b.Scalar(0))
	count := b.Mul(b.Sum(none, 1), b.Sum(labels, 1))
	set := labels
	if mask != nil && mask.Shape.Equal(z.Shape) {
		set, none = b.Mul(set, mask), b.Mul(none, mask)
	}
	top := b.StopGradient(b.Apply(program.Reduce{Kind: program.Max, Dims: program.Dims(1), Keep: true}, p))
	up := b.Sum(b.Mul(none, b.Unary(program.Exp, b.Sub(p, top))), 1)
	down := b.Sum(b.Mul(set, b.Unary(program.Exp, b.Sub(top, p))), 1)
	one := b.Scalar(1)
	uniform := b.Binary(program.Equal, count, b.Scalar(0))
	rows := b.Select(uniform, b.Scalar(0), b.Div(b.Mul(up, down), b.Select(uniform, one, count)))
	if mask != nil && !mask.Shape.Equal(z.Shape) {
		rows = b.Mul(rows, b.Reshape(mask, rows.Shape...))
	}
	return rows
}

// Labels is n.
func (MultiLabel) Labels(n int) int { return n }

// Validate returns nil.
func (MultiLabel) Validate(n int, act activation.Activation) error { return nil }

func init() { register("MultiLabel", MultiLabel{}) }
