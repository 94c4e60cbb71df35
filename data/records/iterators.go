package records

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
)

// DataSetOptions are those of [DataSets].
type DataSetOptions struct {
	Batch int // examples of a minibatch; the last one may be smaller
	// Label is the column of the label; -1 is the last one.
	Label int
	// LabelTo is the last column of several labels of a regression. It is used if it is above Label.
	LabelTo int
	// Classes is the number of classes; if it is not 0, labels are one-hot.
	Classes int
	// Regression takes labels as numbers. Without it and Classes, the labels are the features themselves.
	Regression bool
}

// DataSets makes minibatches of rows: all columns but the labels are the features, [examples, columns].
func DataSets(rows source.Rows, o DataSetOptions) (data.Iterator, error) {
	n := len(rows.Schema().Columns)
	label := o.Label
	if label < 0 {
		label += n
	}
	if label < 0 || label >= n || o.LabelTo >= n {
		return nil, fmt.Errorf("the label's column is %d, and there are %d columns", max(o.Label, o.LabelTo), n)
	}
	in, out := Array{Reader: "rows"}, Array{Reader: "rows", Classes: o.Classes}
	switch {
	case o.Regression:
		out = Array{Reader: "rows", Columns: span(label, max(label, o.LabelTo))}
		in.Columns = without(n, out.Columns)
	case o.Classes > 0:
		out.Columns = []int{label}
		in.Columns = without(n, out.Columns)
	}
	return MultiDataSets(map[string]source.Rows{"rows": rows}, MultiOptions{Batch: o.Batch, Inputs: []Array{in},
		Outputs: []Array{out}})
}

// SequenceOptions are those of [SequenceDataSets].
type SequenceOptions struct {
	Batch      int  // sequences of a minibatch; the last one may be smaller
	Classes    int  // of labels that are one-hot
	Regression bool // labels are numbers
	// Label is the column of the label, if one reader has features and labels.
	Label int
	// Alignment applies to two readers; with one, sequences start at the first step.
	Alignment Alignment
}

// SequenceDataSets makes minibatches of sequences, [examples, columns, steps], with masks if lengths differ. With two
// readers, the features are all columns of the first, and the labels all of the second or, if one-hot, its first. If
// labels is nil, they are a column of the features' reader; a regression with more than one class takes all columns
// from that one on, unless it is the first.
func SequenceDataSets(features, labels source.Rows, o SequenceOptions) (data.Iterator, error) {
	readers := map[string]source.Rows{"features": features}
	in, out := Array{Reader: "features"}, Array{Reader: "labels", Classes: o.Classes}
	if o.Regression {
		out.Classes = 0
	}
	if labels != nil {
		readers["labels"] = labels
		if !o.Regression {
			out.Columns = []int{0}
		}
	} else {
		n := len(features.Schema().Columns)
		if o.Label < 0 || o.Label >= n || n < 2 {
			return nil, fmt.Errorf("the label's column is %d, and there are %d columns", o.Label, n)
		}
		to := o.Label
		if o.Regression && o.Classes > 1 && o.Label > 0 {
			to = n - 1
		}
		out.Reader, out.Columns = "features", span(o.Label, to)
		in.Columns, o.Alignment = without(n, out.Columns), AlignStart
	}
	return MultiDataSets(readers, MultiOptions{Batch: o.Batch, Alignment: o.Alignment, Inputs: []Array{in},
		Outputs: []Array{out}})
}

// span are the columns from one to another.
func span(from, to int) (columns []int) {
	for i := from; i <= to; i++ {
		columns = append(columns, i)
	}
	return columns
}

// without are the other ones of n columns.
func without(n int, columns []int) []int {
	rest := []int{}
	for i := range n {
		if len(columns) == 0 || i < columns[0] || i > columns[len(columns)-1] {
			rest = append(rest, i)
		}
	}
	return rest
}
