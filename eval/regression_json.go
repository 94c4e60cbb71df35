package eval

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
)

func init() {
	const name = "org.nd4j.evaluation.regression.RegressionEvaluation"
	Classes.Register(name, func() Evaluator { return NewRegressionEvaluation() })
	Classes.Alias("org.deeplearning4j.eval.RegressionEvaluation", name)
}

// sums are the members of the file with a number for each column, in the file's order.
var sums = []struct {
	name string
	of   func(*column) *float64
}{
	{"exampleCountPerColumn", func(s *column) *float64 { return &s.count }},
	{"labelsSumPerColumn", func(s *column) *float64 { return &s.labels }},
	{"sumSquaredErrorsPerColumn", func(s *column) *float64 { return &s.squaredErrors }},
	{"sumAbsErrorsPerColumn", func(s *column) *float64 { return &s.absErrors }},
	{"currentMean", func(s *column) *float64 { return &s.labelMean }},
	{"currentPredictionMean", func(s *column) *float64 { return &s.predictionMean }},
	{"sumOfProducts", func(s *column) *float64 { return &s.products }},
	{"sumSquaredLabels", func(s *column) *float64 { return &s.squaredLabels }},
	{"sumSquaredPredicted", func(s *column) *float64 { return &s.squaredPredicted }},
}

// sumLabels is a second labelsSumPerColumn, which Deeplearning4j's merges forget: it is written, but not read.
const sumLabels = "sumLabels"

// MarshalTree returns the members in Deeplearning4j's order.
func (e *RegressionEvaluation) MarshalTree() (any, error) {
	var names any
	if len(e.Columns) > 0 {
		list := make([]any, len(e.Columns))
		for i, s := range e.Columns {
			list[i] = s
		}
		names = list
	}
	o := dl4j.Object{
		{Name: "axis", Value: e.Axis},
		{Name: "initialized", Value: e.of != nil},
		{Name: "columnNames", Value: names},
		{Name: "precision", Value: e.Precision},
	}
	for _, s := range sums {
		o = append(o, dl4j.Member{Name: s.name, Value: e.array(s.of)})
	}
	return append(o, dl4j.Member{Name: sumLabels, Value: e.array(func(s *column) *float64 { return &s.labels })}), nil
}

func (e *RegressionEvaluation) array(of func(*column) *float64) any {
	if e.of == nil {
		return nil
	}
	data := make([]any, len(e.of))
	for i := range e.of {
		data[i] = *of(&e.of[i])
	}
	return dl4j.Object{
		{Name: "dataType", Value: "DOUBLE"},
		{Name: "shape", Value: []any{len(data)}},
		{Name: "data", Value: data},
	}
}

// UnmarshalTree reads the members.
func (e *RegressionEvaluation) UnmarshalTree(tree any) error {
	o, ok := tree.(dl4j.Object)
	if !ok {
		return fmt.Errorf("an evaluation should be an object")
	}
	f := struct {
		Axis        int      `dl4j:"axis"`
		Initialized bool     `dl4j:"initialized"`
		Columns     []string `dl4j:"columnNames"`
		Precision   int      `dl4j:"precision"`
	}{Axis: e.Axis, Precision: e.Precision}
	rest := o.Without("@class").Without(sumLabels)
	arrays := make([]*arrayFile[float64], len(sums))
	for i, s := range sums {
		if tree, ok := o.Get(s.name); ok {
			if err := dl4j.FromTree(tree, &arrays[i]); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			rest = rest.Without(s.name)
		}
	}
	if err := dl4j.FromTree(rest, &f); err != nil {
		return err
	}
	if f.Precision < 0 || f.Precision > 100 {
		return fmt.Errorf("the precision is %d, not 0 to 100 digits", f.Precision)
	}
	n := &RegressionEvaluation{Columns: f.Columns, Precision: f.Precision, Axis: f.Axis}
	if f.Initialized {
		n.start(len(f.Columns))
		for i, s := range sums {
			if arrays[i] == nil || len(arrays[i].Data) != len(n.of) {
				return fmt.Errorf("%s should have %d numbers", s.name, len(n.of))
			}
			for c, x := range arrays[i].Data {
				*s.of(&n.of[c]) = x
			}
		}
	}
	*e = *n
	return nil
}
