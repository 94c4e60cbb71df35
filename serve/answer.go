package serve

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/tensor"
)

// Class is the predicted class of an example.
type Class struct {
	Name        string  // Number as text if the classes have no names
	Number      int     // index among the outputs
	Probability float64 // the network's output for it
}

// Answer is a model's prediction for a row of named columns.
type Answer struct {
	// Class is the most likely class. Its name is empty if the model does not predict classes.
	Class Class
	// Values depend on the task. They are the probabilities of the classes, by their names; the probabilities of labels
	// that are each present or absent, by their names; or the predicted numbers, by the names of their columns, in the
	// unit of the training data.
	Values map[string]float64
}

// PredictRow returns the outputs for one row of features: the probability of each class, or the predicted numbers. It
// is for networks with one input. If that is an array, such as an image, the features are in row-major order. A feature
// that is NaN, infinite or too large for a float32 is a *[data.ValueError].
func (p *Predictor) PredictRow(ctx context.Context, features []float64) ([]float64, error) {
	shape, err := p.rowShape(len(features))
	if err != nil {
		return nil, err
	}
	x := tensor.New(shape...)
	for i, v := range features {
		if x.Data[i] = float32(v); x.Data[i]-x.Data[i] != 0 && !p.o.AllowNaN {
			return nil, p.columnError(&data.ValueError{Array: "features", Column: i, Value: x.Data[i]})
		}
	}
	outputs, err := p.Predict(ctx, x)
	if err != nil {
		return nil, err
	}
	return wide(outputs[0].Data), nil
}

// Classify returns the most likely class for one row of features: see [Predictor.PredictRow]. It is for networks with
// one output of at least two classes.
func (p *Predictor) Classify(ctx context.Context, features []float64) (Class, error) {
	if err := p.classifies(); err != nil {
		return Class{}, err
	}
	y, err := p.PredictRow(ctx, features)
	if err != nil {
		return Class{}, err
	}
	return classOf(y, p.Names().Classes), nil
}

// Names returns the names of the model's columns, labels and classes, as far as it has them. Do not change them.
func (p *Predictor) Names() data.Schema {
	if s := p.net.Schema(); s != nil {
		return *s
	}
	return data.Schema{}
}

// classifies says why the outputs are not classes; nil where they are.
func (p *Predictor) classifies() error {
	names := p.Names()
	outputs := p.net.OutputLayers()
	if len(outputs) != 1 {
		return fmt.Errorf("the model has %d outputs, and no single one for classes; use PredictData", len(outputs))
	}
	if _, steps := outputs[0].(layer.RnnOutput); steps {
		return errors.New("the model has an output for each step of a sequence; use PredictData")
	}
	numbers := errors.New("the model predicts numbers, not classes; use PredictRow")
	if p.answer != nil && p.answer.Task != source.Classification {
		return numbers
	}
	if sized, ok := outputs[0].(layer.Sized); ok {
		if _, n := sized.Sizes(); n == 1 || names.Classes == nil && len(names.Labels) > 0 {
			return numbers
		}
	}
	return nil
}

// classOf is the largest of the outputs for the classes of these names; nil for numbers.
func classOf(y []float64, names []string) Class {
	c := Class{}
	for i, x := range y {
		if x > y[c.Number] {
			c.Number = i
		}
	}
	c.Probability, c.Name = y[c.Number], strconv.Itoa(c.Number)
	if c.Number < len(names) {
		c.Name = names[c.Number]
	}
	return c
}

// rowShape is the shape of a minibatch of one row of n features.
func (p *Predictor) rowShape(n int) ([]int, error) {
	inputs := p.net.InputTypes()
	if len(inputs) > 1 {
		return nil, fmt.Errorf("the model has %d inputs; use PredictData", len(inputs))
	}
	shape := []int{1, n}
	if len(inputs) == 1 && inputs[0].Kind != inputtype.Unknown {
		in := inputs[0]
		if in.Kind == inputtype.RecurrentKind && in.TimeSteps == 0 {
			in.TimeSteps = n / max(1, in.Size)
		}
		if shape = in.Shape(1); in.Kind != inputtype.RecurrentKind {
			shape[0] = 1
		}
	}
	if k := tensor.Shape(shape).Size(); k != n || k == 0 {
		err := fmt.Errorf("a row has length %d; the model takes rows of length %d", n, k)
		if names := p.Names().Features; names != nil {
			err = fmt.Errorf("%w: %s", err, data.ShortList(names))
		}
		return nil, err
	}
	return shape, nil
}

// columnError names the column of a value.
func (p *Predictor) columnError(v *data.ValueError) error {
	err := fmt.Errorf("%w; fill it in, or leave the example out", v)
	if names := p.Names().Features; v.Column < len(names) {
		return fmt.Errorf("column %q: %w", names[v.Column], err)
	}
	return err
}

func wide(from []float32) []float64 {
	to := make([]float64, len(from))
	for i, x := range from {
		to[i] = float64(x)
	}
	return to
}
