package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/tensor"
)

// PredictRows returns an answer for each row of values by the names of their columns, as dl4go predict does for a file.
// A value is a string, a bool, a number, a [time.Time], or nil if it is missing. Each row needs all of
// [Predictor.Columns]; other columns are ignored. A model with a pipeline takes raw columns. Any other model takes its
// features, which are numbers.
func (p *Predictor) PredictRows(ctx context.Context, rows ...map[string]any) ([]Answer, error) {
	examples, err := p.examples(rows)
	if err != nil {
		return nil, err
	}
	outputs, err := p.PredictData(ctx, examples)
	if err != nil {
		return nil, err
	}
	return p.answers(outputs, len(rows))
}

// Unseen returns, for each column of categories, the values so far that the training rows did not have. The model
// treats them as rare ones. It returns nil if the model does not know its training rows.
func (p *Predictor) Unseen() []source.Unseen {
	if p.rows == nil {
		return nil
	}
	return p.rows.Unseen()
}

// examples makes examples of rows.
func (p *Predictor) examples(rows []map[string]any) (*data.MultiDataSet, error) {
	if p.rows != nil {
		return p.rows.Examples(rows)
	}
	names := p.Names().Features
	if names == nil {
		return nil, errors.New("the model has no names of columns; give numbers or arrays instead")
	}
	if len(rows) == 0 {
		return nil, errors.New("there are no rows; give at least one")
	}
	shape, err := p.rowShape(len(names))
	if err != nil {
		return nil, err
	}
	shape[0] = len(rows)
	x := tensor.New(shape...)
	for r, row := range rows {
		if err := p.values(x.Data[r*len(names):(r+1)*len(names)], row, r, fmt.Sprintf("row %d", r)); err != nil {
			return nil, err
		}
	}
	return &data.MultiDataSet{Features: []*tensor.Dense{x}}, nil
}

// values takes the features of a row out of its named values.
func (p *Predictor) values(to []float32, row map[string]any, example int, place string) error {
	var missing []string
	for i, name := range p.Names().Features {
		v, there := row[name]
		if !there {
			missing = append(missing, strconv.Quote(name))
			continue
		}
		f, err := number(v)
		if err != nil {
			return fmt.Errorf("%s: %q: %w", place, name, err)
		}
		y := float32(f)
		if y-y != 0 && !p.o.AllowNaN {
			return p.columnError(&data.ValueError{Array: "features", Example: example, Column: i, Value: y})
		}
		to[i] = y
	}
	if missing != nil {
		return fmt.Errorf("%s: there is no value %s; give all columns that the model takes", place, data.ShortList(missing))
	}
	return nil
}

// number is a value as a feature.
func number(v any) (float64, error) {
	switch v := v.(type) {
	case float64:
		return v, nil
	case json.Number:
		return v.Float64()
	case string:
		x, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a number", v)
		}
		return x, nil
	case bool: // tables of Parquet and Arrow, by which the model may be trained, count so, too
		if v {
			return 1, nil
		}
		return 0, nil
	case nil:
		return math.NaN(), errors.New("the value is missing, and the model has no pipeline that fills it in")
	}
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return float64(r.Int()), nil
	case r.CanUint():
		return float64(r.Uint()), nil
	case r.CanFloat():
		return r.Float(), nil
	}
	return 0, fmt.Errorf("a %T is not a number", v)
}

// answers gives the answer about each row.
func (p *Predictor) answers(outputs []*tensor.Dense, rows int) ([]Answer, error) {
	y := outputs[0]
	if len(outputs) > 1 || y.Rows() != rows || len(y.Shape) > 2 {
		return nil, errors.New("the model has several outputs for a row; give arrays instead")
	}
	names, classes, err := p.valueNames(y.RowSize())
	if err != nil {
		return nil, err
	}
	all := make([]Answer, rows)
	for i := range all {
		of := wide(y.Slice(i, i+1).Data)
		if classes {
			all[i].Class = classOf(of, names)
		}
		all[i].Values = make(map[string]float64, len(of))
		for k, v := range of {
			all[i].Values[names[k]] = v
		}
	}
	return all, nil
}

// valueNames are the names of an answer's values, and whether they are classes.
func (p *Predictor) valueNames(n int) (names []string, classes bool, err error) {
	switch schema := p.Names(); {
	case p.answer != nil:
		if err := p.answer.Check(n); err != nil {
			return nil, false, err
		}
		if p.answer.Task == source.Classification {
			return p.answer.Classes, true, nil
		}
		return p.answer.Labels, false, nil
	case len(schema.Classes) == n:
		return schema.Classes, true, nil
	case len(schema.Labels) == n:
		return schema.Labels, false, nil
	}
	return data.ClassNumbers(n), p.classifies() == nil, nil
}
