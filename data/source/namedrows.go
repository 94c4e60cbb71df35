package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// RowMaker makes examples, without labels, from rows whose values are given by the names of the columns. It is safe for
// concurrent use.
type RowMaker struct {
	b      *prepared
	schema *pipeline.Schema
	unseen []atomic.Int64 // number of unseen values for each column of Seen
}

// RowMaker returns a RowMaker for the preparation.
func (p *Preparation) RowMaker() (*RowMaker, error) {
	b, err := p.bind()
	if err != nil {
		return nil, err
	}
	return &RowMaker{b: b, schema: b.wanted(false), unseen: make([]atomic.Int64, len(p.Seen))}, nil
}

// Unseen counts the values so far that the training rows did not have, for each column whose training values are known.
func (m *RowMaker) Unseen() (all []Unseen) {
	for k, s := range m.b.Seen {
		all = append(all, Unseen{Column: s.Column, Values: int(m.unseen[k].Load()), Rare: s.Some, As: s.As})
	}
	return all
}

// Columns returns the columns for which a row needs a value.
func (m *RowMaker) Columns() []pipeline.Column { return m.schema.Columns }

// Values returns the known texts of a column: those of the training rows, or of the first step of the pipeline that
// lists them. It returns nil if there is no list. If closed is true, any other text is an error. Otherwise it counts as
// a rare one.
func (m *RowMaker) Values(c pipeline.Column) (list []string, closed bool) {
	for _, s := range m.b.Seen {
		if s.Column == c.Title() {
			return slices.DeleteFunc(slices.Clone(s.Values), func(v string) bool { return v == "" }), false
		}
	}
	if c, ok := c.(pipeline.CategoricalColumn); ok {
		return c.States, true
	}
	for _, step := range m.b.Pipeline.Steps {
		if s, ok := step.(pipeline.StringToCategorical); ok && s.Column == c.Title() && m.tokens() == nil {
			return s.States, true
		}
	}
	return nil, false
}

// Sequences reports whether an example is a sequence of rows. A text that becomes a sequence of words is one row.
func (m *RowMaker) Sequences() bool { return m.schema.Sequence && m.tokens() == nil }

// tokens returns the settings for texts that are sequences, or nil if there are none.
func (m *RowMaker) tokens() *Tokens {
	if m.b.Sequence == nil {
		return nil
	}
	return m.b.Sequence.Tokens
}

// Examples makes an example of each row. A value is a string, a bool, a number, a time.Time, or nil for a gap. Each row
// must have all columns that the pipeline reads; other columns are ignored. The examples equal those of a file of JSON
// lines with the same values. The pipeline must process rows one by one.
func (m *RowMaker) Examples(rows []map[string]any) (*data.MultiDataSet, error) {
	switch {
	case m.Sequences():
		return nil, errors.New("the model takes sequences, not single rows; give the steps of each")
	case len(rows) == 0:
		return nil, errors.New("there are no rows; give at least one")
	}
	single := *m.schema
	single.Sequence = false
	tokenized, err := Tokenized(&namedRows{schema: &single, rows: rows}, m.b.Sequence)
	if err != nil {
		return nil, err
	}
	return m.make(tokenized)
}

// SequenceExamples makes an example of each sequence of rows, with a mask if their lengths differ: see
// [RowMaker.Examples].
func (m *RowMaker) SequenceExamples(sequences [][]map[string]any) (*data.MultiDataSet, error) {
	switch {
	case !m.Sequences():
		return nil, errors.New("the model takes single rows, not sequences; give rows")
	case len(sequences) == 0:
		return nil, errors.New("there are no sequences; give at least one")
	}
	return m.make(&namedSequences{schema: m.schema, sequences: sequences})
}

// make makes the examples of raw rows.
func (m *RowMaker) make(rows Rows) (*data.MultiDataSet, error) {
	if !m.b.plan.Streams() {
		return nil, errors.New("the model's pipeline makes examples of several rows; name the data by Read")
	}
	r, err := m.b.read(Name{}, rows, false, nil)
	if err != nil {
		return nil, err
	}
	for err == nil {
		before := r.made
		if err = r.next(); err == nil && r.made != before+1 {
			return nil, fmt.Errorf("%s: the model's pipeline leaves it out; see its filters", rows.Place())
		}
	}
	if err != io.EOF {
		return nil, err
	}
	for _, u := range r.lookouts.unseen() {
		at := slices.IndexFunc(m.b.Seen, func(s analysis.Seen) bool { return s.Column == u.Column })
		m.unseen[at].Add(int64(u.Values))
	}
	return r.examples(), r.close()
}

// namedRows reads rows in memory as raw rows.
type namedRows struct {
	schema *pipeline.Schema
	rows   []map[string]any
	at     int // index of the next row
}

func (r *namedRows) Schema() *pipeline.Schema { return r.schema }
func (r *namedRows) Place() string            { return fmt.Sprintf("row %d", r.at-1) }
func (r *namedRows) Close() error             { return nil }

// Key returns "", as the rows have no keys.
func (r *namedRows) Key() string { return "" }

func (r *namedRows) Next() (pipeline.Item, error) {
	if r.at == len(r.rows) {
		return pipeline.Item{}, io.EOF
	}
	values := r.rows[r.at]
	r.at++
	row, err := rowOf(r.schema, values, r.Place)
	return pipeline.Item{Row: row}, err
}

// namedSequences reads sequences in memory as raw rows.
type namedSequences struct {
	schema    *pipeline.Schema
	sequences [][]map[string]any
	at        int // index of the next sequence
}

func (r *namedSequences) Schema() *pipeline.Schema { return r.schema }
func (r *namedSequences) Place() string            { return fmt.Sprintf("sequence %d", r.at-1) }
func (r *namedSequences) Close() error             { return nil }

// Key returns "", as the sequences have no keys.
func (r *namedSequences) Key() string { return "" }

func (r *namedSequences) StepPlace(step int) string {
	return fmt.Sprintf("%s: step %d", r.Place(), step)
}

func (r *namedSequences) Next() (pipeline.Item, error) {
	if r.at == len(r.sequences) {
		return pipeline.Item{}, io.EOF
	}
	steps := r.sequences[r.at]
	r.at++
	if len(steps) == 0 {
		return pipeline.Item{}, fmt.Errorf("%s: it has no steps; give at least one", r.Place())
	}
	rows := make([]pipeline.Row, len(steps))
	for i, values := range steps {
		var err error
		if rows[i], err = rowOf(r.schema, values, func() string { return r.StepPlace(i) }); err != nil {
			return pipeline.Item{}, err
		}
	}
	return pipeline.Item{Sequence: rows}, nil
}

// rowOf returns a row from values given by the names of columns.
func rowOf(schema *pipeline.Schema, values map[string]any, place func() string) (pipeline.Row, error) {
	row := make(pipeline.Row, len(schema.Columns))
	var missing []string
	for i, c := range schema.Columns {
		v, there := values[c.Title()]
		if !there {
			missing = append(missing, strconv.Quote(c.Title()))
			continue
		}
		value, err := goValue(v, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", place(), c.Title(), err)
		}
		row[i] = value
	}
	if missing != nil {
		return nil, fmt.Errorf("%s: there is no value %s; give all columns that the model takes, with nil (null in JSON) "+
			"for a gap", place(), data.ShortList(missing))
	}
	return row, nil
}

// goValue converts a Go value for a column.
func goValue(v any, c pipeline.Column) (pipeline.Value, error) {
	switch v := v.(type) {
	case nil, bool, string:
		return jsonValue(v, c, true)
	case time.Time:
		if c.Type() == pipeline.TimeType {
			return pipeline.Long(v.UnixMilli()), nil
		}
		return pipeline.Text(v.Format(time.RFC3339Nano)), nil
	case json.Number:
		if _, err := v.Float64(); err != nil {
			return pipeline.Null(), fmt.Errorf("%q is not a number", v.String())
		}
		return jsonValue(dl4j.Number(v), c, true)
	case float32:
		return goFloat(float64(v), 32, c)
	case float64:
		return goFloat(v, 64, c)
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return jsonValue(dl4j.Number(fmt.Sprint(v)), c, true)
	}
	of := fmt.Sprintf("a %T", v)
	switch v.(type) {
	case []any:
		of = "a list"
	case map[string]any:
		of = "an object"
	}
	return pipeline.Null(), fmt.Errorf("%s can't be the value of a column; give a string, a bool, a number, a time or nil",
		of)
}

// goFloat converts a number with this many bits for a column.
func goFloat(x float64, bits int, c pipeline.Column) (pipeline.Value, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return pipeline.Double(x), nil
	}
	return jsonValue(dl4j.Number(strconv.FormatFloat(x, 'g', -1, bits)), c, true)
}
