package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/pipeline"
)

// TestMemory: with limited memory, each column counts fewer values, and its figures stay close.
func TestMemory(t *testing.T) {
	const columns, rows = 50, 3000
	schema := &pipeline.Schema{}
	for i := range columns {
		schema.Columns = append(schema.Columns, pipeline.StringColumn{Name: fmt.Sprint("c", i)})
	}
	profiled := func(memory int64) *Profiler {
		p, err := NewProfiler(schema, InferOptions{Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		row := make(pipeline.Row, columns)
		for k := range rows {
			for i := range row {
				row[i] = pipeline.Text(fmt.Sprint((k*7919+i)%rows, ".", strings.Repeat("5", i%3)))
			}
			if err := p.Add(pipeline.Item{Row: row}, nil); err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	whole := profiled(0).Table()
	for memory, most := range map[int64]int{1 << 40: rows, columns * countBytes * 500: 500, 1: LeastExact} {
		p := profiled(memory)
		for i, c := range p.columns {
			if n := c.texts.counts.used; n > most {
				t.Errorf("%d bytes: column %d has the counts of %d texts", memory, i, n)
			}
			if n := c.numbers.counts.used; n > most+most/2 {
				t.Errorf("%d bytes: column %d has the counts of %d numbers", memory, i, n)
			}
		}
		for i, c := range p.Table().Columns {
			want := whole.Columns[i]
			if c.Kind != want.Kind || c.Number.Mean != want.Number.Mean ||
				!near.Equal(c.Number.Median(), want.Number.Median(), want.Number.Max/50, 0) {
				t.Errorf("%d bytes: column %d: %s of mean %v and median %v, not %s, %v, %v", memory, i, c.Kind,
					c.Number.Mean, c.Number.Median(), want.Kind, want.Number.Mean, want.Number.Median())
			}
		}
	}
}
