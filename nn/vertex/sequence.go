package vertex

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
)

const rnnPackage = javaPackage + "rnn."

// LastTimeStep returns the last step of sequences [batch, size, time]. With MaskOf, a network's input, it is the last
// step that is not masked there, or the first step if all are masked (Deeplearning4j: rnn.LastTimeStepVertex).
type LastTimeStep struct {
	MaskOf string `dl4j:"maskArrayInputName,zeronull"`
}

// Refers names the input that has the mask.
func (v LastTimeStep) Refers() string { return v.MaskOf }

// OutputType is a vector.
func (v LastTimeStep) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := sequences(in, v.MaskOf)
	return inputtype.FeedForward(t.Size), err
}

// Forward emits the selection.
func (v LastTimeStep) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	x := channelsFirst(c, in[0])
	rows, n, steps := x.Shape[0], x.Shape[1], x.Shape[2]
	out := layer.Activation{Type: inputtype.FeedForward(n)}
	mask := maskOf(in)
	if mask == nil {
		out.Value = c.Reshape(c.Slice(x, 2, steps-1, steps), rows, n)
		return out
	}
	ranks := make([]float64, steps)
	for i := range ranks {
		ranks[i] = float64(i)
	}
	rank := c.Const(ranks, 1, steps)
	last := c.Apply(program.Reduce{Kind: program.Max, Dims: program.Dims(1), Keep: true}, c.Mul(present(c, mask), rank))
	one := c.Reshape(c.Binary(program.Equal, rank, last), rows, 1, steps)
	out.Value = c.Sum(c.Select(one, x, c.Fill(0)), 2)
	return out
}

// DuplicateToTimeSeries repeats vectors [batch, size] for each step of the network's input StepsOf. The resulting
// sequences [batch, size, time] get the mask of that input (Deeplearning4j: rnn.DuplicateToTimeSeriesVertex).
type DuplicateToTimeSeries struct {
	StepsOf string `dl4j:"inputName"`
}

// Refers names the input that has the steps.
func (v DuplicateToTimeSeries) Refers() string { return v.StepsOf }

// OutputType is a sequence.
func (v DuplicateToTimeSeries) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	if v.StepsOf == "" {
		return inputtype.Type{}, fmt.Errorf("inputName is empty: it names the input of the network whose steps are counted")
	}
	if err := inputs(in, 2, 2); err != nil {
		return inputtype.Type{}, err
	}
	if in[0].Kind != inputtype.FeedForwardKind || in[1].Kind != inputtype.RecurrentKind &&
		in[1].Kind != inputtype.Unknown {
		return in[0], fmt.Errorf("takes vectors, and counts the steps of sequences (inputName): got %v and %v", in[0], in[1])
	}
	t := in[1]
	t.Kind, t.Size = inputtype.RecurrentKind, in[0].Size
	return t, nil
}

// Forward emits the repetition.
func (v DuplicateToTimeSeries) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	x, t := in[0].Value, in[1].Type
	t.Size = x.Shape[1]
	s := t.Shape(x.Shape[0])
	if t.Format == inputtype.NWC {
		x = c.Reshape(x, x.Shape[0], 1, x.Shape[1])
	} else {
		x = c.Reshape(x, x.Shape[0], x.Shape[1], 1)
	}
	return layer.Activation{Value: c.BroadcastTo(x, s...), Mask: in[1].Mask, Type: t}
}

// ReverseTimeSeries reverses the steps of sequences. With MaskOf, a network's input, it only reverses the steps that
// are not masked there, and sets the others to 0 (Deeplearning4j: rnn.ReverseTimeSeriesVertex).
type ReverseTimeSeries struct {
	MaskOf string `dl4j:"maskArrayInputName,zeronull"`
}

// Refers names the input that has the mask.
func (v ReverseTimeSeries) Refers() string { return v.MaskOf }

// OutputType is the type of the input.
func (v ReverseTimeSeries) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return sequences(in, v.MaskOf)
}

// Forward emits the reversal.
func (v ReverseTimeSeries) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	a := in[0]
	operands := []*program.Value{a.Value}
	op := program.Reverse{Dim: 2}
	if a.Type.Format == inputtype.NWC {
		op.Dim = 1
	}
	if mask := maskOf(in); mask != nil {
		if mask.Shape[1] == 1 { // one value per example
			mask = c.BroadcastTo(mask, a.Value.Shape[0], a.Value.Shape[op.Dim])
		}
		operands = append(operands, mask)
	}
	a.Value = c.Apply(op, operands...)
	return a
}

// sequences checks that there is one input of sequences, besides the referenced one.
func sequences(in []inputtype.Type, refers string) (inputtype.Type, error) {
	n := 1
	if refers != "" {
		n = 2
	}
	if len(in) != n {
		return inputtype.Type{}, fmt.Errorf("takes one input, got %d", len(in)-n+1)
	}
	if in[0].Kind != inputtype.RecurrentKind {
		return in[0], fmt.Errorf("takes sequences, got %v", in[0])
	}
	return in[0], nil
}

// channelsFirst returns the array of sequences as [batch, size, time].
func channelsFirst(c *layer.Context, a layer.Activation) *program.Value {
	if a.Type.Format == inputtype.NWC {
		return c.Transpose(a.Value, 0, 2, 1)
	}
	return a.Value
}

// maskOf returns the mask of the referenced input, or nil if there is none.
func maskOf(in []layer.Activation) *program.Value {
	if len(in) < 2 {
		return nil
	}
	return in[1].Mask
}

// present is 1 where a mask is not 0.
func present(c *layer.Context, mask *program.Value) *program.Value {
	return c.Sub(c.Fill(1), c.Binary(program.Equal, mask, c.Fill(0)))
}

func init() {
	Classes.Register(rnnPackage+"LastTimeStepVertex", func() Vertex { return LastTimeStep{} })
	Classes.Register(rnnPackage+"DuplicateToTimeSeriesVertex", func() Vertex { return DuplicateToTimeSeries{} })
	Classes.Register(rnnPackage+"ReverseTimeSeriesVertex", func() Vertex { return ReverseTimeSeries{} })
}
