package eval

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/tensor"
)

// Weighted measures predictions with weighted examples: its figures are sums over examples, each multiplied by its
// weight. It has the figures of classification, or, if Numbers is set, of regression.
type Weighted struct {
	Numbers bool
	// Sum is the sum of the weights. Correct is the sum of the weights of rows whose class was predicted correctly.
	Sum, Correct float64
	// Columns are the columns of numbers.
	Columns []WeightedColumn
}

// WeightedColumn has the weighted sums of an output of numbers.
type WeightedColumn struct {
	Sum, Mean, Spread   float64 // of the labels: Spread is Σ w·(y − mean)²
	Squared, Difference float64 // Σ w·(p − y)², Σ w·|p − y|
}

// Add adds a minibatch. weight returns the weight of an example.
func (e *Weighted) Add(labels, predictions, mask *tensor.Dense, weight func(example int) float64) error {
	r, bad := align("Weighted", labels, predictions, mask, 1)
	if bad != nil {
		return bad
	}
	if bad := r.check(inputError("Weighted", labels, predictions, mask)); bad != nil {
		return bad
	}
	if e.Numbers && e.Columns == nil {
		e.Columns = make([]WeightedColumn, r.columns)
	}
	if e.Numbers && len(e.Columns) != r.columns {
		return fmt.Errorf("the outputs have %d columns, those before had %d", r.columns, len(e.Columns))
	}
	inner := r.count / max(1, labels.Shape[0])
	for row := range r.count {
		if r.masked(row) {
			continue
		}
		w := weight(r.position(row) / max(1, inner))
		if !e.Numbers {
			e.row(&r, row, w)
			continue
		}
		for c := range e.Columns {
			if !r.maskedOutput(row, c) {
				e.Columns[c].add(float64(r.labels[r.at(row, c)]), float64(r.predictions[r.at(row, c)]), w)
			}
		}
	}
	return nil
}

// row adds a row of classes.
func (e *Weighted) row(r *rows, row int, w float64) {
	e.Sum += w
	actual, predicted := r.argmax(r.labels, row, nil), r.argmax(r.predictions, row, nil)
	if r.columns == 1 { // class 1, or 0
		actual, predicted = over(r.labels[r.at(row, 0)]), over(r.predictions[r.at(row, 0)])
	}
	if actual == predicted {
		e.Correct += w
	}
}

func over(x float32) int {
	if x > 0.5 {
		return 1
	}
	return 0
}

func (c *WeightedColumn) add(y, p, w float64) {
	c.Squared += w * (p - y) * (p - y)
	c.Difference += w * math.Abs(p-y)
	c.merge(w, y, 0)
}

// merge adds labels with this sum of weights, mean and spread.
func (c *WeightedColumn) merge(sum, mean, spread float64) {
	if sum == 0 {
		return
	}
	all, d := c.Sum+sum, mean-c.Mean
	c.Spread += spread + d*d*c.Sum*sum/all
	c.Mean += d * sum / all
	c.Sum = all
}

// Merge adds the sums of another part of the data.
func (e *Weighted) Merge(o *Weighted) error {
	e.Sum, e.Correct = e.Sum+o.Sum, e.Correct+o.Correct
	if e.Columns == nil && o.Columns != nil {
		e.Columns = make([]WeightedColumn, len(o.Columns))
	}
	if o.Columns != nil && len(o.Columns) != len(e.Columns) {
		return &MergeError{fmt.Sprintf("%d columns and %d", len(e.Columns), len(o.Columns))}
	}
	for i, c := range o.Columns {
		to := &e.Columns[i]
		to.merge(c.Sum, c.Mean, c.Spread)
		to.Squared, to.Difference = to.Squared+c.Squared, to.Difference+c.Difference
	}
	return nil
}

// Accuracy is the fraction of the weights whose class was predicted correctly; NaN if all weights are 0.
func (e *Weighted) Accuracy() float64 { return e.Correct / e.Sum }

// RSquared is the mean R² of the columns.
func (e *Weighted) RSquared() float64 {
	return e.mean(func(c WeightedColumn) float64 { return 1 - c.Squared/c.Spread })
}

// MeanAbsoluteError is the mean of the columns' mean absolute errors.
func (e *Weighted) MeanAbsoluteError() float64 {
	return e.mean(func(c WeightedColumn) float64 { return c.Difference / c.Sum })
}

func (e *Weighted) mean(of func(WeightedColumn) float64) float64 {
	sum := 0.0
	for _, c := range e.Columns {
		sum += of(c)
	}
	return sum / float64(len(e.Columns))
}
