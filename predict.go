package dl4go

import (
	"context"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/serve"
	"github.com/dl4go/dl4go/tensor"
)

// Class is the answer of a model that tells classes apart.
type Class = serve.Class

// Answer is a model's answer to a row of named columns.
type Answer = serve.Answer

// Predict returns the outputs for one row of features, as Table.Features gives them: the probability of each class, or
// the predicted numbers. A feature that is NaN, infinite or too large is a [data.ValueError]. Rows that are predicted
// together, by PredictAll or PredictData, have the same outputs, to the bit.
func (m *Model) Predict(ctx context.Context, features []float64) ([]float64, error) {
	y, err := m.predictor.PredictRow(ctx, features)
	return y, closedOr(err)
}

// Classify returns the most likely class for one row of features. It is for networks with one output of two classes
// and more.
func (m *Model) Classify(ctx context.Context, features []float64) (Class, error) {
	c, err := m.predictor.Classify(ctx, features)
	return c, closedOr(err)
}

// PredictRows answers about rows of raw values by the names of their columns, as dl4go predict does for a file: see
// [serve.Predictor.PredictRows], and [serve.PredictValues] for structs.
func (m *Model) PredictRows(ctx context.Context, rows ...map[string]any) ([]Answer, error) {
	all, err := m.predictor.PredictRows(ctx, rows...)
	return all, closedOr(err)
}

// PredictData returns the network's outputs for a minibatch of any kind, with its masks: see
// [serve.Predictor.PredictData].
func (m *Model) PredictData(ctx context.Context, b *data.MultiDataSet) ([]*tensor.Dense, error) {
	outputs, err := m.predictor.PredictData(ctx, b)
	return outputs, closedOr(err)
}

// closedOr returns the model's own error for the predictor's.
func closedOr(err error) error {
	if errors.Is(err, serve.ErrClosed) {
		return ErrClosed
	}
	return err
}

// Predictor is the model's predictor, which Close closes.
func (m *Model) Predictor() *serve.Predictor { return m.predictor }

// PredictAll returns the outputs for each example of data, in order. Labels need not be there.
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
			row := outputs[0].Slice(i, i+1).Data
			of := make([]float64, len(row))
			for k, y := range row {
				of[k] = float64(y)
			}
			all = append(all, of)
		}
		return nil
	})
	return all, err
}
