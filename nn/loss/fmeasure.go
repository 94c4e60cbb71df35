package loss

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// FMeasure is 1 − Fβ of a minibatch for two classes, with probabilities in place of counts (Pastor-Pellicer and others,
// "F-measure as the error function to train neural networks", 2013): Fβ = (1 + β²)·TP/((1 + β²)·TP + β²·FN + FP). There
// is one output, the probability of class 1, or two outputs. Each row has the same share of the score. So the score of
// an example, in Score and ScoreExamples, is that of its minibatch, and changes with it. With two outputs, a gradient
// reaches only the output of class 1, as if the other one were 1 minus it. (Deeplearning4j: LossFMeasure.)
type FMeasure struct {
	// Beta is 1 in NewFMeasure.
	Beta float64 `dl4j:"beta"`
}

// NewFMeasure returns a loss with Deeplearning4j's default, a Beta of 1.
func NewFMeasure() FMeasure { return FMeasure{Beta: 1} }

// Rows is the formula. A mask [rows, 1] multiplies the rows' labels.
func (l FMeasure) Rows(
	b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value,
) *program.Value {
	p := act.Apply(b, z, activation.Env{})
	rows, n := z.Shape[0], z.Shape[1]
	if mask != nil && mask.Shape.Size() != rows {
		panic(&program.ShapeError{Op: "FMeasure", Shapes: []tensor.Shape{mask.Shape},
			Reason: "it takes masks of rows, not of single outputs"})
	}
	one := b.Scalar(1)
	column := func(x *program.Value, i int) *program.Value { return b.Reshape(b.Slice(x, 1, i, i+1), rows) }
	is, hit := column(labels, n-1), column(p, n-1)
	not, miss := b.Sub(one, is), b.Sub(one, hit)
	if n == 2 {
		not, miss = column(labels, 0), column(p, 0)
	}
	y := is
	if mask != nil {
		m := b.Reshape(mask, rows)
		is, not = b.Mul(is, m), b.Mul(not, m)
	}
	square := l.Beta * l.Beta
	numerator := b.Mul(b.SumAll(b.Mul(is, hit)), b.Scalar(1+square))
	denominator := b.Add(numerator, b.Add(b.Mul(b.SumAll(b.Mul(is, miss)), b.Scalar(square)), b.SumAll(b.Mul(not, hit))))
	empty := b.Binary(program.Equal, denominator, b.Scalar(0))
	safe := b.Select(empty, one, denominator)
	value := b.Select(empty, b.Scalar(0), b.Sub(one, b.Div(numerator, safe)))
	slope := b.Sub(b.Div(numerator, b.Unary(program.Square, safe)), b.Div(b.Mul(y, b.Scalar(1+square)), safe))
	slope = b.Select(empty, b.Scalar(0), slope)
	if mask != nil {
		slope = b.Mul(slope, b.Reshape(mask, rows))
	}
	value = b.WithGradient(b.StopGradient(value), hit, slope)
	return b.BroadcastTo(b.Mul(value, b.Scalar(1/float64(rows))), rows)
}

// Labels is n.
func (l FMeasure) Labels(n int) int { return n }

// Validate requires one or two outputs and a positive beta.
func (l FMeasure) Validate(n int, act activation.Activation) error {
	if n > 2 {
		return fmt.Errorf("loss FMeasure: %d outputs: it is for two classes, of one output or two", n)
	}
	if !(l.Beta > 0) || math.IsInf(l.Beta, 0) {
		return fmt.Errorf("loss FMeasure: beta is %g: it must be positive", l.Beta)
	}
	return nil
}

func init() { register("FMeasure", NewFMeasure()) }
