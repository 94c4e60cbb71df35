package serve

import (
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/pipeline"
)

// Column is a column that a row, or a step of a sequence, needs a value of.
type Column struct {
	Name string
	// Type is that of the raw column, and Double for the features of a model without a pipeline.
	Type pipeline.ColumnType
	// Values are the texts that it is known to hold; nil where there is no list. If it is Closed, others are an error.
	// They are taken for rare ones otherwise.
	Values []string
	Closed bool
	// Min and Max bound a number; nil for no bound. Both are allowed.
	Min, Max *float64
	// Gaps says that a value may be missing: nil.
	Gaps bool
}

// Columns are those that PredictRows and PredictSequences take; nil if the model has none.
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

// TakesSequences says whether the model takes sequences of rows: PredictSequences, not PredictRows. A text whose words
// are a sequence is a row.
func (p *Predictor) TakesSequences() bool {
	if p.rows != nil {
		return p.rows.Sequences()
	}
	inputs := p.net.InputTypes()
	return len(inputs) == 1 && inputs[0].Kind == inputtype.RecurrentKind && len(p.Names().Features) == inputs[0].Size &&
		inputs[0].TimeSteps != 1
}
