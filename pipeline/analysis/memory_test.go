package analysis

import (
	"fmt"
	"math"
	"reflect"
	"slices"
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

// TestProfilerBeginsAgain: after Table, a Profiler has no rows and no counts, and finds the same in the same rows.
func TestProfilerBeginsAgain(t *testing.T) {
	p := profilerOf(t, InferOptions{Label: []string{"y"}})
	addRows(t, p, 100)
	want := p.Table()
	for i, c := range p.columns {
		if c.rows != 0 || c.texts.counts.used != 0 || c.numbers.counts.used != 0 {
			t.Errorf("column %d has %d rows after Table", i, c.rows)
		}
	}
	addRows(t, p, 100)
	if got := p.Table(); !reflect.DeepEqual(got.Columns[0].Number, want.Columns[0].Number) || got.Rows != want.Rows ||
		!reflect.DeepEqual(got.Columns[1].Categories, want.Columns[1].Categories) {
		t.Errorf("the second time it found %+v, the first time %+v", got, want)
	}
}

// TestManyOccurrences: a text that waits for its processing more often than can be counted is processed in between.
func TestManyOccurrences(t *testing.T) {
	p := profilerOf(t, InferOptions{})
	addRows(t, p, 7)
	e, more := p.columns[0].texts.counts.find("3.5"), uint32(math.MaxUint32-3)
	e.waiting, e.n = e.waiting+more, e.n+int64(more)
	p.columns[0].rows += int64(more)
	addRows(t, p, 7*5) // the second time, waiting overflows
	if e.waiting != 3 || p.columns[0].count == 0 {
		t.Errorf("%d occurrences wait, %d are processed", e.waiting, p.columns[0].count)
	}
	c := p.Table().Columns[0]
	if want := int64(6*7) + int64(more); c.Values != want || c.Kind != DoubleKind {
		t.Errorf("%s of %d values, want %d", c.Kind, c.Values, want)
	}
	if n := c.Number.Histogram.Counts; slices.Max(n) != int64(more)+6 {
		t.Errorf("counts are %v", n)
	}
}

// profilerOf returns a Profiler of two columns of texts, x and y.
func profilerOf(t *testing.T, o InferOptions) *Profiler {
	t.Helper()
	p, err := NewProfiler(&pipeline.Schema{Columns: []pipeline.Column{pipeline.StringColumn{Name: "x"},
		pipeline.StringColumn{Name: "y"}}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// addRows adds rows with seven numbers and three words in turn.
func addRows(t *testing.T, p *Profiler, rows int) {
	t.Helper()
	for k := range rows {
		row := pipeline.Row{pipeline.Text(fmt.Sprint(k%7, ".5")), pipeline.Text(fmt.Sprint("a", k%3))}
		if err := p.Add(pipeline.Item{Row: row}, nil); err != nil {
			t.Fatal(err)
		}
	}
}
