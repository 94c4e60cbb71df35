package analysis

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dl4go/dl4go/pipeline"
)

// Reader reads the rows of a table once. A Rows of package data/source is a Reader. A Reader may also be a
// [BatchReader].
type Reader interface {
	// Schema returns the columns' names, and their types as far as the source knows them.
	Schema() *pipeline.Schema
	// Next returns the next row. At the end it fails with io.EOF.
	Next() (pipeline.Item, error)
	// Place returns the place of the row that Next returned last: "train.csv:14".
	Place() string
}

// BatchReader is a [Reader] that returns many rows at a time. A BatchRows of package data/source is one.
type BatchReader interface {
	Reader
	// NextBatch fills a batch with the next rows, at least one. At the end it fails with io.EOF.
	NextBatch(to *pipeline.Batch) error
	// PlaceOf returns the place of a row of the last batch.
	PlaceOf(row int) string
}

// InferOptions are settings of [Infer]. The zero value is ready to use.
type InferOptions struct {
	// Label lists columns that the others are compared with, to find columns that reveal the label.
	Label []string
	// Missing lists the texts that count as gaps, with or without spaces around them; nil means [MissingTexts]. Null
	// and NaN always count as gaps.
	Missing []string
	// Exact is the number of distinct values of a column that are counted exactly (0: ExactDistinct).
	Exact int
	// Buckets is the number of buckets of histograms (0: 30).
	Buckets int
	// Memory limits the bytes for the counts of all columns. If counting Exact values needs more, each column counts
	// fewer values exactly, but at least [LeastExact]. 0 means no limit.
	Memory int64
}

// MissingTexts lists the texts that count as gaps.
var MissingTexts = []string{"", "?", "-", ".", "NA", "N/A", "na", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL",
	"Null", "None", "nil", "missing"}

// Infer reads a table and finds out what its columns contain. Each step of a sequence counts as a row.
func Infer(in Reader, o InferOptions) (*Table, error) {
	p, err := NewProfiler(in.Schema(), o)
	if err != nil {
		return nil, err
	}
	if batches, ok := in.(BatchReader); ok {
		return p.readBatches(batches)
	}
	for {
		item, err := in.Next()
		if errors.Is(err, io.EOF) {
			return p.Table(), nil
		}
		if err != nil {
			return nil, err
		}
		if err := p.Add(item, in.Place); err != nil {
			return nil, err
		}
	}
}

// Profiler is [Infer] row by row. Only one goroutine may use it.
type Profiler struct {
	schema  *pipeline.Schema
	options InferOptions
	missing map[string]bool
	// gapFirst marks the first bytes of those texts.
	gapFirst [256]bool
	labels   []int
	rows     int64
	columns  []*profile
	one      pipeline.Batch
	of       batchLabels
}

// NewProfiler returns a Profiler that has no rows yet. A label that is not a column is an error.
func NewProfiler(schema *pipeline.Schema, o InferOptions) (*Profiler, error) {
	if o.Missing == nil {
		o.Missing = MissingTexts
	}
	if o.Buckets <= 0 {
		o.Buckets = 30
	}
	p := &Profiler{schema: schema, options: o, missing: map[string]bool{}}
	for _, s := range o.Missing {
		p.missing[s] = true
		if s != "" {
			p.gapFirst[s[0]] = true
		}
	}
	for _, name := range o.Label {
		i, err := schema.Find(name)
		if err != nil {
			return nil, fmt.Errorf("the label: %w", err)
		}
		if slices.Contains(p.labels, i) {
			return nil, fmt.Errorf("the label %q is given twice", name)
		}
		p.labels = append(p.labels, i)
	}
	for i := range schema.Columns {
		p.columns = append(p.columns, p.newProfile(i))
	}
	return p, nil
}

// newProfile returns the profile of a column, without values.
func (p *Profiler) newProfile(column int) *profile {
	all := p.schema.Columns
	limit := p.options.Exact
	if limit <= 0 {
		limit = exactFor(len(all))
	}
	limit, bytes := bounded(limit, p.options.Memory, len(all))
	of := newProfile(all[column], limit, bytes, len(p.labels))
	of.measures.broken = slices.Contains(p.labels, column) // a label with a unit is a class
	return of
}

// Add adds a row, or the rows of a sequence. place, unless nil, returns the row's place. It is called only for the few
// rows that a person may have to look at.
func (p *Profiler) Add(i pipeline.Item, place func() string) error {
	if i.Sequence == nil {
		return p.row(i.Row, place)
	}
	for _, row := range i.Sequence {
		if err := p.row(row, place); err != nil {
			return err
		}
	}
	return nil
}

func (p *Profiler) row(row pipeline.Row, place func() string) error {
	if len(row) != len(p.columns) {
		at := "a row"
		if place != nil {
			at = place() + ": a row"
		}
		return fmt.Errorf("%s with %d values: the table has %d columns", at, len(row), len(p.columns))
	}
	p.one.Reset(len(row), 1)
	for i := range row {
		p.one.SetValues(i, row[i:i+1])
	}
	var of func(int) string
	if place != nil {
		of = func(int) string { return place() }
	}
	return p.AddBatch(&p.one, nil, of)
}

// Merge adds the rows of another Profiler with the same table and options. Its rows come after those of p.
func (p *Profiler) Merge(o *Profiler) {
	p.rows += o.rows
	for i, c := range p.columns {
		c.merge(o.columns[i])
	}
}

// Table returns the findings about the rows. Then the Profiler has no rows: the counts of a column are dropped as soon
// as the column is described, because those of all columns may need much memory.
func (p *Profiler) Table() *Table {
	t := &Table{Rows: p.rows, Sequence: p.schema.Sequence, Label: p.options.Label, Missing: p.options.Missing}
	classes := p.classes()
	for i, c := range p.columns {
		c.settle()
		column := c.column(p.options.Buckets)
		column.Correlations = c.correlations(p.options.Label)
		if !slices.Contains(p.labels, i) && c.determines(p.rows, classes) {
			column.Determines = p.options.Label
		}
		t.Columns = append(t.Columns, column)
		p.columns[i] = p.newProfile(i)
	}
	p.rows = 0
	t.Notices = notices(t)
	return t
}

// classes returns the number of classes of a single label, and the number of rows of the rarest class. Both are 0 if
// there are too many values to be classes.
func (p *Profiler) classes() (c struct{ n, least int64 }) {
	if len(p.labels) != 1 {
		return c
	}
	label := p.columns[p.labels[0]].texts
	for i, f := range label.frequent() {
		if i == 0 || f.Count < c.least {
			c.least = f.Count
		}
		c.n++
	}
	return c
}
