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

// RowMaker makes examples, without labels, of rows of values by the names of their columns, for any number of
// goroutines.
type RowMaker struct {
	b      *prepared
	schema *pipeline.Schema
	unseen []atomic.Int64 // values of each of the columns of Seen
}

// RowMaker makes one of the preparation.
func (p *Preparation) RowMaker() (*RowMaker, error) {
	b, err := p.bind()
	if err != nil {
		return nil, err
	}
	return &RowMaker{b: b, schema: b.wanted(false), unseen: make([]atomic.Int64, len(p.Seen))}, nil
}

// Unseen counts the values so far that the training rows did not have, for each column where they are known.
func (m *RowMaker) Unseen() (all []Unseen) {
	for k, s := range m.b.Seen {
		all = append(all, Unseen{Column: s.Column, Values: int(m.unseen[k].Load()), Rare: s.Some, As: s.As})
	}
	return all
}

// Columns are the columns that a row needs a value of.
func (m *RowMaker) Columns() []pipeline.Column { return m.schema.Columns }

// Examples makes an example of each row. A value is a string, a bool, a number, a time.Time, or nil for a gap. Each
// row must have all columns that the pipeline takes, and others do not matter. The examples are those of a file of
// JSON lines with the same values. The pipeline must treat rows one by one.
func (m *RowMaker) Examples(rows []map[string]any) (*data.MultiDataSet, error) {
	b := m.b
	if len(rows) == 0 {
		return nil, errors.New("there are no rows; give at least one")
	}
	if !b.plan.Streams() || b.plan.In().Sequence || b.Sequence != nil {
		return nil, errors.New("the model's pipeline makes examples of several rows; name the data by Read")
	}
	r, err := b.read(Name{}, &namedRows{schema: m.schema, rows: rows}, false, nil)
	if err != nil {
		return nil, err
	}
	for err == nil {
		before := r.made
		if err = r.next(); err == nil && r.made != before+1 {
			return nil, fmt.Errorf("row %d: the model's pipeline leaves it out; see its filters", r.read-1)
		}
	}
	if err != io.EOF {
		return nil, err
	}
	for _, u := range r.lookouts.unseen() {
		at := slices.IndexFunc(b.Seen, func(s analysis.Seen) bool { return s.Column == u.Column })
		m.unseen[at].Add(int64(u.Values))
	}
	return r.examples(), r.close()
}

// namedRows gives rows in memory as raw rows.
type namedRows struct {
	schema *pipeline.Schema
	rows   []map[string]any
	at     int // the next one
}

func (r *namedRows) Schema() *pipeline.Schema { return r.schema }
func (r *namedRows) Place() string            { return fmt.Sprintf("row %d", r.at-1) }
func (r *namedRows) Close() error             { return nil }

func (r *namedRows) Next() (pipeline.Item, error) {
	if r.at == len(r.rows) {
		return pipeline.Item{}, io.EOF
	}
	values := r.rows[r.at]
	r.at++
	row := make(pipeline.Row, len(r.schema.Columns))
	for i, c := range r.schema.Columns {
		v, there := values[c.Title()]
		if !there {
			return pipeline.Item{}, fmt.Errorf("%s: there is no value %q, which the model takes; nil (null in JSON) marks a gap",
				r.Place(), c.Title())
		}
		value, err := goValue(v, c)
		if err != nil {
			return pipeline.Item{}, fmt.Errorf("%s: %q: %w", r.Place(), c.Title(), err)
		}
		row[i] = value
	}
	return pipeline.Item{Row: row}, nil
}

// goValue is a value of Go in a column.
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
			return pipeline.Null(), fmt.Errorf("%q is no number", v.String())
		}
		return jsonValue(dl4j.Number(v), c, true)
	case float32:
		return goFloat(float64(v), 32, c)
	case float64:
		return goFloat(v, 64, c)
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return jsonValue(dl4j.Number(fmt.Sprint(v)), c, true)
	}
	return pipeline.Null(), fmt.Errorf("a %T is no value of a column; give a string, a bool, a number, a time or nil", v)
}

// goFloat is a number of this many bits in a column.
func goFloat(x float64, bits int, c pipeline.Column) (pipeline.Value, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return pipeline.Double(x), nil
	}
	return jsonValue(dl4j.Number(strconv.FormatFloat(x, 'g', -1, bits)), c, true)
}
