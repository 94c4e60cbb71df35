package dl4go

import (
	"context"
	"errors"

	"github.com/dl4go/dl4go/tensor"
)

// Answer is what a model answers about a row of raw columns.
type Answer struct {
	// Class is the most likely class; it has no name if the model does not tell classes apart.
	Class Class
	// Values are the probabilities by the names of classes, or of labels that each are there or not; or the predicted
	// numbers by the names of the labels, in the unit of the training data.
	Values map[string]float64
}

// PredictRows answers about rows of raw values by the names of their columns, as dl4go predict does for a file. A value
// is a string, a bool, a number, a [time.Time], or nil for a gap. Each row needs all columns that the model takes;
// others do not matter. It is for models that keep their pipeline, such as dl4go train saves for raw tables.
func (m *Model) PredictRows(ctx context.Context, rows ...map[string]any) ([]Answer, error) {
	if m.prepared == nil {
		return nil, errors.New("the model has no pipeline for raw columns; use Predict")
	}
	examples, err := m.prepared.OfRows(rows)
	if err != nil {
		return nil, err
	}
	outputs, err := m.PredictData(ctx, examples)
	if err != nil {
		return nil, err
	}
	answer := m.prepared.Answer()
	if err := answer.Check(outputs[0].RowSize()); err != nil {
		return nil, err
	}
	all := make([]Answer, outputs[0].Rows())
	for i := range all {
		y := outputs[0].Slice(i, i+1).Data
		names := answer.Labels
		if name, ok := answer.Class(y); ok {
			names = answer.Classes
			n := tensor.Largest(y)
			all[i].Class = Class{Name: name, Number: n, Probability: float64(y[n])}
		}
		all[i].Values = make(map[string]float64, len(names))
		for k, name := range names {
			all[i].Values[name] = float64(y[k])
		}
	}
	return all, nil
}
