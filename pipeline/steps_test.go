package pipeline_test

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// TestConditionsOnSequences: a condition on a column holds for one step or for all, depending on its mode; others
// combine the results for whole sequences.
func TestConditionsOnSequences(t *testing.T) {
	two := func(m pipeline.SequenceMode) pipeline.Condition {
		return pipeline.IntegerCondition{Column: "i", Op: pipeline.Equal, Value: 2, Mode: m}
	}
	one := pipeline.IntegerCondition{Column: "i", Op: pipeline.Equal, Value: 1}
	logic := func(l pipeline.Logic, of ...pipeline.Condition) pipeline.Condition {
		return pipeline.BooleanCondition{Type: l, Conditions: of}
	}
	for _, c := range []struct {
		condition pipeline.Condition
		stay      string // the sequences 1 2, 2 2 and the empty one that are kept
	}{
		{two(""), "[]"},
		{two(pipeline.OrMode), "[]"},
		{two(pipeline.AndMode), "[[1] [2]]"},
		{logic(pipeline.And, one, two("")), "[[2] [2]] []"}, // different steps
		{logic(pipeline.Xor, one, two("")), "[[1] [2]] []"},
		{logic(pipeline.Not, two("")), "[[1] [2]] [[2] [2]]"},
		{logic(pipeline.Or, one, two(pipeline.AndMode)), ""},
		{pipeline.LengthCondition{Op: pipeline.InSet, Set: []int32{0, 7}}, "[[1] [2]] [[2] [2]]"},
		{pipeline.LengthCondition{Op: pipeline.GreaterOrEqual, Value: 2}, "[]"},
		{pipeline.NullCondition{Column: "i", Mode: pipeline.AndMode}, "[[1] [2]] [[2] [2]]"},
	} {
		p := pipeline.Pipeline{Initial: pipeline.Schema{Sequence: true, Columns: []pipeline.Column{
			pipeline.IntegerColumn{Name: "i"}}}, Steps: []pipeline.Step{pipeline.RemoveWhere{Condition: c.condition}}}
		row := func(n int32) pipeline.Row { return pipeline.Row{pipeline.Integer(n)} }
		got, err := runItems(t, p, pipeline.Item{Sequence: []pipeline.Row{row(1), row(2)}},
			pipeline.Item{Sequence: []pipeline.Row{row(2), row(2)}}, pipeline.Item{Sequence: []pipeline.Row{}})
		if err != nil || got != c.stay {
			t.Errorf("%#v leaves %q, %v; want %q", c.condition, got, err, c.stay)
		}
	}
}

// TestLimits compares the limits of columns after operations.
func TestLimits(t *testing.T) {
	four, five := int32(-4), int32(5)
	low, high := float32(-1.5), float32(2)
	for _, c := range []struct {
		column pipeline.Column
		step   pipeline.Step
		want   string // nil is printed for no limit
	}{
		{pipeline.IntegerColumn{Name: "x", Min: &four, Max: &five},
			pipeline.IntegerMath{Column: "x", Op: pipeline.Multiply, Scalar: -2}, "-10 8"},
		{pipeline.IntegerColumn{Name: "x", Min: &four},
			pipeline.IntegerMath{Column: "x", Op: pipeline.ScalarMax, Scalar: 3}, "3 <nil>"},
		{pipeline.IntegerColumn{Name: "x", Min: new(int32(0)), Max: &five},
			pipeline.IntegerMath{Column: "x", Op: pipeline.ReverseDivide, Scalar: 10}, "<nil> 2"}, // 10/0 has no result
		{pipeline.IntegerColumn{Name: "x", Max: new(int32(1<<31 - 1))},
			pipeline.IntegerMath{Column: "x", Op: pipeline.Add, Scalar: 1}, "<nil> -2147483648"},
		{pipeline.FloatColumn{Name: "x", Min: &low, Max: &high, AllowNaN: true, AllowInfinite: true},
			pipeline.FloatMath{Column: "x", Op: pipeline.Subtract, Scalar: 0.5}, "-2 1.5 false false"},
		{pipeline.FloatColumn{Name: "x", Min: &low, AllowNaN: true},
			pipeline.FloatFunction{Column: "x", Function: pipeline.Exp}, "-1.5 <nil> true false"},
		{pipeline.IntegerColumn{Name: "x", Min: &four},
			pipeline.DoubleFunction{Column: "x", Function: pipeline.Exp}, "<nil> <nil> false false"},
		{pipeline.DoubleColumn{Name: "x", Min: new(1.0), AllowNaN: true},
			pipeline.SubtractMeanNormalizer{Column: "x", Mean: 3}, "1 <nil> true false"},
		{pipeline.FloatColumn{Name: "x", Min: &low},
			pipeline.StandardizeNormalizer{Column: "x", Stdev: 1}, "<nil> <nil> false false"},
		{pipeline.LongColumn{Name: "x", Min: new(int64(3))}, pipeline.ConvertToDouble{Column: "x"},
			"<nil> <nil> false false"},
	} {
		bound, err := c.step.Bind(&pipeline.Schema{Columns: []pipeline.Column{c.column}})
		if err != nil {
			t.Errorf("%#v: %v", c.step, err)
			continue
		}
		if got := limitsOf(bound.Out.Columns[0]); got != c.want {
			t.Errorf("%#v: %s, want %s", c.step, got, c.want)
		}
	}
}

func limitsOf(c pipeline.Column) string {
	switch c := c.(type) {
	case pipeline.IntegerColumn:
		return limit(c.Min) + " " + limit(c.Max)
	case pipeline.FloatColumn:
		return fmt.Sprint(limit(c.Min), " ", limit(c.Max), " ", c.AllowNaN, " ", c.AllowInfinite)
	case pipeline.DoubleColumn:
		return fmt.Sprint(limit(c.Min), " ", limit(c.Max), " ", c.AllowNaN, " ", c.AllowInfinite)
	}
	return "?"
}

func limit[T any](of *T) string {
	if of == nil {
		return "<nil>"
	}
	return fmt.Sprint(*of)
}

// TestBindErrors: a step that does not fit its columns is refused before any row.
func TestBindErrors(t *testing.T) {
	columns := []pipeline.Column{pipeline.IntegerColumn{Name: "i"}, pipeline.StringColumn{Name: "s"},
		pipeline.CategoricalColumn{Name: "c"}}
	equal := pipeline.StringCondition{Column: "s", Op: pipeline.Equal}
	for _, c := range []struct {
		step pipeline.Step
		want string
	}{
		{pipeline.RemoveColumns{Columns: []string{"x"}}, `no column "x": the columns are i, s, c`},
		{pipeline.RemoveColumns{Columns: []string{"i", "s", "c"}}, "no column is left"},
		{pipeline.RenameColumns{OldNames: []string{"i"}}, "1 old names and 0 new ones"},
		{pipeline.RenameColumns{OldNames: []string{"i"}, NewNames: []string{"s"}}, `two columns are named "s"`},
		{pipeline.ReorderColumns{Columns: []string{"i", "i"}}, "stands twice"},
		{pipeline.DuplicateColumns{Columns: []string{"i", "i"}, NewNames: []string{"a", "b"}}, "copied twice"},
		{pipeline.AddConstant{Column: "x", Type: pipeline.CategoricalType}, "type Categorical"},
		{pipeline.CategoricalToInteger{Column: "i"}, "a Categorical one is needed"},
		{pipeline.CategoricalToOneHot{Column: "c"}, "has no states"},
		{pipeline.IntegerToOneHot{Column: "i", Min: 3, Max: 2}, "would be 0 columns"},
		{pipeline.IntegerToOneHot{Column: "i", Max: 1<<31 - 1}, "would be 2147483648 columns"},
		{pipeline.DoubleMath{Column: "i", Op: pipeline.Add}, "of type Integer: a Double one is needed"},
		{pipeline.IntegerMath{Column: "i", Op: "Power"}, `"Power" is not an operation`},
		{pipeline.IntegerColumnsMath{NewColumn: "x", Op: pipeline.Divide, Columns: []string{"i"}},
			"takes two columns, not 1"},
		{pipeline.DoubleFunction{Column: "i", Function: "GAMMA"}, "there are ABS, ACOS"},
		{pipeline.ArrayFunction{Column: "i", Function: pipeline.Abs}, "an NDArray one is needed"},
		{pipeline.ReplaceStrings{Column: "s", Map: pipeline.StringMapping{{From: "(?=a)", To: ""}}}, "looking ahead"},
		{pipeline.ReplaceStrings{Column: "s", Map: pipeline.StringMapping{{From: "a", To: "$1"}}}, "the number of a group"},
		{pipeline.RemoveWhere{}, "there is no condition"},
		{pipeline.RemoveWhere{Condition: pipeline.StringCondition{Column: "s", Op: pipeline.LessThan}}, "texts have Equal"},
		{pipeline.RemoveWhere{Condition: pipeline.IntegerCondition{Column: "i", Op: "Like"}}, `"Like" is not a comparison`},
		{pipeline.RemoveWhere{Condition: pipeline.LengthCondition{Op: pipeline.Equal}}, "about sequences"},
		{pipeline.RemoveWhere{Condition: pipeline.BooleanCondition{Type: pipeline.Xor,
			Conditions: []pipeline.Condition{equal}}}, "two conditions, not 1"},
		{pipeline.RemoveWhere{Condition: pipeline.RegexCondition{Column: "s", Regex: "("}}, "missing closing )"},
	} {
		p := pipeline.Pipeline{Initial: pipeline.Schema{Columns: columns}, Steps: []pipeline.Step{c.step}}
		_, err := p.Bind()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "step 1 (") {
			t.Errorf("%#v: %v, want %s", c.step, err, c.want)
		}
	}
}

// TestRowErrors: a value that a step cannot process is an error that names step and column.
func TestRowErrors(t *testing.T) {
	columns := []pipeline.Column{pipeline.StringColumn{Name: "s"}}
	for _, c := range []struct {
		step  pipeline.Step
		value pipeline.Value
		want  string
	}{
		{pipeline.ConvertToDouble{Column: "s"}, pipeline.Text("1,5"),
			`step 1 (ConvertToDouble): column "s": "1,5" is not a number`},
		{pipeline.ConvertToInteger{Column: "s"}, pipeline.Null(), `there is no value where an integer`},
		{pipeline.IntegerToCategorical{Column: "s", Map: pipeline.IntegerMapping{{Integer: 1, State: "a"}}},
			pipeline.Text("2"),
			"no entry for 2"},
		{pipeline.FirstDigit{Column: "s", NewColumn: "s", Mode: pipeline.FailOnInvalid}, pipeline.Text("x"),
			"no first digit"},
		{pipeline.StringListToCounts{Column: "s", NewColumn: "n", Delimiter: " "}, pipeline.Text("x"),
			"not in the vocabulary"},
		{pipeline.IntegerColumnsMath{NewColumn: "x", Op: pipeline.Modulus, Columns: []string{"s", "s"}}, pipeline.Text("0"),
			"divided by zero"},
	} {
		got, err := runRows(t, columns, []pipeline.Step{c.step}, pipeline.Row{c.value})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%#v: %s, %v, want %s", c.step, got, err, c.want)
		}
	}
}

// TestNormalize: the normalizers of DataVec's normalize-1 come from its statistics.
func TestNormalize(t *testing.T) {
	z := oracle(t, "transform")
	var analysis struct {
		ColumnAnalysis []struct {
			Min, Max, Mean, SampleStdev float64
			CountMinValue, CountTotal   int64
		}
	}
	readJSON(t, z, "transform/normalize-1/analysis.json", &analysis)
	want, err := pipeline.Parse(content(t, z, "transform/normalize-1/transform.json"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := []pipeline.Normalization{pipeline.NormalizeMinMax, pipeline.NormalizeMinMax2, pipeline.NormalizeStandardize,
		pipeline.NormalizeSubtractMean, pipeline.NormalizeLog2Mean, pipeline.NormalizeLog2MeanExcludingMin}
	got := &pipeline.Pipeline{Initial: want.Initial}
	for i, kind := range kinds {
		a := analysis.ColumnAnalysis[i]
		step, err := pipeline.Normalize(want.Initial.Columns[i].Title(), kind, pipeline.Statistics{Count: a.CountTotal,
			CountMin: a.CountMinValue, Min: a.Min, Max: a.Max, Mean: a.Mean, SampleStdev: a.SampleStdev})
		if err != nil {
			t.Fatal(err)
		}
		got.Steps = append(got.Steps, step)
	}
	if !samePipeline(got, want) {
		t.Errorf("%#v, want %#v", got.Steps, want.Steps)
	}
	for _, kind := range kinds {
		_, err := pipeline.Normalize("x", kind, pipeline.Statistics{Count: 3, CountMin: 3, Min: 2, Max: 2, Mean: 2})
		if (err == nil) != (kind == pipeline.NormalizeSubtractMean) {
			t.Errorf("%s of a constant column: %v", kind, err)
		}
	}
}

// TestWrongWidth: a row of another width is an error, unless the first step removes such rows.
func TestWrongWidth(t *testing.T) {
	columns := []pipeline.Column{pipeline.StringColumn{Name: "a"}, pipeline.StringColumn{Name: "b"}}
	rows := func() []pipeline.Row {
		x := pipeline.Text("x")
		return []pipeline.Row{{x}, {x, x}, {x, x, x}}
	}
	for _, step := range []pipeline.Step{pipeline.RemoveWrongWidth{}, pipeline.RemoveInvalid{All: true}} {
		if got, err := runRows(t, columns, []pipeline.Step{step}, rows()...); err != nil || got != "[x x]" {
			t.Errorf("%T: %s, %v", step, got, err)
		}
	}
	if _, err := runRows(t, columns, nil, rows()...); err == nil || !strings.Contains(err.Error(), "1 values") {
		t.Error(err)
	}
}

// TestManyRunsOfOnePlan: concurrent runs of one plan do not affect each other.
func TestManyRunsOfOnePlan(t *testing.T) {
	p := pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.StringColumn{Name: "s"}}},
		Steps: []pipeline.Step{
			pipeline.ChangeCase{Column: "s", Case: pipeline.UpperCase},
			pipeline.DuplicateColumns{Columns: []string{"s"}, NewNames: []string{"t"}},
			pipeline.ReplaceStrings{Column: "s", Map: pipeline.StringMapping{{From: "S+", To: "<$0>"}}},
			pipeline.RemoveInvalid{All: true},
		}}
	plan, err := p.Bind()
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for k := range 4 {
		group.Go(func() {
			text := strings.Repeat("ß", k+1)
			want := "[<" + strings.Repeat("SS", k+1) + "> " + strings.Repeat("SS", k+1) + "]"
			run := plan.Start(func(i pipeline.Item) error {
				if got := fmt.Sprint(i.Row); got != want {
					t.Errorf("%s, want %s", got, want)
				}
				return nil
			})
			for range 200 {
				if err := run.Push(pipeline.Item{Row: pipeline.Row{pipeline.Text(text)}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// TestSchemaYAML: a schema's YAML gives the same schema.
func TestSchemaYAML(t *testing.T) {
	s, err := pipeline.ParseSchema([]byte(schemaJSON))
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := pipeline.ParseSchema(text)
	if err != nil || !reflect.DeepEqual(s, again) {
		t.Errorf("%v\n%s", err, text)
	}
}
