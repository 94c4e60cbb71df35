package serve

import (
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/pipeline"
)

// Column is a column for which each row, or each step of a sequence, needs a value.
type Column struct {
	Name string
	// Type is the type of the raw column. It is Double for the features of a model without a pipeline.
	Type pipeline.ColumnType
	// Values are the known texts of the column; nil if there is no list. If Closed is true, any other text is an error.
	// Otherwise it counts as a rare one.
	Values []string
	Closed bool
	// Min and Max are the limits of numbers, inclusive; nil for no limit.
	Min, Max *float64
	// Gaps is true if a value may be missing, which is nil in a row.
	Gaps bool
}

// Columns returns the columns that PredictRows and PredictSequences take; nil if the model has no named columns.
func (p *Predictor) Columns() []Column {
	var list []Column
	if p.rows == nil {
		for _, name := range p.Names().Features {
			list = append(list, Column{Name: name, Type: pipeline.DoubleType})
		}
		return list
	}
	for _, c := range p.rows.Columns() {
		of := Column{Name: c.Title(), Type: c.Type(), Gaps: true}
		of.Values, of.Closed = p.rows.Values(c)
		switch c := c.(type) {
		case pipeline.IntegerColumn:
			of.Min, of.Max = limit(c.Min), limit(c.Max)
		case pipeline.LongColumn:
			of.Min, of.Max = limit(c.Min), limit(c.Max)
		case pipeline.DoubleColumn:
			of.Min, of.Max = limit(c.Min), limit(c.Max)
		case pipeline.FloatColumn:
			of.Min, of.Max = limit(c.Min), limit(c.Max)
		}
		list = append(list, of)
	}
	return list
}

func limit[T int32 | int64 | float32 | float64](x *T) *float64 {
	if x == nil {
		return nil
	}
	f := float64(*x)
	return &f
}

// TakesSequences reports whether the model takes sequences of rows, by PredictSequences, instead of rows, by
// PredictRows. A text that becomes a sequence of words is one row.
func (p *Predictor) TakesSequences() bool {
	if p.rows != nil {
		return p.rows.Sequences()
	}
	inputs := p.net.InputTypes()
	return len(inputs) == 1 && inputs[0].Kind == inputtype.RecurrentKind && len(p.Names().Features) == inputs[0].Size &&
		inputs[0].TimeSteps != 1
}
