package vertex

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
)

// Merge joins its inputs along a dimension: vectors [batch, a] and [batch, b] become [batch, a+b]; images are joined
// by their channels, sequences by the elements of a step (Deeplearning4j: MergeVertex). Masks are joined by "or"; if
// an input has none, the result has none.
type Merge struct {
	// Axis is the dimension, counted from 1 after that of the batch; it is 1 in NewMerge. Negative ones count from the
	// end.
	Axis int `dl4j:"mergeAxis"`
	// Modified says that the user set Axis. Otherwise Deeplearning4j takes it from the data format.
	Modified bool `dl4j:"modified"`
}

// NewMerge returns a Merge with Deeplearning4j's default, dimension 1.
func NewMerge() Merge { return Merge{Axis: 1} }

// OutputType adds up the sizes.
func (v Merge) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	if err := inputs(in, 1, 0); err != nil {
		return inputtype.Type{}, err
	}
	if len(in) == 1 {
		return in[0], nil
	}
	shapes := arrays(in)
	axis, err := v.axis(len(shapes[0]))
	if err != nil {
		return inputtype.Type{}, err
	}
	sum := shapes[0].Clone()
	for i, s := range shapes[1:] {
		for d := range sum {
			if len(s) != len(sum) || d != axis && s[d] != sum[d] {
				return inputtype.Type{}, fmt.Errorf("cannot join %v and %v along dimension %d", in[0], in[i+1], axis)
			}
		}
		sum[axis] += s[axis]
	}
	return like(in[0], sum)
}

func (v Merge) axis(rank int) (int, error) {
	axis := v.Axis
	if axis < 0 {
		axis += rank
	}
	if axis < 1 || axis >= rank {
		return 0, fmt.Errorf("mergeAxis is %d: arrays of %d dimensions are joined along 1 to %d", v.Axis, rank, rank-1)
	}
	return axis, nil
}

// Forward emits the concatenation.
func (v Merge) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	if len(in) == 1 {
		return in[0]
	}
	var values []*program.Value
	for _, a := range in {
		values = append(values, a.Value)
	}
	axis, err := v.axis(len(values[0].Shape))
	if err != nil {
		panic(&program.ShapeError{Op: "merge", Reason: err.Error()})
	}
	return typed(in[0].Type, c.Concat(axis, values...), either(c, in))
}

func init() { Classes.Register(javaPackage+"MergeVertex", func() Vertex { return NewMerge() }) }
