package analysis_test

import (
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
