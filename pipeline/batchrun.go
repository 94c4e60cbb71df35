package pipeline

import "slices"

// BatchRun runs the rows of batches through a [Plan] whose steps handle each row separately. It works step by step and
// column by column, and has the same results as a [Run]. Only one goroutine may use it.
type BatchRun struct {
	stages []*batchStage
	memos  []textMemo // one for each column
	out    Batch
	// values to look for, and those found in the last batch
	watches []*watch
	unknown []UnknownValue
}

// batchStage is a step with its own memory, which it reuses for each batch.
type batchStage struct {
	do batcher
	scratch
}

// batcher changes a batch by replacing columns. Operators that are not batchers need whole rows.
type batcher interface {
	batch(b *Batch, s *scratch) error
}

// StartBatches begins a run on batches. It returns nil if a step gathers rows, or if the data is sequences.
func (p *Plan) StartBatches() *BatchRun {
	r := &BatchRun{}
	if p.In().Sequence || p.Out().Sequence {
		return nil
	}
	for i, b := range p.bound {
		if b.Run == nil {
			continue
		}
		do, ok := b.Run.(batcher)
		if !ok {
			return nil
		}
		stage := &batchStage{do: do, scratch: scratch{width: len(p.schemas[i+1].Columns)}}
		if n := len(r.stages); n > 0 && sameQuestion(do, r.stages[n-1].do) {
			stage.before = &r.stages[n-1].scratch
		}
		r.stages = fuseNumbers(append(r.stages, stage))
	}
	r.memos = make([]textMemo, len(p.In().Columns))
	return r
}

// Run returns the result for a batch with the columns of [Plan.In]. It is valid until the next call, and only while in
// is valid. An error means that at least one row fails. A [Run] on the rows tells which one, and why.
func (r *BatchRun) Run(in *Batch) (*Batch, error) {
	r.out.rows, r.out.from = in.rows, nil
	r.out.columns = append(r.out.columns[:0], in.columns...)
	for i := range r.out.columns {
		if c := &r.out.columns[i]; c.rawTexts() {
			*c = r.memos[i].chosen(*c)
		}
	}
	r.lookOut(in)
	for i := range r.stages {
		if r.out.rows == 0 {
			break
		}
		s := r.stages[i]
		if err := s.do.batch(&r.out, &s.scratch); err != nil {
			return nil, err
		}
	}
	return &r.out, nil
}

// scratch is the memory of a step.
type scratch struct {
	width    int // number of columns after the step
	spans    []Span
	reals    []float64
	integers []int64
	values   []Value
	listed   []Value // texts of a list, which never change
	index    []int32
	picked   []bool
	few      []bool
	asked    *Span    // the first of the texts that picked describes; nil if it describes something else
	index0   *int32   // the same for cells of patchedForm
	yes      int      // number of picked cells
	before   *scratch // of an earlier step with the same question; nil if there is none
	list     []cells
	row      Row
	columns  []scratch // for a step that makes several columns
	perEntry entryResults
	entries  []int32
}

func sized[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	return (*s)[:n]
}

// each returns the memory for n columns.
func (s *scratch) each(n int) []scratch {
	for len(s.columns) < n {
		s.columns = append(s.columns, scratch{})
	}
	return s.columns[:n]
}

func (f RowMap) row(r Row) (Row, error) { return f(r) }

// batch applies the function row by row.
func (f RowMap) batch(b *Batch, s *scratch) error {
	made := s.each(s.width)
	for i := range made {
		made[i].values = sized(&made[i].values, b.rows)
	}
	for i := range b.rows {
		row, err := f(b.AppendRow(s.row[:0], i))
		if err != nil {
			return err
		}
		if s.row = row; len(row) != s.width {
			return &WidthError{len(row), s.width}
		}
		for k, v := range row {
			made[k].values[i] = v
		}
	}
	clear(s.row)
	b.columns = b.columns[:0]
	for i := range made {
		b.columns = append(b.columns, cells{form: valuesForm, values: made[i].values})
	}
	return nil
}

// batch removes rows.
func (f RowFilter) batch(b *Batch, s *scratch) error {
	stay := sized(&s.index, b.rows)[:0]
	for i := range b.rows {
		s.row = b.AppendRow(s.row[:0], i)
		keep, err := f(s.row)
		if err != nil {
			return err
		}
		if keep {
			stay = append(stay, int32(i))
		}
	}
	if len(stay) == b.rows {
		return nil
	}
	of := s.each(len(b.columns))
	for i := range b.columns {
		b.columns[i] = b.columns[i].take(stay, &of[i])
	}
	from := sized(&s.integers, len(stay))
	for i, k := range stay {
		from[i] = int64(b.From(int(k)))
	}
	b.from = slices.Grow(b.from[:0:0], len(stay))
	for _, k := range from {
		b.from = append(b.from, int32(k))
	}
	b.rows = len(stay)
	return nil
}

// take returns the cells of some rows. Lists that the cells do not use may be empty, of a batch that was kept before.
func (c *cells) take(rows []int32, s *scratch) cells {
	out := *c
	out.patches = nil
	if len(c.texts.spans) > 0 {
		out.texts.spans = takeRows(c.texts.spans, rows, &s.spans)
	}
	numbers := !c.ofEntries() // of rows
	if len(c.reals) > 0 && numbers {
		out.reals = takeRows(c.reals, rows, &s.reals)
	}
	if len(c.integers) > 0 && numbers {
		out.integers = takeRows(c.integers, rows, &s.integers)
	}
	if len(c.entries) > 0 {
		out.entries = takeRows(c.entries, rows, &s.entries)
	}
	if len(c.index) > 0 {
		out.index = takeRows(c.index, rows, &s.index)
	}
	if c.form == valuesForm {
		out.values = takeRows(c.values, rows, &s.values)
	}
	return out
}

func takeRows[T any](from []T, rows []int32, s *[]T) []T {
	out := sized(s, len(rows))
	for i, k := range rows {
		out[i] = from[k]
	}
	return out
}
