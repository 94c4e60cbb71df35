package records

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
)

// DataSetOptions are settings of [DataSets].
type DataSetOptions struct {
	Batch int // examples of a minibatch; the last one may be smaller
	// Label is the column of the label; -1 is the last one.
	Label int
	// LabelTo is the last column of several labels for a Regression. It has an effect if it is above Label.
	LabelTo int
	// Classes is the number of classes. If it is not 0, labels are numbers of classes, which become one-hot.
	Classes int
	// Regression takes labels as numbers. Without Regression and Classes, the labels are the features themselves.
	Regression bool
}

// DataSets makes minibatches of rows. All columns except the labels are the features, [examples, columns].
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

// SequenceOptions are settings of [SequenceDataSets].
type SequenceOptions struct {
	Batch      int  // sequences of a minibatch; the last one may be smaller
	Classes    int  // of labels that are one-hot
	Regression bool // labels are numbers
	// Label is the index of the label's column, if one reader has both features and labels.
	Label int
	// Alignment is for two readers. With one, all sequences begin at the first step.
	Alignment Alignment
}

// SequenceDataSets makes minibatches of sequences, [examples, columns, steps], with masks if lengths differ. With two
// readers, the features are all columns of the first one. The labels are all columns of the second or, if they are
// one-hot, its first column.
//
// With one reader, labels is nil, and the labels are the column Label of features. For a Regression with more than one
// class, they are all columns from Label on, unless Label is 0.
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
