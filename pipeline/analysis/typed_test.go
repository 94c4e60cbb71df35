package analysis_test

import (
	"reflect"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// typedRows returns rows of a source that knows its types, such as Parquet.
func typedRows(sequence bool) *given {
	g := &given{schema: &pipeline.Schema{Sequence: sequence, Columns: []pipeline.Column{
		pipeline.LongColumn{Name: "n"}, pipeline.DoubleColumn{Name: "x"}, pipeline.BooleanColumn{Name: "b"},
		pipeline.TimeColumn{Name: "t", Zone: "UTC"}, pipeline.StringColumn{Name: "s"}, pipeline.ArrayColumn{Name: "a"},
	}}}
	for i := range 60 {
		row := pipeline.Row{
			pipeline.Long(int64(i * i % 11)), pipeline.Double(float64(i) / 3), pipeline.Boolean(i%3 == 0),
			pipeline.Long(int64(i) * 86_400_000), pipeline.Text(string(rune('p' + i%2))),
			pipeline.ArrayOf(&pipeline.Array{Shape: []int{1}, Data: []float64{1}}),
		}
		if i%12 == 5 {
			row = pipeline.Row{pipeline.Null(), pipeline.Null(), pipeline.Null(), pipeline.Null(), pipeline.Null(),
				pipeline.Null()}
		}
		if i == 7 {
			row[1] = pipeline.Double(0 / float64(i-7))
		}
		if !sequence {
			g.items = append(g.items, pipeline.Item{Row: row})
		} else {
			g.items = append(g.items, pipeline.Item{Sequence: []pipeline.Row{row, row}})
		}
	}
	return g
}

// TestTyped tests values with types, null and NaN, as rows and as sequences.
func TestTyped(t *testing.T) {
	for _, sequence := range []bool{false, true} {
		found, err := analysis.Infer(typedRows(sequence), analysis.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]struct {
			kind analysis.Kind
			gaps int64
		}{
			"n": {analysis.IntegerKind, 5}, "x": {analysis.DoubleKind, 6}, "b": {analysis.BooleanKind, 5},
			"t": {analysis.TimeKind, 5}, "s": {analysis.Categories, 5}, "a": {analysis.ArrayKind, 5},
		} {
			if sequence {
				want.gaps *= 2
			}
			if c := found.Column(name); c.Kind != want.kind || c.Gaps != want.gaps {
				t.Errorf("column %s: %s with %d gaps, want %s with %d", name, c.Kind, c.Gaps, want.kind, want.gaps)
			}
		}
		p, err := analysis.Propose(found, analysis.Options{Drop: []string{"a"}})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Pipeline.Bind()
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		run := plan.Start(func(i pipeline.Item) error {
			all := i.Sequence
			if !sequence {
				all = []pipeline.Row{i.Row}
			}
			for _, row := range all {
				rows++
				for k, v := range row {
					if x, err := v.Double(); err != nil || x != x {
						t.Errorf("row %d, column %s: %v, %v", rows, plan.Out().Columns[k].Title(), v, err)
					}
				}
			}
			return nil
		})
		for _, i := range typedRows(sequence).items {
			cut := func(r pipeline.Row) pipeline.Row { return append(pipeline.Row{}, r[:5]...) }
			if i.Row = cut(append(i.Row, make(pipeline.Row, 5)...)); sequence {
				i.Row = nil
				i.Sequence = []pipeline.Row{cut(i.Sequence[0]), cut(i.Sequence[1])}
			}
			if err := run.Push(i); err != nil {
				t.Fatal(err)
			}
		}
		if want := 60; rows != want && rows != 2*want {
			t.Errorf("%d rows", rows)
		}
	}
}

// TestManyNumbers profiles columns of numbers with more values than are kept as texts. It finds what it finds in the
// same values as texts, except for what only a column of texts has.
func TestManyNumbers(t *testing.T) {
	const rows = 24_000
	typed := &given{schema: &pipeline.Schema{Columns: []pipeline.Column{pipeline.LongColumn{Name: "pure"},
		pipeline.DoubleColumn{Name: "mixed"}, pipeline.IntegerColumn{Name: "row"}, pipeline.StringColumn{Name: "label"}}}}
	texts := &given{schema: &pipeline.Schema{}}
	for _, c := range typed.schema.Columns {
		texts.schema.Columns = append(texts.schema.Columns, pipeline.StringColumn{Name: c.Title()})
	}
	for i := range rows {
		label := []string{"a", "b"}[i*7%rows/2%2]
		row := pipeline.Row{pipeline.Long(int64(i*7%rows) / 2), pipeline.Double(float64(i*i%20_011) / 8),
			pipeline.Integer(int32(i)), pipeline.Text(label)}
		var asTexts pipeline.Row
		for _, v := range row {
			asTexts = append(asTexts, pipeline.Text(v.String()))
		}
		typed.items = append(typed.items, pipeline.Item{Row: row})
		texts.items = append(texts.items, pipeline.Item{Row: asTexts})
	}
	o := analysis.InferOptions{Label: []string{"label"}}
	got, err := analysis.Infer(typed, o)
	if err != nil {
		t.Fatal(err)
	}
	want, err := analysis.Infer(texts, o)
	if err != nil {
		t.Fatal(err)
	}
	for name, distinct := range map[string]int64{"pure": 12_000, "row": rows} {
		if c := got.Column(name); c.Distinct != distinct || !c.Exact {
			t.Errorf("column %s: %d distinct values, exact %v; want %d", name, c.Distinct, c.Exact, distinct)
		}
	}
	for _, name := range []string{"pure", "mixed", "row"} {
		g, w := got.Column(name), want.Column(name)
		if g.Kind != w.Kind || g.Distinct != w.Distinct || g.Exact != w.Exact || !reflect.DeepEqual(g.Number, w.Number) {
			t.Errorf("column %s: %+v, want %+v", name, g, w)
		}
	}
	if !reflect.DeepEqual(got.Notices, want.Notices) || len(got.Notices) == 0 {
		t.Errorf("notices %v, want %v", got.Notices, want.Notices)
	}
}
