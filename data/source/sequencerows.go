package source

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/instant"
	"github.com/dl4go/dl4go/pipeline"
)

// RawRows is [OpenRows] without the check of the name. If the settings say that rows form sequences, it returns
// sequences, in the order of their first rows.
func RawRows(ctx context.Context, n Name, o RowOptions) (Rows, error) {
	k, _ := KindOf(n.Kind)
	t, ok := k.(Tabular)
	if !ok {
		return nil, specf("%s: data has no columns with names and types: %s have", n.Kind, strings.Join(tabular(), ", "))
	}
	s := o.Sequencing
	if s == nil {
		var err error
		if s, err = n.Sequencing(); err != nil {
			return nil, err
		}
	}
	if s == nil {
		return t.Rows(ctx, n, o)
	}
	o.Removes = nil // applies to single rows only
	if s.Tokens != nil {
		return openTokens(ctx, t, n, o, s)
	}
	return openSequences(ctx, t, n, o, s)
}

// sequenceRows gathers rows into sequences. It keeps all rows in memory, but only their wanted columns.
type sequenceRows struct {
	rows   Rows
	of     *Sequencing
	schema *pipeline.Schema
	keep   []int // columns of the rows
	id     []int
	time   int // -1: there is none

	groups  map[string]*gatheredSequence
	order   []*gatheredSequence
	count   int // number of rows
	first   bool
	dates   bool // times are dates
	example string
	ended   bool
	at      int // index of the next sequence
	counts  SequenceCounts
}

// gatheredSequence is a sequence and its name.
type gatheredSequence struct {
	name  string
	steps []gatheredStep
}

type gatheredStep struct {
	row   pipeline.Row
	time  instant.Instant
	place string
}

// openSequences opens a table whose rows form sequences.
func openSequences(ctx context.Context, t Tabular, n Name, o RowOptions, s *Sequencing) (Rows, error) {
	wanted := o.Columns
	if wanted == nil && o.As != nil {
		wanted = o.As.Names()
	}
	beside := n.Keys()
	if w := n.Weights(); w != "" {
		beside = append(slices.Clone(beside), w)
	}
	o.Columns, o.As = s.with(wanted, beside), s.schema(o.As, beside)
	rows, err := t.Rows(ctx, n, o)
	if err != nil {
		return nil, err
	}
	r := &sequenceRows{rows: rows, of: s, time: -1, groups: map[string]*gatheredSequence{}}
	if err := r.find(rows.Schema(), o.Columns); err != nil {
		rows.Close()
		return nil, err
	}
	return r, nil
}

// with returns the wanted columns and those that sequences and keys need, or nil if all are wanted.
func (s *Sequencing) with(wanted, keys []string) []string {
	if wanted == nil {
		return nil
	}
	wanted = slices.Clone(wanted)
	for _, name := range slices.Concat(s.columns(), keys) {
		if !slices.Contains(wanted, name) {
			wanted = append(wanted, name)
		}
	}
	return wanted
}

// RowsOf returns the schema of the rows from which sequences with this schema are made. s and the schema may be nil.
func (s *Sequencing) RowsOf(as *pipeline.Schema, keys []string) *pipeline.Schema {
	if s == nil {
		return as
	}
	return s.schema(as, keys)
}

// schema is RowsOf for rows that form sequences.
func (s *Sequencing) schema(as *pipeline.Schema, keys []string) *pipeline.Schema {
	if as == nil {
		return nil
	}
	all := &pipeline.Schema{Columns: slices.Clone(as.Columns)}
	for _, name := range slices.Concat(s.columns(), keys) {
		if all.Index(name) < 0 {
			all.Columns = append(all.Columns, pipeline.StringColumn{Name: name})
		}
	}
	return all
}

// find finds the columns.
func (r *sequenceRows) find(found *pipeline.Schema, wanted []string) error {
	if found.Sequence {
		return &MismatchError{fmt.Errorf("the data is sequences already; leave out sequence-id")}
	}
	for _, name := range r.of.columns() {
		if found.Index(name) < 0 {
			return &MismatchError{fmt.Errorf("there is no column %q, which tells the sequences: there are %s", name,
				data.ShortList(found.Names()))}
		}
	}
	for _, name := range r.of.ID {
		r.id = append(r.id, found.Index(name))
	}
	if r.of.Time != "" {
		r.time = found.Index(r.of.Time)
	}
	r.schema = &pipeline.Schema{Sequence: true}
	for i, c := range found.Columns {
		if wanted == nil || slices.Contains(wanted, c.Title()) {
			r.keep, r.schema.Columns = append(r.keep, i), append(r.schema.Columns, c)
		}
	}
	return nil
}

// Schema returns the columns of the steps.
func (r *sequenceRows) Schema() *pipeline.Schema { return r.schema }

// Next returns the next sequence. The first call reads all rows.
func (r *sequenceRows) Next() (pipeline.Item, error) {
	for !r.ended {
		item, err := r.rows.Next()
		if err == io.EOF {
			r.end()
			break
		}
		if err == nil {
			err = r.take(item.Row)
		}
		if err != nil {
			return pipeline.Item{}, err
		}
	}
	if r.at > 0 && r.at <= len(r.order) {
		r.order[r.at-1].release()
	}
	if r.at >= len(r.order) {
		return pipeline.Item{}, io.EOF
	}
	r.at++
	steps := r.order[r.at-1].steps
	rows := make([]pipeline.Row, len(steps))
	for i := range steps {
		rows[i] = steps[i].row
	}
	return pipeline.Item{Sequence: rows}, nil
}

// release frees the rows of a finished sequence.
func (g *gatheredSequence) release() { g.steps = nil }

// take adds a row to its sequence.
func (r *sequenceRows) take(row pipeline.Row) error {
	if r.count++; r.count >= 1<<20 && r.count&(r.count-1) == 0 { // as many rows may follow
		const value = 40 // bytes of a pipeline.Value
		if err := checkup.Fits(int64(r.count) * int64(len(r.keep)) * value); err != nil {
			return fmt.Errorf("%s: the rows of sequences are kept in memory: %w", r.rows.Place(), err)
		}
	}
	name, err := r.nameOf(row)
	if err != nil {
		return err
	}
	step := gatheredStep{place: r.rows.Place(), row: make(pipeline.Row, len(r.keep))}
	if r.time >= 0 {
		if step.time, err = r.timeOf(row[r.time]); err != nil {
			return err
		}
	}
	for k, i := range r.keep {
		step.row[k] = row[i]
	}
	g := r.groups[name]
	if g == nil {
		g = &gatheredSequence{name: name}
		r.groups[name], r.order = g, append(r.order, g)
	}
	g.steps = append(g.steps, step)
	return nil
}

// nameOf returns the name of a row's sequence.
func (r *sequenceRows) nameOf(row pipeline.Row) (string, error) {
	id := make([]string, len(r.id))
	for k, i := range r.id {
		if !row[i].IsNull() {
			id[k] = strings.TrimSpace(row[i].String())
		}
		if id[k] == "" {
			return "", r.bad("column %q: the value is missing, which tells the row's sequence; drop the row", r.of.ID[k])
		}
	}
	if len(id) > 1 {
		return JoinValues(id), nil
	}
	return id[0], nil
}

// instantOf parses a time, and also returns its text.
func (r *sequenceRows) instantOf(v pipeline.Value) (at instant.Instant, text string, err error) {
	if !v.IsNull() {
		text = strings.TrimSpace(v.String())
	}
	at, ok := instant.Parse(text)
	switch {
	case text == "":
		err = r.bad("column %q: the value is missing, which orders the rows of a sequence; drop the row", r.of.Time)
	case !ok:
		err = r.bad("column %q: %.40q is neither a number nor a date such as 2006-01-31, which orders the rows of a "+
			"sequence; write it so", r.of.Time, text)
	}
	return at, text, err
}

// timeOf parses a row's time. It refuses tables that mix numbers and dates.
func (r *sequenceRows) timeOf(v pipeline.Value) (instant.Instant, error) {
	at, text, err := r.instantOf(v)
	switch {
	case err != nil:
		return at, err
	case !r.first:
		r.first, r.dates, r.example = true, at.Date, text
	case at.Date != r.dates:
		return at, r.bad("column %q: %.40q, and the rows before it have values such as %.40q: numbers and dates have no "+
			"order; write all as one of them", r.of.Time, text, r.example)
	}
	return at, nil
}

// bad returns an error of the current row.
func (r *sequenceRows) bad(format string, args ...any) error {
	return &RowError{Err: fmt.Errorf("%s: %s", r.rows.Place(), fmt.Sprintf(format, args...))}
}

// end sorts the rows of each sequence by time.
func (r *sequenceRows) end() {
	r.ended, r.groups = true, nil
	for _, g := range r.order {
		r.counts.add(g, r.time >= 0)
		if r.time >= 0 {
			slices.SortStableFunc(g.steps, func(a, b gatheredStep) int { return a.time.Compare(b.time) })
		}
	}
}

// Notes returns notes on the sequences for people, after all were read.
func (r *sequenceRows) Notes() []string { return r.counts.Notes() }

// Place returns the place of the first row of the last sequence of Next. Before the first sequence, it is the last
// row's.
func (r *sequenceRows) Place() string {
	if r.at == 0 || r.at > len(r.order) || len(r.order[r.at-1].steps) == 0 {
		return r.rows.Place()
	}
	return r.StepPlace(0)
}

// StepPlace returns the place of a row of that sequence.
func (r *sequenceRows) StepPlace(step int) string {
	g := r.order[r.at-1]
	return fmt.Sprintf("%s: sequence %q", g.steps[step].place, g.name)
}

// Close closes the rows.
func (r *sequenceRows) Close() error { return r.rows.Close() }

// Live reports whether the next row may be long in coming.
func (r *sequenceRows) Live() bool { return isLive(r.rows) }
