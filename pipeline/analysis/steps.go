package analysis

import (
	"encoding/base64"
	"math"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/pipeline"
)

// Steps in DataVec's format. A proposal uses only steps that DataVec itself can read back. It cannot read any of the
// conditions that check whether a value is valid.

const (
	transformPackage = "org.datavec.api.transform.transform."
	conditionPackage = "org.datavec.api.transform.condition."
	writablePackage  = "org.datavec.api.writable."
)

// members makes an object from alternating names and values.
func members(class string, of ...any) dl4j.Object {
	o := dl4j.Object{{Name: "@class", Value: class}}
	for i := 0; i < len(of); i += 2 {
		o = append(o, dl4j.Member{Name: of[i].(string), Value: of[i+1]})
	}
	return o
}

// action returns a step of a pipeline's actionList.
func action(kind string, step dl4j.Object) any { return dl4j.Object{{Name: kind, Value: step}} }

func transform(class string, of ...any) any {
	return action("transform", members(transformPackage+class, of...))
}

// remove returns the filter that removes rows for which the condition holds.
func remove(condition dl4j.Object) any {
	return action("filter", members("org.datavec.api.transform.filter.ConditionFilter", "condition", condition))
}

func list[T any](of []T) []any {
	all := make([]any, len(of))
	for i, x := range of {
		all[i] = x
	}
	return all
}

// isOneOf holds for the values of a column whose text is in the set; null has the text NullWritable.
func isOneOf(column string, set []string) dl4j.Object {
	return members(conditionPackage+"column.StringColumnCondition", "columnName", column, "op", "InSet", "set", list(set))
}

func isNoneOf(column string, set []string) dl4j.Object {
	return members(conditionPackage+"column.StringColumnCondition", "columnName", column, "op", "NotInSet", "set",
		list(set))
}

// isNoNumber holds for values that do not look like a decimal number.
func isNoNumber(column string) dl4j.Object {
	const number = `\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*`
	is := members(conditionPackage+"string.StringRegexColumnCondition", "columnName", column, "regex", number)
	return members(conditionPackage+"BooleanCondition", "type", "NOT", "conditions", []any{is})
}

// writable converts a value; a float64 becomes a Double, an int an Integer.
func writable(v any) dl4j.Object {
	switch v := v.(type) {
	case float64:
		return members(writablePackage+"DoubleWritable", "value", v)
	case int64:
		return members(writablePackage+"LongWritable", "value", v)
	case int:
		return members(writablePackage+"IntWritable", "value", v)
	}
	text := v.(string)
	return members(writablePackage+"Text", "bytes", base64.StdEncoding.EncodeToString([]byte(text)), "length", len(text))
}

// replace sets the column to a value where the condition holds.
func replace(column string, value any, where dl4j.Object) any {
	return transform("condition.ConditionalReplaceValueTransform", "columnToReplace", column, "condition", where,
		"newValue", writable(value))
}

// without removes the parts of a column's texts that match a regular expression.
func without(column, regex string) any {
	return transform("string.ReplaceStringTransform", "columnName", column, "map",
		dl4j.Object{{Name: regex, Value: ""}})
}

// indicator adds a column that is 1 where the condition holds, and 0 elsewhere.
func indicator(name string, where dl4j.Object) []any {
	return []any{
		transform("column.AddConstantColumnTransform", "newColumnName", name, "newColumnType", "Integer", "fixedValue",
			writable(0)),
		replace(name, 1, where),
	}
}

func standardize(column string, mean, deviation float64) any {
	return transform("doubletransform.StandardizeNormalizer", "columnName", column, "mean", mean, "stdev", deviation)
}

// natural standardizes values that are uniform between low and high.
func natural(column string, low, high float64) any {
	return standardize(column, (low+high)/2, (high-low)/math.Sqrt(12))
}

func removeColumns(names ...string) any {
	return transform("column.RemoveColumnsTransform", "columnsToRemove", list(names))
}

// states turns a column of texts into one of these categories.
func states(column string, names []string) any {
	return transform("categorical.StringToCategoricalTransform", "columnName", column, "stateNames", list(names))
}

// build makes a pipeline from steps in DataVec's format.
func build(columns []pipeline.Column, sequence bool, steps []any) (*pipeline.Pipeline, error) {
	initial, err := pipeline.Schema{Columns: columns, Sequence: sequence}.MarshalTree()
	if err != nil {
		return nil, err
	}
	text, err := dl4j.Format(dl4j.Object{{Name: "actionList", Value: steps}, {Name: "initialSchema", Value: initial}})
	if err != nil {
		return nil, err
	}
	return pipeline.Parse(text)
}
