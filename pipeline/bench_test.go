package pipeline_test

import (
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// BenchmarkRow runs rows of ten texts, as in a CSV file: eight numbers are standardized, a category becomes four
// columns, and an identifier is removed.
func BenchmarkRow(b *testing.B) {
	p := pipeline.Pipeline{Steps: []pipeline.Step{pipeline.RemoveColumns{Columns: []string{"id"}}}}
	row := pipeline.Row{pipeline.Text("8a7f"), pipeline.Text("blue")}
	p.Initial.Columns = []pipeline.Column{pipeline.StringColumn{Name: "id"},
		pipeline.CategoricalColumn{Name: "colour", States: []string{"red", "green", "blue", "black"}}}
	p.Steps = append(p.Steps, pipeline.CategoricalToOneHot{Column: "colour"})
	size := 10
	for i := range 8 {
		name := fmt.Sprint("x", i)
		p.Initial.Columns = append(p.Initial.Columns, pipeline.DoubleColumn{Name: name})
		p.Steps = append(p.Steps, pipeline.StandardizeNormalizer{Column: name, Mean: 10, Stdev: 3})
		row = append(row, pipeline.Text(fmt.Sprint(float64(i)*3.25+0.125)))
	}
	for _, v := range row {
		size += len(v.String())
	}
	plan, err := p.Bind()
	if err != nil {
		b.Fatal(err)
	}
	buffer := make(pipeline.Row, 0, plan.Width())
	run := plan.Start(func(i pipeline.Item) error {
		buffer = i.Row
		return nil
	})
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if err := run.Push(pipeline.Item{Row: append(buffer[:0], row...)}); err != nil {
			b.Fatal(err)
		}
	}
}
