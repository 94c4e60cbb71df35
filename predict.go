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

// Class is the answer of a model for classification.
type Class = serve.Class

// Answer is a model's answer for a row of named columns.
type Answer = serve.Answer

// Predict returns the outputs for one row of features, as returned by Table.Features: the probability of each class,
// or the predicted numbers. A feature that is NaN, infinite or too large is a [data.ValueError]. PredictAll and
// PredictData return exactly the same outputs for a row.
func (m *Model) Predict(ctx context.Context, features []float64) ([]float64, error) {
	y, err := m.predictor.PredictRow(ctx, features)
	return y, closedOr(err)
}

// Classify returns the most likely class for one row of features. It is for networks with one output of at least two
// classes.
func (m *Model) Classify(ctx context.Context, features []float64) (Class, error) {
	c, err := m.predictor.Classify(ctx, features)
	return c, closedOr(err)
}

// PredictRows returns answers for rows of raw values by the names of their columns, as dl4go predict does for a file:
// see [serve.Predictor.PredictRows], and [serve.PredictValues] for structs.
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

// closedOr replaces the predictor's error for a closed predictor by ErrClosed.
func closedOr(err error) error {
	if errors.Is(err, serve.ErrClosed) {
		return ErrClosed
	}
	return err
}

// Predictor returns the model's predictor. Close closes it.
func (m *Model) Predictor() *serve.Predictor { return m.predictor }

// PredictAll returns the outputs for each example of data, in order. The data needs no labels.
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
