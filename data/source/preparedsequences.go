package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/tensor"
)

// Keys are the columns that identify the examples of data: those that its settings name, or those that tell the
// sequences; none if the data has none. p may be nil.
func (p *Preparation) Keys(n Name) []string {
	if keys := n.Keys(); keys != nil || p == nil || p.Sequence == nil {
		return keys
	}
	return p.Sequence.ID
}

// known are columns that have a use other than that of a feature.
func (p *Preparation) known() []string {
	if p.Sequence == nil {
		return p.Labels
	}
	return slices.Concat(p.Labels, p.Sequence.columns())
}

// sameSequences refuses settings that make other sequences than those of the model.
func (p *Preparation) sameSequences(n Name) error {
	s, err := n.Sequencing()
	if err != nil || s == nil || s.equal(p.Sequence) {
		return err
	}
	value := JoinValues(s.ID)
	if p.Sequence == nil {
		return &MismatchError{fmt.Errorf("sequence=%s: the model's pipeline takes the rows one by one; leave it out", value)}
	}
	return &MismatchError{fmt.Errorf("sequence=%s: the model's sequences are by %s in the order of %q; leave out "+
		"sequence= and time=", value, strings.Join(p.Sequence.ID, ", "), p.Sequence.Time)}
}

// takes refuses sequences where the pipeline takes rows, and the other way round.
func (b *prepared) takes(found *pipeline.Schema) error {
	switch {
	case found.Sequence == b.plan.In().Sequence:
		return nil
	case found.Sequence:
		return &MismatchError{errors.New("the data is sequences, and the pipeline takes rows")}
	}
	return &MismatchError{errors.New("the data is rows, and the pipeline takes sequences; sequence=COLUMN says which " +
		"rows are one")}
}

// sequenceInfo says that examples are sequences.
func (b *prepared) sequenceInfo(info *Info) {
	info.Features = []tensor.Shape{{b.width, -1}}
	if len(info.Labels) > 0 && b.PerStep {
		info.Labels = []tensor.Shape{{b.labelWidth(), -1}}
	}
}

// sequence takes a sequence of raw rows.
func (r *rowReader) sequence(rows []pipeline.Row) error {
	in := make([]pipeline.Row, len(rows))
	for i, row := range rows {
		was := r.key
		if err := r.take(row); err != nil {
			return fmt.Errorf("%s: %w", r.stepPlace(i), err)
		}
		if i > 0 && r.key != was {
			return fmt.Errorf("%s: the key is %q, and %q in the rows of the sequence before it: a sequence has one key",
				r.stepPlace(i), r.key, was)
		}
		in[i] = r.columnsOf(row)
	}
	err := r.run.Push(pipeline.Item{Sequence: in})
	if err == nil {
		return nil
	}
	for i, row := range rows {
		if err := r.probe(row); err != nil {
			return fmt.Errorf("%s: %w", r.stepPlace(i), err)
		}
	}
	return fmt.Errorf("%s: %w", r.rows.Place(), err)
}

// stepPlace says where a row of a sequence is.
func (r *rowReader) stepPlace(step int) string {
	if s, ok := r.rows.(interface{ stepPlace(step int) string }); ok {
		return s.stepPlace(step)
	}
	return fmt.Sprintf("%s: step %d", r.rows.Place(), step+1)
}

// probe runs the pipeline on a single step, to see whether it fails there.
func (r *rowReader) probe(row pipeline.Row) error {
	alone := *r
	alone.x, alone.y, alone.meta, alone.from, alone.ends = nil, nil, nil, nil, nil
	return r.b.plan.Start(alone.emit).Push(pipeline.Item{Sequence: []pipeline.Row{r.columnsOf(row)}})
}

// steps takes a sequence that comes out of the pipeline.
func (r *rowReader) steps(rows []pipeline.Row) error {
	first := len(r.y)
	for i, row := range rows {
		if err := r.features(row); err != nil {
			return err
		}
		if !r.labelled {
			continue
		}
		at := len(r.y)
		if err := r.labels(row); err != nil {
			return err
		}
		if i == 0 || r.b.PerStep {
			continue
		}
		if !slices.Equal(r.y[at:], r.y[first:at]) {
			return fmt.Errorf("column %q: the label changes within the sequence, and the model tells one label of a sequence",
				r.b.Labels[0])
		}
		r.y = r.y[:at]
	}
	r.ends = append(r.ends, len(r.x)/r.b.width)
	return nil
}

// sequences are those that came, as a table.
func (r *rowReader) sequences(info Info) *sequenceTable {
	t := &sequenceTable{info: info, x: r.x, ends: r.ends, keys: r.meta, width: r.b.width, perStep: r.b.PerStep}
	if r.labelled {
		t.y, t.labels, t.info.LabelNames = r.y, r.b.labelWidth(), r.b.Classes
	}
	t.info.Examples = len(r.ends)
	return t
}
