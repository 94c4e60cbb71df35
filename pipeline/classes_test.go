package pipeline_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// schemaJSON has a column of each type.
const schemaJSON = `{"@class": "org.datavec.api.transform.schema.Schema", "columns": [
  {"@class": "org.datavec.api.transform.metadata.IntegerMetaData", "name": "i", "minAllowedValue": -3,
	  "maxAllowedValue": 9},
  {"@class": "org.datavec.api.transform.metadata.LongMetaData", "name": "l", "minAllowedValue": -3,
	  "maxAllowedValue": 9},
  {"@class": "org.datavec.api.transform.metadata.DoubleMetaData", "name": "d", "minAllowedValue": -0.5,
	  "allowNaN": true,
   "allowInfinite": false},
  {"@class": "org.datavec.api.transform.metadata.FloatMetaData", "name": "f", "maxAllowedValue": 9.5,
	  "allowNaN": false,
   "allowInfinite": true},
  {"@class": "org.datavec.api.transform.metadata.CategoricalMetaData", "name": "c", "stateNames": ["a", "b"]},
  {"@class": "org.datavec.api.transform.metadata.TimeMetaData", "name": "t", "timeZone": "Europe/Berlin",
   "minValidTime": 0, "maxValidTime": 9},
  {"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "s", "regex": "[a-z]*", "minLength": 0,
	  "maxLength": 7},
  {"@class": "org.datavec.api.transform.metadata.BooleanMetaData", "name": "b"},
  {"@class": "org.datavec.api.transform.metadata.BinaryMetaData", "name": "y"},
  {"@class": "org.datavec.api.transform.metadata.NDArrayMetaData", "name": "n", "shape": [2, -1]},
  {"@class": "org.datavec.api.transform.metadata.NDArrayMetaData", "name": "m", "shape": [2, -1]}]}`

// steps are all classes of FORMATS.md that are steps on rows, filters and conditions, with their settings. T stands
// for the package of transforms, W for that of values, C for that of conditions.
var steps = []string{
	`transform {"@class": "T.transform.column.RemoveColumnsTransform", "columnsToRemove": ["i", "b"]}`,
	`transform {"@class": "T.transform.column.RemoveAllColumnsExceptForTransform", "columnsToKeep": ["i", "b"]}`,
	`transform {"@class": "T.transform.column.ReorderColumnsTransform", "newOrder": ["s", "i"]}`,
	`transform {"@class": "T.transform.column.RenameColumnsTransform", "oldNames": ["i"], "newNames": ["j"]}`,
	`transform {"@class": "T.transform.column.DuplicateColumnsTransform", "columnsToDuplicate": ["i"],
	  "newColumnNames": ["j"]}`,
	`transform {"@class": "T.transform.column.AddConstantColumnTransform", "newColumnName": "x",
	  "newColumnType": "Double",
	  "fixedValue": {"@class": "W.DoubleWritable", "value": "NaN"}}`,
	`transform {"@class": "T.transform.column.AddConstantColumnTransform", "newColumnName": "x",
	  "newColumnType": "String",
	  "fixedValue": {"@class": "W.Text", "bytes": "aGk=", "length": 2}}`,
	`transform {"@class": "T.transform.column.AddConstantColumnTransform", "newColumnName": "x",
	  "newColumnType": "Bytes",
	  "fixedValue": {"@class": "W.BytesWritable", "content": "AAE="}}`,
	`transform {"@class": "T.transform.categorical.CategoricalToIntegerTransform", "columnName": "c"}`,
	`transform {"@class": "T.transform.categorical.CategoricalToOneHotTransform", "columnName": "c"}`,
	`transform {"@class": "T.transform.categorical.IntegerToCategoricalTransform", "columnName": "i",
	  "map": {"1": "b", "0": "a"}}`,
	`transform {"@class": "T.transform.categorical.StringToCategoricalTransform", "columnName": "s",
	  "stateNames": ["x", ""]}`,
	`transform {"@class": "T.transform.categorical.FirstDigitTransform", "inputColumn": "i", "outputColumn": "x",
	  "mode": "EXCEPTION_ON_INVALID"}`,
	`transform {"@class": "T.transform.categorical.PivotTransform", "keyColumn": "c", "valueColumn": "i",
	  "defaultValue": {"@class": "W.NullWritable"}}`,
	`transform {"@class": "T.transform.categorical.PivotTransform", "keyColumn": "c", "valueColumn": "d"}`,
	`transform {"@class": "T.transform.integer.IntegerToOneHotTransform", "columnName": "i", "minValue": -3,
	  "maxValue": 9}`,
	`transform {"@class": "T.transform.integer.ReplaceEmptyIntegerWithValueTransform", "columnName": "i", "value": 3}`,
	`transform {"@class": "T.transform.integer.ReplaceInvalidWithIntegerTransform", "columnName": "i", "value": 3}`,
	`transform {"@class": "T.transform.string.ReplaceEmptyStringTransform", "columnName": "s", "value": "x"}`,
	`transform {"@class": "T.transform.integer.IntegerMathOpTransform", "columnName": "i", "mathOp": "ScalarMax",
	  "scalar": 2}`,
	`transform {"@class": "T.transform.longtransform.LongMathOpTransform", "columnName": "l", "mathOp": "Add",
	  "scalar": 2}`,
	`transform {"@class": "T.transform.doubletransform.DoubleMathOpTransform", "columnName": "d", "mathOp": "Divide",
	  "scalar": 2.5}`,
	`transform {"@class": "T.transform.floattransform.FloatMathOpTransform", "columnName": "f", "mathOp": "Modulus",
	  "scalar": 0.1}`,
	`transform {"@class": "T.transform.integer.IntegerColumnsMathOpTransform", "newColumnName": "x", "mathOp": "Add",
	  "columns": ["i", "l"]}`,
	`transform {"@class": "T.transform.longtransform.LongColumnsMathOpTransform", "newColumnName": "x",
	  "mathOp": "Multiply",
	  "columns": ["i", "l", "i"]}`,
	`transform {"@class": "T.transform.doubletransform.DoubleColumnsMathOpTransform", "newColumnName": "x",
	  "mathOp": "Divide",
	  "columns": ["d", "f"]}`,
	`transform {"@class": "T.transform.floattransform.FloatColumnsMathOpTransform", "newColumnName": "x",
	  "mathOp": "Subtract",
	  "columns": ["d", "f"]}`,
	`transform {"@class": "T.transform.doubletransform.DoubleMathFunctionTransform", "columnName": "d",
	  "mathFunction": "TANH"}`,
	`transform {"@class": "T.transform.floattransform.FloatMathFunctionTransform", "columnName": "f",
	  "mathFunction": "LOG10"}`,
	`transform {"@class": "T.transform.doubletransform.ConvertToDouble", "columnName": "i"}`,
	`transform {"@class": "T.transform.floattransform.ConvertToFloat", "columnName": "d"}`,
	`transform {"@class": "T.transform.integer.ConvertToInteger", "columnName": "d"}`,
	`transform {"@class": "T.transform.string.ConvertToString", "columnName": "t"}`,
	`transform {"@class": "T.transform.parse.ParseDoubleTransform"}`,
	`transform {"@class": "T.transform.doubletransform.MinMaxNormalizer", "columnName": "d", "min": -1.0, "max": 2.0,
	  "newMin": 0.0, "newMax": 5.0}`,
	`transform {"@class": "T.transform.doubletransform.StandardizeNormalizer", "columnName": "i", "mean": 1.5,
	  "stdev": 2.0}`,
	`transform {"@class": "T.transform.doubletransform.SubtractMeanNormalizer", "columnName": "f", "mean": 1.5}`,
	`transform {"@class": "T.transform.doubletransform.Log2Normalizer", "columnName": "l", "columnMean": 1.5,
	  "columnMin": -3.0,
	  "scalingFactor": 0.5}`,
	`transform {"@class": "T.transform.string.AppendStringColumnTransform", "columnName": "i", "toAppend": "km"}`,
	`transform {"@class": "T.transform.string.ChangeCaseStringTransform", "columnName": "s", "caseType": "UPPER"}`,
	`transform {"@class": "T.transform.string.RemoveWhiteSpaceTransform", "columnName": "s"}`,
	`transform {"@class": "T.transform.string.StringMapTransform", "columnName": "s", "map": {"columnNumber": "x",
	  "a": "y"}}`,
	`transform {"@class": "T.transform.string.ReplaceStringTransform", "columnName": "s", "map": {"b+": "x",
	  "a(.)": "$1"}}`,
	`transform {"@class": "T.transform.string.ConcatenateStringColumns", "newColumnName": "x", "delimiter": "-",
	  "columnsToConcatenate": ["s", "i", "s"]}`,
	`transform {"@class": "T.transform.string.MapAllStringsExceptListTransform", "columnName": "s", "newValue": "x",
	  "exceptions": ["a"]}`,
	`transform {"@class": "T.transform.string.StringListToCategoricalSetTransform", "columnName": "s",
	  "newColumnNames": ["x", "z"],
	  "categoryTokens": ["a", "b"], "delimiter": " "}`,
	`transform {"@class": "T.transform.string.StringListToCountsNDArrayTransform", "columnName": "s",
	  "newColumnName": "x",
	  "vocabulary": ["a", "b"], "delimiter": " ", "binary": true, "ignoreUnknown": false}`,
	`transform {"@class": "T.transform.string.StringListToIndicesNDArrayTransform", "columnName": "s",
	  "newColumnName": "x",
	  "vocabulary": ["a", "b"], "delimiter": " ", "binary": false, "ignoreUnknown": true}`,
	`transform {"@class": "T.transform.condition.ConditionalReplaceValueTransform", "columnToReplace": "i",
	  "newValue": {"@class": "W.IntWritable", "value": 1}, "condition": {"@class": "C.column.TrivialColumnCondition",
	  "columnName": "s"}}`,
	`transform {"@class": "T.transform.condition.ConditionalReplaceValueTransformWithDefault", "columnToReplace": "l",
	  "yesVal": {"@class": "W.LongWritable", "value": 10000000000}, "noVal": {"@class": "W.BooleanWritable",
	  "value": true},
	  "condition": {"@class": "C.column.NullWritableColumnCondition", "columnName": "s"}}`,
	`transform {"@class": "T.transform.condition.ConditionalCopyValueTransform", "columnToReplace": "l",
	  "sourceColumn": "i",
	  "condition": {"@class": "C.column.InvalidValueColumnCondition", "columnName": "i"}}`,
	`transform {"@class": "T.ndarray.NDArrayScalarOpTransform", "columnName": "n", "mathOp": "ScalarMin",
	  "scalar": 2.5}`,
	`transform {"@class": "T.ndarray.NDArrayColumnsMathOpTransform", "newColumnName": "x", "mathOp": "Add",
	  "columns": ["n", "m"]}`,
	`transform {"@class": "T.ndarray.NDArrayMathFunctionTransform", "columnName": "n", "mathFunction": "SIGNUM"}`,
	`transform {"@class": "T.ndarray.NDArrayDistanceTransform", "newColumnName": "x", "distance": "MANHATTAN",
	  "firstCol": "n",
	  "secondCol": "m"}`,
	`filter {"@class": "T.filter.FilterInvalidValues", "filterAnyInvalid": false, "columnsToFilterIfInvalid": ["i"]}`,
	`filter {"@class": "T.filter.FilterInvalidValues", "filterAnyInvalid": true}`,
	`filter {"@class": "T.filter.InvalidNumColumns"}`,
	condition(`{"@class": "C.BooleanCondition", "type": "XOR", "conditions": [
	  {"@class": "C.column.NaNColumnCondition", "columnName": "d"}, {"@class": "C.column.InfiniteColumnCondition",
	  "columnName": "f"}]}`),
	condition(`{"@class": "C.column.IntegerColumnCondition", "columnName": "i", "op": "LessThan", "value": 0}`),
	condition(`{"@class": "C.column.IntegerColumnCondition", "columnName": "i", "op": "InSet", "set": [3, -4]}`),
	condition(`{"@class": "C.column.LongColumnCondition", "columnName": "l", "op": "GreaterOrEqual",
	  "value": 10000000000}`),
	condition(`{"@class": "C.column.DoubleColumnCondition", "columnName": "d", "op": "NotInSet",
	  "set": ["NaN", -0.0, 1.0E300]}`),
	condition(`{"@class": "C.column.FloatColumnCondition", "columnName": "f", "op": "NotEqual", "value": 0.1}`),
	condition(`{"@class": "C.column.CategoricalColumnCondition", "columnName": "c", "op": "Equal", "value": "a"}`),
	condition(`{"@class": "C.column.StringColumnCondition", "columnName": "s", "op": "NotInSet", "set": ["a", ""]}`),
	condition(`{"@class": "C.column.TimeColumnCondition", "columnName": "t", "op": "LessOrEqual",
	  "value": 1519880400000}`),
	condition(`{"@class": "C.column.TimeColumnCondition", "columnName": "t", "op": "GreaterThan", "value": 0,
	  "sequenceMode": "And"}`),
	condition(`{"@class": "C.string.StringRegexColumnCondition", "columnName": "s", "regex": "a+\\s"}`),
}

func condition(text string) string {
	return `filter {"@class": "T.filter.ConditionFilter", "condition": ` + text + `}`
}

// stepJSON returns a pipeline with one step, given as a line of steps.
func stepJSON(step string) string {
	kind, text, _ := strings.Cut(step, " ")
	text = strings.NewReplacer(`"T.`, `"org.datavec.api.transform.`, `"C.`, `"org.datavec.api.transform.condition.`,
		`"W.`, `"org.datavec.api.writable.`).Replace(text)
	return `{"actionList": [{"` + kind + `": ` + text + `}], "initialSchema": ` + schemaJSON + `}`
}

// TestClasses: every class is read, bound, and written with the same members.
func TestClasses(t *testing.T) {
	for _, step := range steps {
		p, err := pipeline.Parse([]byte(stepJSON(step)))
		if err != nil {
			t.Errorf("%s: %v", step, err)
			continue
		}
		if _, err := p.Bind(); err != nil {
			t.Errorf("%s: %v", step, err)
		}
		var want, got any
		if err := json.Unmarshal([]byte(stepJSON(step)), &want); err != nil {
			t.Fatal(step, err)
		}
		text, err := p.JSON()
		if err == nil {
			err = json.Unmarshal(text, &got)
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is written as\n%s (%v)", step, text, err)
		}
		text, err = p.YAML()
		if err != nil {
			t.Fatal(step, err)
		}
		again, err := pipeline.Parse(text)
		if err != nil || !samePipeline(p, again) {
			t.Errorf("%s is not read from its YAML: %v\n%s", step, err, text)
		}
	}
}

// samePipeline compares the written forms, because NaN is not equal to itself.
func samePipeline(p, q *pipeline.Pipeline) bool {
	a, errA := p.JSON()
	b, errB := q.JSON()
	return errA == nil && errB == nil && string(a) == string(b)
}

// TestYAMLOfDataVec: the YAML of DataVec's own mapper is the same pipeline as its JSON.
func TestYAMLOfDataVec(t *testing.T) {
	z := oracle(t, "transform")
	count := 0
	for _, name := range cases(z) {
		text := content(t, z, "transform/"+name+"/transform.yaml")
		if text == nil {
			continue
		}
		count++
		p, err := pipeline.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		q, err := pipeline.Parse(content(t, z, "transform/"+name+"/transform.json"))
		if err != nil || !samePipeline(p, q) {
			t.Errorf("%s: YAML and JSON differ: %v", name, err)
		}
	}
	if count < 4 {
		t.Errorf("only %d files", count)
	}
}

// TestLegacy reads the format of 1.0.0-alpha: a short name around each object.
func TestLegacy(t *testing.T) {
	const schema = `{"Schema": {"columns": [{"Integer": {"name": "i", "minAllowedValue": 0}}, {"Boloean": {"name": "b"}},
	  {"String": {"name": "s"}}]}}`
	p, err := pipeline.Parse([]byte(`{"initialSchema": ` + schema + `, "actionList": [
	  {"filter": {"ConditionFilter": {"condition": {"BooleanCondition": {"type": "NOT", "conditions": [
	    {"IntegerColumnCondition": {"columnName": "i", "op": "InSet", "set": [1, 2]}}]}}}}},
	  {"transform": {"ConvertToStringTransform": {"columnName": "i", "inputSchema": ` + schema + `}}},
	  {"transform": {"AddConstantColumnTransform": {"newColumnName": "Integer", "newColumnType": "Long",
	    "fixedValue": {"LongWritable": {"value": 5}}}}},
	  {"transform": {"ParseDoubleTransform": {}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	zero := int32(0)
	want := &pipeline.Pipeline{
		Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.IntegerColumn{Name: "i", Min: &zero},
			pipeline.BooleanColumn{Name: "b"}, pipeline.StringColumn{Name: "s"}}},
		Steps: []pipeline.Step{
			pipeline.RemoveWhere{Condition: pipeline.BooleanCondition{Type: pipeline.Not, Conditions: []pipeline.Condition{
				pipeline.IntegerCondition{Column: "i", Op: pipeline.InSet, Set: []int32{1, 2}}}}},
			pipeline.ConvertToString{Column: "i"},
			pipeline.AddConstant{Column: "Integer", Type: pipeline.LongType, Value: pipeline.Long(5)},
			pipeline.ParseDoubles{},
		},
	}
	if !samePipeline(p, want) {
		text, _ := p.JSON()
		t.Errorf("read as\n%s", text)
	}
	if s, err := pipeline.ParseSchema([]byte(schema)); err != nil || len(s.Columns) != 3 {
		t.Errorf("%v, %v", s, err)
	}
}

// TestFileErrors: errors name the problem in the file.
func TestFileErrors(t *testing.T) {
	for step, want := range map[string]string{
		`transform {"@class": "T.transform.column.RemoveColumnsTransform", "columns": ["i"]}`: `columns: unknown member`,
		`transform {"@class": "T.transform.column.RemoveColumnTransform"}`:                    `did you mean org.datavec`,
		`transform {"columnName": "c"}`:                                                       `without "@class"`,
		`transform null`:                                                                      `the step is null`,
		condition(`{"@class": "C.column.IntegerColumnCondition", "columnName": "i",
	  "op": "LessThan"}`): `no value to compare with`,
		condition(`{"@class": "C.column.IntegerColumnCondition", "columnName": "i", "op": "InSet",
	  "value": 3}`): `no set to look in`,
		condition(`{"@class": "C.column.IntegerColumnCondition", "columnName": "i", "op": "LessThan",
	  "value": "3"}`): `a whole number should be here`,
		`transform {"@class": "T.transform.column.AddConstantColumnTransform",
	  "fixedValue": {"value": 3}}`: `is not a class of a value`,
		`transform {"@class": "T.transform.column.AddConstantColumnTransform",
	  "fixedValue": {"@class": "W.IntWritable"}}`: `no member value`,
		`transform {"@class": "T.transform.column.AddConstantColumnTransform", "fixedValue": {"@class": "W.Text",
	  "bytes": "YQ==", "length": 2}}`: `2 bytes, and 1`,
		`transform {"@class": "T.transform.categorical.IntegerToCategoricalTransform", "columnName": "i",
	  "map": {"x": "a"}}`: `not an integer`,
	} {
		_, err := pipeline.Parse([]byte(stepJSON(step)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", step, err, want)
		}
	}
}
