package transform

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/parquet"
	"github.com/dl4go/dl4go/pipeline"
)

// BenchmarkPassing filters the last of 32 days from a million rows in the order of the day: once reading all rows, and
// once passing over the row groups that the statistics exclude.
func BenchmarkPassing(b *testing.B) {
	schema := pipeline.Schema{Columns: []pipeline.Column{pipeline.LongColumn{Name: "day"},
		pipeline.StringColumn{Name: "s"}, pipeline.DoubleColumn{Name: "x"}, pipeline.DoubleColumn{Name: "y"}}}
	path := filepath.Join(b.TempDir(), "t.parquet")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w, err := parquet.NewWriter(file, &schema)
	if err != nil {
		b.Fatal(err)
	}
	const rows = 1 << 20
	for i := range rows {
		if err := w.Write(pipeline.Row{pipeline.Long(int64(i / (rows / 32))), pipeline.Text("some text"),
			pipeline.Double(float64(i) / 7), pipeline.Double(float64(i*i%10007) / 3)}); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	plan, err := (&pipeline.Pipeline{Initial: schema, Steps: []pipeline.Step{pipeline.RemoveWhere{
		Condition: pipeline.LongCondition{Column: "day", Op: pipeline.LessThan, Value: 31}}}}).Bind()
	if err != nil {
		b.Fatal(err)
	}
	for name, removes := range map[string]func([]pipeline.Extent) bool{"all": nil, "passing": plan.RemovesAll} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r, err := source.OpenRows(b.Context(), source.Name{Kind: "parquet", Place: path},
					source.RowOptions{As: &schema, Removes: removes})
				if err != nil {
					b.Fatal(err)
				}
				job := &Job{Start: plan.Start, Rows: r, Write: func(pipeline.Item) error { return nil }}
				if sum, err := job.Run(b.Context()); err != nil || sum != (Summary{In: rows, Out: rows / 32}) {
					b.Fatal(sum, err)
				}
				r.Close()
			}
		})
	}
}
