package pipeline

import (
	"fmt"
	"slices"
	"strings"
)

// ReduceOp is an operation on the values of a column in a group of rows (org.datavec.api.transform.ReduceOp).
type ReduceOp string

// The operations. docs/pipeline.md lists their types, and their results without values.
const (
	Prod               ReduceOp = "Prod"
	Min                ReduceOp = "Min"
	Max                ReduceOp = "Max"
	Range              ReduceOp = "Range"
	Append             ReduceOp = "Append"
	Prepend            ReduceOp = "Prepend"
	Sum                ReduceOp = "Sum"
	Mean               ReduceOp = "Mean"
	Stdev              ReduceOp = "Stdev"
	UncorrectedStdev   ReduceOp = "UncorrectedStdDev"
	Variance           ReduceOp = "Variance"
	PopulationVariance ReduceOp = "PopulationVariance"
	Count              ReduceOp = "Count"
	CountUnique        ReduceOp = "CountUnique"
	TakeFirst          ReduceOp = "TakeFirst"
	TakeLast           ReduceOp = "TakeLast"
)

// of returns the name of the operation's result column: "sum(x)".
func (op ReduceOp) of(name string) string { return op.lower() + "(" + name + ")" }

func (op ReduceOp) lower() string { return strings.ToLower(string(op)) }

var (
	textOps   = []ReduceOp{Append, Prepend, Count, CountUnique, TakeFirst, TakeLast}
	timeOps   = []ReduceOp{Min, Max, Range, Mean, Stdev, Count, CountUnique, TakeFirst, TakeLast}
	numberOps = []ReduceOp{Prod, Min, Max, Range, Sum, Mean, Stdev, UncorrectedStdev, Variance, PopulationVariance, Count,
		CountUnique, TakeFirst, TakeLast}
)

// column returns the result column for another column, or an error if the operation does not fit its type.
func (op ReduceOp) column(c Column, name string) (Column, error) {
	var ops []ReduceOp
	switch c.Type() {
	case StringType, CategoricalType:
		ops = textOps
	case TimeType:
		ops = timeOps
	case IntegerType, LongType, DoubleType, FloatType:
		ops = numberOps
	default:
		return nil, fmt.Errorf("column %q has the type %s, which cannot be reduced; make it a key, or remove it before",
			c.Title(),
			c.Type())
	}
	if !slices.Contains(ops, op) {
		return nil, fmt.Errorf("column %q: %q is not an operation for the type %s: there are %v", c.Title(), string(op),
			c.Type(), ops)
	}
	switch op {
	case Append, Prepend:
		return StringColumn{Name: name}, nil
	case Count, CountUnique:
		low := int64(0)
		return LongColumn{Name: name, Min: &low}, nil
	case Sum, Prod:
		return NewColumn(name, c.Type())
	case Min, Max, TakeFirst, TakeLast:
		return c.Renamed(name), nil
	case Range:
		if c.Type() == TimeType { // a span is not a time
			return LongColumn{Name: name}, nil
		}
		return c.Renamed(name), nil
	}
	return DoubleColumn{Name: name}, nil
}
