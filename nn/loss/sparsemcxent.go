package loss

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// SparseMCXENT is MCXENT with labels [rows, 1] that are class numbers, from 0. A row with any other number has no loss.
// (Deeplearning4j: LossSparseMCXENT.)
type SparseMCXENT struct{ MCXENT }

// NewSparseMCXENT returns a loss with the defaults of [NewMCXENT].
func NewSparseMCXENT() SparseMCXENT { return SparseMCXENT{NewMCXENT()} }

// Labels is 1.
func (l SparseMCXENT) Labels(n int) int { return 1 }

// Rows is the formula.
func (l SparseMCXENT) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	n := z.Shape[1]
	classes := make([]float64, n)
	for i := range classes {
		classes[i] = float64(i)
	}
	oneHot := b.Binary(program.Equal, labels, b.Const(classes, 1, n))
	return l.MCXENT.Rows(b, oneHot, z, act, mask)
}

func init() { register("SparseMCXENT", NewSparseMCXENT(), "SPARSE_MCXENT") }
