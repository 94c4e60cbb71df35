package prepare

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
	"github.com/dl4go/dl4go/storage"
)

// table has raw rows that can be read repeatedly.
type table struct {
	ctx     context.Context
	name    source.Name
	of      source.RowOptions // how its rows are read
	schema  *pipeline.Schema  // what the data has
	labelAt []int             // the label columns, which sequences may lack at some steps
	profile *analysis.Table   // of all rows, if all are trained on and a pipeline is proposed; nil before
}

// tableOf opens a table to see its columns.
func tableOf(ctx context.Context, n source.Name, o source.RowOptions) (*table, error) {
	k, _ := source.KindOf(n.Kind)
	t := &table{ctx: ctx, name: n, of: o}
	if _, ok := k.(source.Tabular); !ok {
		return nil, fmt.Errorf("%s: data has no raw columns", n.Kind)
	}
	if n.StandardInput() {
		return nil, fmt.Errorf("%s: standard input can be read once, and a pipeline needs to see the data more than once: "+
			"name a file", n)
	}
	rows, err := source.RawRows(ctx, n, o)
	if err != nil {
		return nil, err
	}
	t.schema = rows.Schema()
	return t, rows.Close()
}

// each visits the rows or sequences, with their indices. place returns the place of the current one.
func (t *table) each(do func(i int, item pipeline.Item, place func() string) error) error {
	return t.pass(func(rows source.Rows) error { return t.eachOf(rows, do) })
}

// pass reads the rows once. If a file has changed, it returns that as the error.
func (t *table) pass(read func(source.Rows) error) error {
	rows, err := source.RawRows(t.ctx, t.name, t.of)
	if err != nil {
		return err
	}
	defer rows.Close()
	err = read(rows)
	if changed := storage.Unchanged(t.ctx); changed != nil {
		return fmt.Errorf("data source %s: %w", t.name, changed)
	}
	return err
}

func (t *table) eachOf(rows source.Rows, do func(i int, item pipeline.Item, place func() string) error) error {
	bad := t.name.BadRows()
	for i := 0; ; i++ {
		if err := context.Cause(t.ctx); err != nil {
			return err
		}
		item, err := rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if err = bad.Allow(err); err == nil {
				i--
				continue
			}
		}
		if err == nil && item.Sequence != nil {
			if item.Sequence, _, err = source.FillLabels(item.Sequence, t.labelAt); err != nil {
				err = fmt.Errorf("%s: %w", rows.Place(), err)
			}
		}
		if err == nil {
			err = do(i, item, rows.Place)
		}
		if err != nil {
			return err
		}
	}
}

// batches visits the rows in batches, with the index of the first row. place returns the place of a row of the batch.
func (t *table) batches(do func(first int, b *pipeline.Batch, place func(row int) string) error) error {
	return t.pass(func(rows source.Rows) error { return t.batchesOf(rows, do) })
}

func (t *table) batchesOf(rows source.Rows,
	do func(first int, b *pipeline.Batch, place func(row int) string) error) error {
	in, bad := source.Batched(rows), t.name.BadRows()
	var b pipeline.Batch
	for first := 0; ; {
		if err := context.Cause(t.ctx); err != nil {
			return err
		}
		err := in.NextBatch(&b)
		switch {
		case err == io.EOF:
			return nil
		case err == nil:
			err = do(first, &b, in.PlaceOf)
			first += b.Rows()
		default:
			err = bad.Allow(err)
		}
		if err != nil {
			return err
		}
	}
}

// survey is what must be known about all rows before a pipeline is proposed.
type survey struct {
	rows   int
	labels [][]string // for each label column, the different labels, or maxClasses of them; empty if one is missing
	gaps   []string   // for each label column, the place of the first row without a label
	// split has the text of each row by which rows are split: the label or the split's column. It is nil if rows are
	// split only randomly, or by when.
	split *texts
	when  *times
	// For sequences, these are the values of the first steps. changes holds the other labels that occur, for each label
	// column.
	changes []map[string]bool
	known   []map[string]bool // of labels
	byLabel bool              // split has the label
}

// newSurvey returns a survey without rows, of n labels, for a split that may need texts or times of each row. The texts
// take some bytes at most; 0: any.
func newSurvey(n int, of Split, bytes int64) *survey {
	s := &survey{labels: make([][]string, n), gaps: make([]string, n), changes: make([]map[string]bool, n),
		known: make([]map[string]bool, n)}
	s.byLabel = n == 1 && (of.By == Stratified || of.Folds > 0 && of.By == ByChance)
	switch {
	case of.By == ByTime:
		s.when = newTimes(of.Column)
	case of.Column != "", s.byLabel:
		s.split = &texts{limit: bytes}
	}
	return s
}

// forget drops what only a split needed of all rows.
func (s *survey) forget() {
	s.when.close()
	s.split, s.when = nil, nil
}

// label notes a label of a row.
func (s *survey) label(k int, text string, place func() string) {
	if s.known[k] == nil {
		s.known[k] = map[string]bool{}
	}
	if note(s.known[k], text) {
		s.labels[k] = append(s.labels[k], strings.Clone(text))
	}
	if text == "" && s.gaps[k] == "" {
		s.gaps[k] = place()
	}
	if s.byLabel {
		s.split.add(text)
	}
}

// splitText notes the text of the split's column in a row.
func (s *survey) splitText(text string) error {
	if s.when != nil {
		return s.when.add(text)
	}
	s.split.add(text)
	return nil
}

// look reads the labels and the split's column of all rows.
func (t *table) look(o *opening) (*survey, error) {
	s, found := o.Split, newSurvey(len(o.raw), o.Split, o.Memory)
	var at []int
	for _, name := range o.raw {
		i, err := t.schema.Find(name)
		if err != nil {
			return nil, fmt.Errorf("the label: %w", err)
		}
		at = append(at, i)
	}
	t.labelAt = at
	by := -1
	if s.Column != "" {
		var err error
		if by, err = t.schema.Find(s.Column); err != nil {
			return nil, fmt.Errorf("%s: %w", s.title(), err)
		}
	}
	if !t.schema.Sequence {
		return found, t.lookAtRows(o, found, at, by)
	}
	err := t.each(func(_ int, item pipeline.Item, place func() string) error {
		found.rows++
		row := item.Row
		if item.Sequence != nil {
			if len(item.Sequence) == 0 {
				return emptySequence(place())
			}
			row = item.Sequence[0]
		}
		for k, i := range at {
			text := labelOf(i, row, item.Sequence, func(text string) {
				if found.changes[k] == nil {
					found.changes[k] = map[string]bool{}
				}
				found.changes[k][text] = true
			})
			found.label(k, text, place)
		}
		if by >= 0 {
			text := textOf(row[by])
			if text == "" {
				return missingOfSplit(place(), s.Column, s.title())
			}
			return found.splitText(text)
		}
		return nil
	})
	if err == nil && found.rows == 0 {
		err = fmt.Errorf("%s: there are no rows in it", t.name)
	}
	return found, err
}

// lookAtRows reads the labels, and the split's column unless it is −1. If all rows are trained on, it also profiles
// them, which saves a pass.
func (t *table) lookAtRows(o *opening, found *survey, labels []int, split int) error {
	var profiler *analysis.Profiler
	if o.Pipeline == nil && o.Known == nil && !o.parted() {
		var err error
		profiler, err = analysis.NewProfiler(t.schema, analysis.InferOptions{Label: o.labels, Memory: o.Memory})
		if err != nil {
			return err
		}
	}
	err := t.batches(func(_ int, b *pipeline.Batch, place func(row int) string) error {
		for row := range b.Rows() {
			for k, i := range labels {
				found.label(k, textOf(b.Value(i, row)), func() string { return place(row) })
			}
			if split < 0 {
				continue
			}
			value := textOf(b.Value(split, row))
			if value == "" {
				return missingOfSplit(place(row), o.Split.Column, o.Split.title())
			}
			if err := found.splitText(value); err != nil {
				return err
			}
		}
		found.rows += b.Rows()
		if profiler != nil {
			return profiler.AddBatch(b, nil, place)
		}
		return nil
	})
	if err == nil && found.rows == 0 {
		err = fmt.Errorf("%s: there are no rows in it", t.name)
	}
	if err == nil && profiler != nil {
		t.profile = profiler.Table()
	}
	return err
}

func emptySequence(place string) error {
	return fmt.Errorf("%s: the sequence has no steps; leave it out", place)
}

func missingOfSplit(place, column, split string) error {
	return fmt.Errorf("%s: column %q: the value is missing, and %s needs it", place, column, split)
}

// textOf returns a value as text; empty if it is missing.
func textOf(v pipeline.Value) string {
	if v.IsNull() {
		return ""
	}
	return strings.TrimSpace(v.String())
}

// gap finds the first row without a label.
func (o *opening) gap() (label int, where string) {
	k := slices.IndexFunc(o.seen.gaps, func(place string) bool { return place != "" })
	if k < 0 {
		return -1, ""
	}
	return k, o.seen.gaps[k]
}
