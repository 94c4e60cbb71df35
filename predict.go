package dl4go

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/tensor"
)

// Class is the answer of a model that tells classes apart.
type Class struct {
	Name        string  // the number, from 0, where classes have no names
	Number      int     // in the order of the outputs, from 0
	Probability float64 // what the network's output is for it
}

// Predict gives the outputs for one row of features, as Table.Features gives them: the probability of each class, or
// the predicted numbers. A feature that is NaN, infinite or too large is a [data.ValueError]. Rows that are predicted
// together, by PredictAll or PredictData, have the same outputs, to the bit.
func (m *Model) Predict(ctx context.Context, features []float64) ([]float64, error) {
	x, err := m.row(features)
	if err != nil {
		return nil, err
	}
	outputs, err := m.PredictData(ctx, &data.MultiDataSet{Features: []*tensor.Dense{x}})
	if err != nil {
		return nil, err
	}
	return wide(outputs[0].Data), nil
}

// Classify gives the most likely class for one row of features. It is for networks with one output of two classes and
// more.
func (m *Model) Classify(ctx context.Context, features []float64) (Class, error) {
	if err := m.classifies(); err != nil {
		return Class{}, err
	}
	p, err := m.Predict(ctx, features)
	if err != nil {
		return Class{}, err
	}
	return m.class(p), nil
}

// classifies says why the outputs are no classes; nil where they are.
func (m *Model) classifies() error {
	s := m.names()
	outputs := m.net.OutputLayers()
	if len(outputs) != 1 {
		return fmt.Errorf("the model has %d outputs, which are no classes; use PredictData", len(outputs))
	}
	if _, steps := outputs[0].(layer.RnnOutput); steps {
		return errors.New("the model has an output for each step of a sequence; use PredictData")
	}
	if sized, ok := outputs[0].(layer.Sized); ok {
		if _, n := sized.Sizes(); n == 1 || s.Classes == nil && len(s.Labels) > 0 {
			return errors.New("the model predicts numbers, no classes; use Predict")
		}
	}
	return nil
}

func (m *Model) class(p []float64) Class {
	c := Class{}
	for i, x := range p {
		if x > p[c.Number] {
			c.Number = i
		}
	}
	c.Probability, c.Name = p[c.Number], strconv.Itoa(c.Number)
	if names := m.Classes(); c.Number < len(names) {
		c.Name = names[c.Number]
	}
	return c
}

// PredictAll gives the outputs for each example of data, in order. Labels need not be there.
func (m *Model) PredictAll(ctx context.Context, s source.Source) ([][]float64, error) {
	if s == nil {
		return nil, errors.New("there is no data to predict: it is nil")
	}
	var all [][]float64
	err := m.each(ctx, s, func(b *data.MultiDataSet, outputs []*tensor.Dense) error {
		if n := outputs[0].Rows(); n != b.Examples() {
			return fmt.Errorf("the network makes %d rows of %d examples; use PredictData", n, b.Examples())
		}
		for i := range outputs[0].Rows() {
			all = append(all, wide(outputs[0].Slice(i, i+1).Data))
		}
		return nil
	})
	return all, err
}

// PredictData gives the network's outputs for a minibatch of any kind, with its masks: see [nn.Predictor.PredictData].
func (m *Model) PredictData(ctx context.Context, b *data.MultiDataSet) ([]*tensor.Dense, error) {
	if m.closed.Load() {
		return nil, ErrClosed
	}
	outputs, err := m.predictor.PredictData(ctx, b)
	if errors.Is(err, nn.ErrPredictorClosed) {
		return nil, ErrClosed
	}
	return outputs, err
}

// row is a minibatch of one row of features, in the shape of the network's input.
func (m *Model) row(features []float64) (*tensor.Dense, error) {
	inputs := m.net.InputTypes()
	if len(inputs) > 1 {
		return nil, fmt.Errorf("the model has %d inputs; use PredictData", len(inputs))
	}
	shape := []int{1, len(features)}
	if len(inputs) == 1 {
		switch in := inputs[0]; in.Kind {
		case inputtype.FeedForwardKind:
			shape[1] = in.Size
		case inputtype.ConvolutionalFlatKind:
			shape[1] = in.Height * in.Width * in.Channels
		case inputtype.ConvolutionalKind:
			shape = []int{1, in.Channels, in.Height, in.Width}
			if in.ChannelsLast {
				shape = []int{1, in.Height, in.Width, in.Channels}
			}
		case inputtype.RecurrentKind:
			steps := len(features) / max(1, in.Size)
			shape = []int{1, in.Size, steps}
			if in.Format == inputtype.NWC {
				shape = []int{1, steps, in.Size}
			}
		}
	}
	if n := tensor.Shape(shape).Size(); n != len(features) || n == 0 {
		err := fmt.Errorf("a row has %d features; the model takes %d", len(features), n)
		if names := m.Columns(); names != nil {
			err = fmt.Errorf("%w: %s", err, data.ShortList(names))
		}
		return nil, err
	}
	x := tensor.New(shape...) // of numbers in row-major order
	return x, narrow(x.Data, features, "features", 0, m.Columns())
}

func wide(from []float32) []float64 {
	to := make([]float64, len(from))
	for i, x := range from {
		to[i] = float64(x)
	}
	return to
}
