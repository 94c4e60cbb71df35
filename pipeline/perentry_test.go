package pipeline_test

import (
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// TestEntriesAfterGivenUpBatches: steps that know an entry of a dictionary compute the right results for it, even if
// later steps have not seen the first batch that had it: because a step between them failed, or a filter left no row.
func TestEntriesAfterGivenUpBatches(t *testing.T) {
	not := func(text string) pipeline.Step {
		return pipeline.RemoveWhere{Condition: pipeline.StringCondition{Column: "c", Op: pipeline.Equal, Value: text}}
	}
	for name, between := range map[string]pipeline.Step{
		"a step fails":    pipeline.StandardizeNormalizer{Column: "x", Mean: 1, Stdev: 3},
		"no row is left":  not("no"),
		"some rows leave": not("some"),
		"values between": pipeline.ConditionalReplace{Column: "d", Value: pipeline.Long(86_400_000),
			Condition: pipeline.StringCondition{Column: "c", Op: pipeline.Equal, Value: "no"}},
	} {
		p := pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.StringColumn{Name: "d"},
			pipeline.DoubleColumn{Name: "x"}, pipeline.StringColumn{Name: "c"}}},
			Steps: []pipeline.Step{
				pipeline.StringToTime{Column: "d", Format: "yyyy-MM-dd", Zone: "UTC"},
				between,
				pipeline.DeriveFromTime{Column: "d", Columns: []pipeline.TimePart{
					{Name: "day", Type: pipeline.IntegerType, Field: &pipeline.TimeField{Name: "dayOfMonth"}},
					{Name: "year", Type: pipeline.IntegerType, Field: &pipeline.TimeField{Name: "year"}}}},
				pipeline.StandardizeNormalizer{Column: "day", Mean: 15, Stdev: 7},
			}}
		plan, err := p.Bind()
		if err != nil {
			t.Fatal(err)
		}
		var items []pipeline.Item
		for i := range 40 {
			x, c := pipeline.Double(float64(i)), "yes"
			if i/10%2 == 0 { // of the first and the third batch of ten rows
				x, c = pipeline.Null(), "no"
			} else if i%3 == 0 {
				c = "some"
			}
			items = append(items, pipeline.Item{Row: pipeline.Row{pipeline.Text(fmt.Sprintf("2020-02-%02d", 1+i%10+i/20)), x,
				pipeline.Text(c)}})
		}
		run, texts := plan.StartBatches(), dictionariesOf(items, 1)
		compared := 0
		for at := 0; at < len(items); at += 10 {
			var rows []pipeline.Row
			var want []string
			one := plan.Start(func(i pipeline.Item) error {
				want = append(want, fmt.Sprint(i.Row))
				return nil
			})
			failed := false
			for _, i := range cloned(items[at : at+10]) {
				rows = append(rows, items[at+len(rows)].Row)
				failed = one.Push(i) != nil || failed
			}
			var in pipeline.Batch
			fill(&in, rows, texts)
			out, err := run.Run(&in)
			if (err != nil) != failed {
				t.Fatalf("%s, row %d: %v; one by one it fails: %v", name, at, err, failed)
			}
			if err != nil {
				continue
			}
			for i := range out.Rows() {
				if got := fmt.Sprint(out.AppendRow(nil, i)); got != want[i] {
					t.Errorf("%s, row %d: %s, not %s", name, at+i, got, want[i])
				}
				compared++
			}
			checkFloats(t, out)
		}
		if compared < 10 {
			t.Errorf("%s: %d rows were compared", name, compared)
		}
	}
}
