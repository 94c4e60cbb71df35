package source

import (
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/tensor"
)

// RowWise says whether workers can make the examples, each of the rows that it reads: no step of the pipeline needs
// others, and there are no sequences.
func (p *Preparation) RowWise() bool {
	plan, err := p.Pipeline.Bind()
	return err == nil && p.Sequence == nil && plan.Streams() && !plan.In().Sequence && !plan.Out().Sequence
}

// Wanted are the schemas in which raw rows may be wanted, the best one first: without labels these need not be there,
// but a file without names of columns may have them.
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

// sameLabel refuses another label than that of the model.
func (p *Preparation) sameLabel(n Name, o Options) error {
	if label, given := n.Settings["label"]; given && !o.Unlabelled && !slices.Equal(Values(label), p.Labels) {
		return &SettingError{"label", label, "the label is " + data.ShortList(p.Labels) + " in the model; leave it out"}
	}
	return nil
}

// PreparedRows makes the examples of raw rows, as they come. The Preparation is [Preparation.RowWise] where a worker reads.
type PreparedRows struct {
	*rowReader
	lasting bool // examples stay valid: their memory is not used again
}

// Prepare makes the examples of raw rows of data with this name.
func (p *Preparation) Prepare(n Name, o Options, rows Rows) (*PreparedRows, error) {
	if err := p.sameLabel(n, o); err != nil {
		return nil, err
	}
	b, err := p.bind()
	if err != nil {
		return nil, err
	}
	r, err := b.read(n, rows, !o.Unlabelled)
	if err != nil {
		return nil, err
	}
	return &PreparedRows{rowReader: r}, nil
}

// Next gives the next examples, those of a row or of some, which are valid until the next call unless they are lasting;
// io.EOF after the last ones.
func (r *PreparedRows) Next() (*data.MultiDataSet, error) {
	r.forget(!r.lasting)
	if err := r.untilSome(); err != nil {
		return nil, err
	}
	return r.examples(), nil
}

// forget leaves what came of the rows before, and may use its memory again.
func (r *rowReader) forget(reuse bool) {
	if !reuse {
		r.x, r.y, r.weights = nil, nil, nil
	}
	r.x, r.y, r.weights = r.x[:0], r.y[:0], r.weights[:0]
	r.meta, r.from, r.ends, r.gaps = nil, r.from[:0], nil, nil
}

// Read is how many rows were read.
func (r *PreparedRows) Read() int { return r.read }

// Info describes the examples, but for their number.
func (r *PreparedRows) Info() Info {
	info := r.info()
	info.Filtered = 0
	return info
}

// Blank is an example of the shapes that all have: of zeros, and of the first class.
func (r *PreparedRows) Blank() *data.MultiDataSet {
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(1, r.b.width)}, LabelNames: r.b.Classes}
	if r.labelled {
		y := tensor.New(1, r.b.labelWidth())
		if r.b.Task == Classification {
			y.Data[0] = 1
		}
		m.Labels = []*tensor.Dense{y}
	}
	if r.weight >= 0 {
		m.Weights = tensor.MustOf([]float32{1}, 1, 1)
	}
	return m
}

// NoRows are rows of a schema of which there are none.
func NoRows(s *pipeline.Schema) Rows { return noRows{s} }
