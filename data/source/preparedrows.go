package source

import (
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/tensor"
)

// After returns the preparation for rows that have already gone through the pipeline.
func (p *Preparation) After() *Preparation {
	after := *p
	after.Pipeline, after.Embed, after.Seen, after.Sequence = &pipeline.Pipeline{}, nil, nil, nil
	if plan, err := p.Pipeline.Bind(); err == nil {
		after.Pipeline.Initial = *plan.Out()
	}
	return &after
}

// WithoutLabels returns rows with values in the place of missing labels, so that the pipeline accepts them.
func (p *Preparation) WithoutLabels(rows Rows) Rows {
	r := &unlabelledRows{Rows: rows}
	has := rows.Schema()
	r.schema = has.With(slices.Clone(has.Columns))
	for k, name := range p.Labels {
		c := p.Pipeline.Initial.Index(name)
		if c < 0 {
			continue
		}
		v := pipeline.Null()
		if k < len(p.Absent) {
			v = pipeline.Text(p.Absent[k])
		}
		at := r.schema.Index(name)
		if at < 0 {
			at = len(r.schema.Columns)
			r.schema.Columns = append(r.schema.Columns, p.Pipeline.Initial.Columns[c])
		}
		r.at, r.values = append(r.at, at), append(r.values, v)
	}
	return Like(r, rows)
}

// unlabelledRows are rows with values in the place of labels.
type unlabelledRows struct {
	Rows
	schema *pipeline.Schema
	at     []int // columns of the labels
	values []pipeline.Value
}

// Passed is the same as for the rows below.
func (r *unlabelledRows) Passed() int { return Passed(r.Rows) }

// Schema returns the columns, labels included.
func (r *unlabelledRows) Schema() *pipeline.Schema { return r.schema }

// Next returns the next row or sequence.
func (r *unlabelledRows) Next() (pipeline.Item, error) {
	item, err := r.Rows.Next()
	if err != nil {
		return item, err
	}
	if item.Sequence == nil {
		item.Row = r.filled(item.Row)
	}
	for i, row := range item.Sequence {
		item.Sequence[i] = r.filled(row)
	}
	return item, nil
}

func (r *unlabelledRows) filled(row pipeline.Row) pipeline.Row {
	to := make(pipeline.Row, len(r.schema.Columns))
	copy(to, row)
	for k, at := range r.at {
		to[at] = r.values[k]
	}
	return to
}

// Wanted returns the possible schemas of raw rows for the pipeline, the best one first. If labels is false, the rows
// need no label columns, but files without column names may have them.
func (p *Preparation) Wanted(labels bool) ([]*pipeline.Schema, error) {
	b, err := p.bind()
	if err != nil {
		return nil, err
	}
	if labels {
		return []*pipeline.Schema{b.plan.In()}, nil
	}
	return []*pipeline.Schema{b.wanted(false), b.plan.In()}, nil
}

// sameLabel reports an error if the settings name another label than the model's.
func (p *Preparation) sameLabel(n Name, o Options) error {
	if label, given := n.Settings["label"]; given && !o.Unlabelled && !slices.Equal(Values(label), p.Labels) {
		return &SettingError{"label", label, "the label is " + data.ShortList(p.Labels) + " in the model; leave it out"}
	}
	return nil
}

// PreparedRows makes the examples of raw rows as they are read. On workers, no step of the pipeline may gather rows.
type PreparedRows struct {
	*rowReader
	lasting bool // examples stay valid: their memory is not reused
}

// Prepare returns the examples of raw rows of data with this name. bad counts skipped rows; nil skips none.
func (p *Preparation) Prepare(n Name, o Options, rows Rows, bad *BadRows) (*PreparedRows, error) {
	if err := p.sameLabel(n, o); err != nil {
		return nil, err
	}
	if err := p.sameSequences(n); err != nil {
		return nil, err
	}
	b, err := p.bind()
	if err != nil {
		return nil, err
	}
	r, err := b.read(n, rows, !o.Unlabelled, bad)
	if err != nil {
		return nil, err
	}
	r.texts = o.TextGaps.find(b.plan.In())
	return &PreparedRows{rowReader: r}, nil
}

// Next returns the next examples, from one or several rows, or io.EOF after the last ones. They are valid until the
// next call, unless they are lasting.
func (r *PreparedRows) Next() (*data.MultiDataSet, error) {
	r.forget(!r.lasting)
	if err := r.untilSome(); err != nil {
		return nil, err
	}
	return r.examples(), nil
}

// Ahead runs the pipeline on several threads, and reads ahead of Next, until end is called. The examples stay the same.
func (r *PreparedRows) Ahead(threads int) (end func()) {
	r.batches.share(threads)
	return r.batches.halt
}

// forget drops the results of the rows so far. With reuse, their memory is used again.
func (r *rowReader) forget(reuse bool) {
	if !reuse {
		r.x, r.y, r.weights = nil, nil, nil
	}
	r.x, r.y, r.weights = r.x[:0], r.y[:0], r.weights[:0]
	r.meta, r.from, r.ends, r.gaps = nil, r.from[:0], nil, nil
}

// Read returns the number of rows that were read.
func (r *PreparedRows) Read() int { return r.read }

// Cut returns the number of texts that had more tokens than Tokens.Longest.
func (r *PreparedRows) Cut() int {
	if t, ok := r.rows.(*tokenRows); ok {
		return t.long
	}
	return 0
}

// Info describes the examples. It does not know their number, nor that of filtered rows.
func (r *PreparedRows) Info() Info {
	info := r.info()
	info.Filtered = 0
	return info
}

// Blank returns an example with the shapes of all examples: zeros, and the first class.
func (r *PreparedRows) Blank() *data.MultiDataSet {
	x, y := []int{1, r.b.width}, []int{1, r.b.labelWidth()}
	if r.b.plan.Out().Sequence { // of one step
		x = append(x, 1)
		if r.b.PerStep {
			y = append(y, 1)
		}
	}
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(x...)}, LabelNames: r.b.Classes}
	if r.labelled {
		labels := tensor.New(y...)
		if r.b.Task == Classification {
			labels.Data[0] = 1
		}
		m.Labels = []*tensor.Dense{labels}
	}
	if r.weight >= 0 {
		m.Weights = tensor.MustOf([]float32{1}, 1, 1)
	}
	return m
}

// NoRows returns an empty table with a schema.
func NoRows(s *pipeline.Schema) Rows { return noRows{s} }
