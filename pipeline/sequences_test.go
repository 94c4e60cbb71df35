package pipeline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// minutes returns a sequence of a Time and a number, at minutes.
func minutes(of ...int64) pipeline.Item {
	rows := []pipeline.Row{}
	for i, m := range of {
		rows = append(rows, pipeline.Row{pipeline.Long(m * 60000), pipeline.Integer(int32(i + 1))})
	}
	return pipeline.Item{Sequence: rows}
}

// TestSequenceSteps tests edge cases that DataVec's cases don't have.
func TestSequenceSteps(t *testing.T) {
	value := func(v pipeline.Value) *pipeline.Value { return &v }
	seven := value(pipeline.Integer(7))
	count := &pipeline.Reduce{Keys: nil, Default: pipeline.Count}
	count.Ops.Set("n", []pipeline.ReduceOp{pipeline.Sum, pipeline.Count})
	window := func(zone string, w pipeline.TimeWindow) pipeline.Step {
		w.Column = "t"
		r := &pipeline.Reduce{Default: pipeline.TakeFirst}
		r.Ops.Set("t", []pipeline.ReduceOp{pipeline.Count})
		r.Ops.Set("n", []pipeline.ReduceOp{pipeline.Sum})
		return pipeline.ReduceWindows{Reducer: r, Window: &w}
	}
	for name, c := range map[string]struct {
		step pipeline.Step
		in   pipeline.Item
		want string
	}{
		"offset back": {pipeline.Offset{Columns: []string{"n"}, Amount: 2, Mode: "NewColumn", Edge: "TrimSequence"},
			minutes(0, 1, 2), "[[120000 3 1]]"},
		"offset too far": {pipeline.Offset{Columns: []string{"n"}, Amount: 3, Mode: "NewColumn", Edge: "TrimSequence"},
			minutes(0, 1), "[]"},
		"offset ahead": {pipeline.Offset{Columns: []string{"n"}, Amount: -1, Mode: "InPlace", Edge: "SpecifiedValue",
			Value: seven}, minutes(0, 1), "[[0 2] [60000 7]]"},
		"offset without": {pipeline.Offset{Columns: []string{"n"}, Amount: 1, Mode: "InPlace", Edge: "SpecifiedValue"},
			minutes(0), "[[0 NullWritable]]"},
		"offset mode": {pipeline.Offset{Columns: []string{"n"}, Mode: "Sideways", Edge: "TrimSequence"}, minutes(0),
			"no operationType"},
		"difference": {pipeline.Difference{Column: "n", Name: "d", Lookback: 2, First: "Default"}, minutes(0, 1, 2,
			3), "[[0 0] [60000 1] [120000 2] [180000 2]]"},
		"difference value": {pipeline.Difference{Column: "n", Name: "d", Lookback: 2, First: "SpecifiedValue",
			Value: seven}, minutes(0, 1, 2), "[[0 7] [60000 7] [120000 2]]"},
		"difference of time": {pipeline.Difference{Column: "t", Name: "d", Lookback: 1, First: "Default"}, minutes(5, 7),
			"[[0 1] [120000 2]]"},
		"difference lookback": {pipeline.Difference{Column: "n", Name: "d", First: "Default"}, minutes(5),
			"lookback is 0"},
		"moving count": {pipeline.MovingWindow{Column: "n", Lookback: 2, Op: pipeline.Count, Edge: "Default"}, minutes(0,
			1, 2), "[[0 1 1] [60000 2 2] [120000 3 2]]"},
		"moving value": {pipeline.MovingWindow{Column: "n", Lookback: 2, Op: pipeline.Sum, Edge: "SpecifiedValue",
			Value: seven}, minutes(0, 1), "[[0 1 7] [60000 2 3]]"},
		"moving texts": {pipeline.MovingWindow{Column: "n", Lookback: 2, Op: pipeline.Append, Edge: "Default"},
			minutes(0), "not an operation for the type Integer"},
		"trim end": {pipeline.Trim{Steps: 1}, minutes(0, 1), "[[0 1]]"},
		"trim all": {pipeline.Trim{Steps: 5, FromStart: true}, minutes(0, 1), "[]"},
		"pad width": {pipeline.TrimToLength{Length: 2, Mode: "TRIM_OR_PAD", Pad: []pipeline.Value{*seven}}, minutes(0),
			"one for each of the 2 columns"},
		"pad": {pipeline.TrimToLength{Length: 3, Mode: "TRIM_OR_PAD", Pad: []pipeline.Value{pipeline.Null(),
			*seven}}, minutes(0), "[[0 1] [NullWritable 7] [NullWritable 7]]"},
		"equal pieces": {pipeline.SplitByLength{Max: 3, Equal: true}, minutes(0, 1, 2, 3),
			"[[0 1] [60000 2]] [[120000 3] [180000 4]]"},
		"empty": {pipeline.SplitByLength{Max: 3}, minutes(), "[]"},
		"gap": {pipeline.SplitByGap{Column: "t", Quantity: 2, Unit: pipeline.Minutes}, minutes(0, 2, 5),
			"[[0 1] [120000 2]] [[300000 3]]"},
		"gap of numbers": {pipeline.SplitByGap{Column: "n", Quantity: 2, Unit: pipeline.Minutes}, minutes(0),
			"it has to be Time"},
		"reduce":       {pipeline.ReduceSequence{Reducer: count}, minutes(0, 2, 5), "[[3 6 3]]"},
		"reduce empty": {pipeline.ReduceSequence{Reducer: count}, minutes(), "[]"},
		"windows": {window("UTC", pipeline.TimeWindow{Size: 10, Unit: pipeline.Minutes}), minutes(0, 9, 31),
			"[[2 3] [0 NullWritable] [0 NullWritable] [1 3]]"},
		"windows with an offset": {window("UTC", pipeline.TimeWindow{Size: 10, Unit: pipeline.Minutes, Offset: 1,
			OffsetUnit:   pipeline.Minutes,
			ExcludeEmpty: true}), minutes(0, 9, 31), "[[1 1] [1 2] [1 3]]"},
		"too many windows": {window("UTC", pipeline.TimeWindow{Size: 1, Unit: pipeline.Milliseconds}), minutes(0, 1e6),
			"empty windows"},
		"before 1970": {window("UTC", pipeline.TimeWindow{Size: 10, Unit: pipeline.Minutes}), minutes(-11, -10, -1, 0),
			"[[1 1] [2 5] [1 4]]"},
		"no size": {window("UTC", pipeline.TimeWindow{Unit: pipeline.Minutes}), minutes(0),
			"at least a millisecond"},
	} {
		p := pipeline.Pipeline{Initial: pipeline.Schema{Sequence: true, Columns: []pipeline.Column{
			pipeline.TimeColumn{Name: "t", Zone: "UTC"}, pipeline.IntegerColumn{Name: "n"}}}, Steps: []pipeline.Step{c.step}}
		got, err := runItems(t, p, c.in)
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && got != c.want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, c.want)
		}
	}
}

// TestWindowStarts compares the starts and ends of windows as instants, in a zone with an odd offset.
func TestWindowStarts(t *testing.T) {
	r := &pipeline.Reduce{Default: pipeline.TakeFirst}
	p := pipeline.Pipeline{Initial: pipeline.Schema{Sequence: true, Columns: []pipeline.Column{
		pipeline.TimeColumn{Name: "t", Zone: "Asia/Kolkata"}, pipeline.IntegerColumn{Name: "n"}}},
		Steps: []pipeline.Step{pipeline.ReduceWindows{Reducer: r, Window: &pipeline.TimeWindow{Column: "t", Size: 1,
			Unit: pipeline.Hours, AddStart: true, AddEnd: true, ExcludeEmpty: true}}}}
	got, err := runItems(t, p, minutes(0, 29, 30)) // 5:30, 5:59 and 6:00 in India
	if want := "[[0 1 -1800000 1800000] [1800000 3 1800000 5400000]]"; err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

// TestReduceEdges tests values and groups that DataVec's cases don't have.
func TestReduceEdges(t *testing.T) {
	columns := []pipeline.Column{pipeline.StringColumn{Name: "k"}, pipeline.DoubleColumn{Name: "d"}}
	ops := func(all ...pipeline.ReduceOp) *pipeline.Reduce {
		r := &pipeline.Reduce{Keys: []string{"k"}, IgnoreInvalid: []string{"d"}}
		r.Ops.Set("d", all)
		return r
	}
	rows := func(of ...string) (out []pipeline.Row) {
		for _, s := range of {
			k, d, _ := strings.Cut(s, "=")
			out = append(out, pipeline.Row{pipeline.Text(k), pipeline.Text(d)})
		}
		return out
	}
	for _, c := range []struct {
		step *pipeline.Reduce
		rows []pipeline.Row
		want string
	}{
		{ops(pipeline.Min, pipeline.Max, pipeline.Range, pipeline.Sum, pipeline.Prod, pipeline.TakeFirst, pipeline.TakeLast),
			rows("a=x"), "[a" + strings.Repeat(" NullWritable", 7) + "]"},
		{ops(pipeline.Count, pipeline.CountUnique, pipeline.Mean, pipeline.Stdev, pipeline.Variance,
			pipeline.UncorrectedStdev,
			pipeline.PopulationVariance), rows("a=x"), "[a 0 0 0.0 -0.0 -0.0 NaN NaN]"},
		{ops(pipeline.Min, pipeline.Max, pipeline.Sum), rows("a=NaN", "a=2", "b=-0.0", "b=0.0"),
			"[a 2.0 NaN NaN] [b -0.0 0.0 0.0]"},
		{ops(pipeline.Sum, pipeline.Mean), rows("a=1e16", "a=1", "a=-1e16"), "[a 1.0 0.3333333333333333]"},
		{ops(pipeline.Sum), rows("a=Infinity", "a=1", "b=Infinity", "b=-Infinity"), "[a Infinity] [b NaN]"},
		{ops(pipeline.Prod), rows("a=1e300", "a=1e300", "a=1e-300", "b=Infinity", "b=-2", "c=0", "c=Infinity"),
			"[a 1.0000000000000002E300] [b -Infinity] [c NaN]"},
		{ops(pipeline.Stdev, pipeline.PopulationVariance), rows("a=1000000001", "a=1000000002", "a=1000000003"),
			"[a 1.0 0.6666666666666666]"},
		{ops(pipeline.CountUnique), rows("b=1", "a=1", "b=1.0", "b=2"), "[b 2] [a 1]"},
		{&pipeline.Reduce{Keys: []string{"nobody"}, Default: pipeline.Count}, nil, `no column "nobody"`},
		{&pipeline.Reduce{Keys: []string{"k"}, Default: "Median"}, nil, `"Median" is not an operation`},
		{&pipeline.Reduce{Keys: []string{"k"}, Default: pipeline.Sum}, rows("a=x"), `column "d": "x" is not a number`},
		{&pipeline.Reduce{Keys: []string{"k"}, Default: pipeline.Sum}, nil, ""},
	} {
		got, err := runRows(t, columns, []pipeline.Step{c.step}, c.rows...)
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && got != c.want {
			t.Errorf("%v: %s, %v, want %s", c.rows, got, err, c.want)
		}
	}
}

// TestGroupKeys makes sequences of rows with keys of several kinds.
func TestGroupKeys(t *testing.T) {
	columns := []pipeline.Column{pipeline.DoubleColumn{Name: "k"}, pipeline.StringColumn{Name: "s"}}
	nan, _ := pipeline.Text("NaN").Double()
	zero, _ := pipeline.Text("-0.0").Double()
	var rows []pipeline.Row
	for i, v := range []pipeline.Value{pipeline.Double(0), pipeline.Double(nan), pipeline.Double(zero),
		pipeline.Double(nan),
		pipeline.Text("0.0"), pipeline.Float(0.5), pipeline.Double(0.5), pipeline.Integer(3), pipeline.Long(3)} {
		rows = append(rows, pipeline.Row{v, pipeline.Text(fmt.Sprint(8 - i))})
	}
	got, err := runRows(t, columns, []pipeline.Step{
		pipeline.ToSequences{Keys: []string{"k"}, Comparator: pipeline.ByText{Column: "s"}}}, rows...)
	want := "[[-0.0 6] [0.0 8]] [[NaN 7]] [[NaN 5]] [[0.0 4]] [[0.5 2] [0.5 3]] [[3 0] [3 1]]"
	if err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
