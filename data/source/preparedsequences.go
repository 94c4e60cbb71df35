package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/tensor"
)

// Keys returns the columns that identify the examples of data: those that its settings name, or those that identify the
// sequences. It returns nil if there are none. p may be nil.
func (p *Preparation) Keys(n Name) []string {
	keys := n.Keys()
	k, _ := KindOf(n.Kind)
	named, ok := k.(interface{ keyColumn() string })
	switch {
	case keys != nil || p == nil:
		return keys
	case ok:
		return []string{named.keyColumn()}
	case p.Sequence == nil:
		return nil
	}
	return p.Sequence.ID // none for tokens
}

// known returns the columns that are not features: labels and the columns of sequences.
func (p *Preparation) known() []string {
	if p.Sequence == nil {
		return p.Labels
	}
	return slices.Concat(p.Labels, p.Sequence.columns())
}

// sameSequences reports an error if the settings make other sequences than the model's.
func (p *Preparation) sameSequences(n Name) error {
	s, err := n.Sequencing()
	if err != nil || s == nil || s.equal(p.Sequence) {
		return err
	}
	if s.Tokens != nil || p.Sequence != nil && p.Sequence.Tokens != nil {
		return &MismatchError{errors.New("the model takes its sequences in another way than sequence= and tokens= say; " +
			"leave them out")}
	}
	value := JoinValues(s.ID)
	if p.Sequence == nil {
		return &MismatchError{fmt.Errorf("sequence=%s: the model's pipeline takes the rows one by one; leave it out", value)}
	}
	return &MismatchError{fmt.Errorf("sequence=%s: the model's sequences are by %s in the order of %q; leave out "+
		"sequence= and time=", value, strings.Join(p.Sequence.ID, ", "), p.Sequence.Time)}
}

// takes reports an error if the data is sequences and the pipeline takes rows, or the other way round.
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

// sequenceInfo describes the examples as sequences.
func (b *prepared) sequenceInfo(info *Info) {
	info.Features = []tensor.Shape{{b.width, -1}}
	if c, ok := b.tokens(); ok {
		info.Words = len(c.States)
	}
	if len(info.Labels) > 0 && b.PerStep {
		info.Labels = []tensor.Shape{{b.labelWidth(), -1}}
	}
}

// tokens returns the pipeline's step that numbers the tokens.
func (b *prepared) tokens() (c pipeline.StringToCategorical, ok bool) {
	if b.Sequence == nil || b.Sequence.Tokens == nil || b.width != 1 {
		return c, false
	}
	for _, step := range b.Pipeline.Steps {
		if c, ok = step.(pipeline.StringToCategorical); ok && c.Column == b.Sequence.Tokens.Column {
			return c, true
		}
	}
	return c, false
}

// sequence processes a sequence of raw rows.
func (r *rowReader) sequence(rows []pipeline.Row) error {
	in, news := make([]pipeline.Row, len(rows)), make([][]pipeline.UnknownValue, len(rows))
	rows, missing, err := FillLabels(rows, r.labelColumns())
	if err != nil {
		return fmt.Errorf("%s: %w", r.rows.Place(), err)
	}
	r.missing = missing
	for i, row := range rows {
		was, weighed := r.key, r.rowWeight
		if err := r.take(row); err != nil {
			return fmt.Errorf("%s: %w", r.stepPlace(i), err)
		}
		if i > 0 && r.key != was {
			return fmt.Errorf("%s: the key is %q, and %q in the rows of the sequence before it: a sequence has one key",
				r.stepPlace(i), r.key, was)
		}
		if i > 0 && r.rowWeight != weighed {
			return fmt.Errorf("%s: the weight is %v, and %v in the rows of the sequence before it: "+
				"a sequence has one weight",
				r.stepPlace(i), r.rowWeight, weighed)
		}
		in[i] = r.columnsOf(row)
		news[i] = r.lookouts.news(in[i])
	}
	if named, ok := r.rows.(interface{ Key() string }); ok {
		r.key = named.Key()
	}
	x, y := len(r.x), len(r.y)
	if err = r.run.Push(pipeline.Item{Sequence: in}); err != nil && r.texts.takes(r.read-1) {
		r.x, r.y = r.x[:x], r.y[:y]
		err = r.withoutTexts(rows, err)
	}
	if err == nil {
		for i, found := range news {
			r.lookouts.count(found, r.read-1, func() string { return r.stepPlace(i) })
		}
		return nil
	}
	for i, row := range rows {
		if err := r.probe(row); err != nil {
			return fmt.Errorf("%s: %w", r.stepPlace(i), err)
		}
	}
	return fmt.Errorf("%s: %w", r.rows.Place(), err)
}

// withoutTexts processes a sequence again that failed, with gaps in the place of texts among numbers.
func (r *rowReader) withoutTexts(rows []pipeline.Row, failed error) error {
	in := make([]pipeline.Row, len(rows))
	for i, row := range rows {
		in[i] = r.columnsOf(row)
		texts := r.texts.clear(in[i])
		err := r.gapped(texts, failed, r.read-1, func() string { return r.stepPlace(i) }, noPush)
		if texts != nil && err != nil {
			return err
		}
	}
	return r.run.Push(pipeline.Item{Sequence: in})
}

func noPush() error { return nil }

// labelColumns are the columns of labels in a raw row; none if labels are not wanted.
func (r *inColumns) labelColumns() (columns []int) {
	for i, c := range r.b.plan.In().Columns {
		if r.labelled && r.columns[i] >= 0 && slices.Contains(r.b.Labels, c.Title()) {
			columns = append(columns, r.columns[i])
		}
	}
	return columns
}

// stepPlacer is implemented by Rows that know the place of each row of the last sequence.
type stepPlacer interface{ StepPlace(step int) string }

// keysFromFiles reports whether the names of files are the keys, without a column that has them.
func (n Name) keysFromFiles(found *pipeline.Schema) bool {
	k, _ := KindOf(n.Kind)
	named, ok := k.(interface{ keyColumn() string })
	return ok && found.Index(named.keyColumn()) < 0
}

// Like returns rows with the keys and the places of others, from which they were made one by one.
func Like(rows, of Rows) Rows {
	if named, ok := of.(namedSteps); ok {
		return &likeRows{rows, named}
	}
	return rows
}

// namedSteps are sequences with keys.
type namedSteps interface {
	stepPlacer
	Key() string
}

type likeRows struct {
	Rows
	of namedSteps
}

func (r *likeRows) Key() string               { return r.of.Key() }
func (r *likeRows) StepPlace(step int) string { return r.of.StepPlace(step) }
func (r *likeRows) Passed() int               { return Passed(r.Rows) }

// stepPlace returns the place of a row of a sequence.
func (r *rowReader) stepPlace(step int) string {
	if s, ok := r.rows.(stepPlacer); ok {
		return s.StepPlace(step)
	}
	return fmt.Sprintf("%s: step %d", r.rows.Place(), step+1)
}

// FillLabels copies the label of the step before to each step without one; steps before the first label get that label.
// missing marks the filled steps, or is nil if all have a label. It is an error if none has one. The rows are not
// changed.
func FillLabels(rows []pipeline.Row, columns []int) (filled []pipeline.Row, missing []bool, err error) {
	for _, c := range columns {
		first := slices.IndexFunc(rows, func(r pipeline.Row) bool { return !unlabelled(r[c]) })
		if first < 0 {
			return nil, nil, errors.New("no step of the sequence has a label; leave the sequence out")
		}
		label := rows[first][c]
		for i, row := range rows {
			if !unlabelled(row[c]) {
				label = row[c]
				continue
			}
			if missing == nil {
				rows, missing = slices.Clone(rows), make([]bool, len(rows))
			}
			rows[i], missing[i] = slices.Clone(row), true
			rows[i][c] = label
		}
	}
	return rows, missing, nil
}

// unlabelled reports whether a label is missing.
func unlabelled(v pipeline.Value) bool {
	return v.IsNull() || v.IsText() && strings.TrimSpace(v.String()) == ""
}

// probe runs the pipeline on a single step, to see whether that step fails.
func (r *rowReader) probe(row pipeline.Row) error {
	alone := *r
	alone.x, alone.y, alone.meta, alone.from, alone.ends, alone.gaps, alone.missing = nil, nil, nil, nil, nil, nil, nil
	return r.b.plan.Start(alone.emit).Push(pipeline.Item{Sequence: []pipeline.Row{r.columnsOf(row)}})
}

// steps appends the example of a sequence that comes out of the pipeline.
func (r *rowReader) steps(rows []pipeline.Row) error {
	first := len(r.y)
	if r.missing != nil && r.b.PerStep && len(r.missing) != len(rows) {
		return errors.New("steps without a label are masked, and the pipeline changes the number of steps")
	}
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
	if r.missing != nil && r.b.PerStep {
		before := len(r.x)/r.b.width - len(rows)
		r.gaps = append(r.gaps, make([]bool, before-len(r.gaps))...)
		r.gaps = append(r.gaps, r.missing...)
	}
	return nil
}

// unlabelledSteps returns the number of steps without a label.
func unlabelledSteps(gaps []bool) (n int) {
	for _, gap := range gaps {
		if gap {
			n++
		}
	}
	return n
}

// sequences returns the sequences so far as a table.
func (r *rowReader) sequences(info Info) *sequenceTable {
	t := &sequenceTable{info: info, x: r.x, ends: r.ends, keys: r.meta, weights: r.weights, width: r.b.width,
		perStep: r.b.PerStep}
	if r.labelled {
		t.y, t.labels, t.info.LabelNames = r.y, r.b.labelWidth(), r.b.Classes
	}
	if t.info.Examples = len(r.ends); r.gaps != nil {
		t.gaps = append(r.gaps, make([]bool, len(r.x)/r.b.width-len(r.gaps))...)
	}
	return t
}
