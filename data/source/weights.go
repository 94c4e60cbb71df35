package source

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
)

// weightOf parses the weight of an example.
func weightOf(text string) (float32, error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, errors.New("the weight is missing; drop the row, or give it the weight 0")
	}
	x, err := strconv.ParseFloat(text, 32)
	if err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q is not a weight, which is a number of at least 0", shorten(text))
	}
	return float32(x), nil
}

// weightOfValue is weightOf for a value.
func weightOfValue(v pipeline.Value) (float32, error) {
	if v.IsNull() {
		return weightOf("")
	}
	return weightOf(v.String())
}

// Weights returns the column of the examples' weights, or "" if the data has none.
func (n Name) Weights() string { return n.Settings["weights"] }

// without removes a setting.
func (n Name) without(setting string) Name {
	n.Settings = maps.Clone(n.Settings)
	delete(n.Settings, setting)
	return n
}

// findWeight finds the column of weights. It may be missing in data without labels, for predictions.
func (r *choice) findWeight(n int) (err error) {
	if r.options.Weights == "" {
		return nil
	}
	r.weight, err = r.column("weight", r.options.Weights, n)
	switch {
	case err != nil && r.unlabelled:
		r.weight = -1
		return nil
	case err == nil && r.weight == r.key:
		return r.errorf(place{line: 1, column: 1}, "column %s is both the key and the weight", r.columnName(r.weight))
	}
	return err
}

// aside reports whether a column is the key or the weight, so that it is neither a feature nor a label.
func (r *choice) aside(column int) bool {
	return column >= 0 && (column == r.key || column == r.weight)
}

// weighs adds the weight of a row.
func (r *gathered) weighs(text string, column int, at place) error {
	if r.unlabelled {
		return nil
	}
	x, err := weightOf(text)
	if err != nil {
		return r.errorf(at, "column %s: %v", r.columnName(column), err)
	}
	r.weights = append(r.weights, x)
	return nil
}

// findWeight finds the column. Predictions need none.
func (r *inColumns) findWeight(n Name) (err error) {
	if n.Weights() == "" || !r.labelled {
		return nil
	}
	if r.weight, err = r.found.Find(n.Weights()); err != nil {
		return fmt.Errorf("the weights: %w", err)
	}
	if !r.b.plan.Streams() {
		return errors.New("the pipeline makes examples of several rows: these have no weights of their own")
	}
	for i, c := range r.columns {
		if c == r.weight {
			return fmt.Errorf("the weights: the pipeline takes the column %q; remove it there",
				r.b.plan.In().Columns[i].Title())
		}
	}
	return nil
}

// takeWeight reads the weight of a row.
func (r *rowReader) takeWeight(row pipeline.Row) (err error) {
	if r.weight < 0 {
		return nil
	}
	if r.rowWeight, err = weightOfValue(row[r.weight]); err != nil {
		return fmt.Errorf("column %q: %w", r.rows.Schema().Columns[r.weight].Title(), err)
	}
	return nil
}
