package pipeline

import "fmt"

// Run is one pass of data through a [Plan]. Only one goroutine may use it.
type Run struct {
	first stage
	in    *Schema
	drops bool // ignore rows of another width, because the first step removes them
}

// stage processes the items of one step.
type stage interface {
	push(Item) error
	finish() error
}

// Start begins a run. emit receives the results and owns them; an error from it ends the run.
func (p *Plan) Start(emit func(Item) error) *Run { return p.start(0, len(p.bound), 0, emit) }

// start begins a run of some steps. before is the number of items before the first one.
func (p *Plan) start(from, to int, before int64, emit func(Item) error) *Run {
	var next stage = sink{emit}
	for i := to - 1; i >= from; i-- {
		step, name := i+1, stepName(p.steps[i])
		switch run := p.bound[i].Run.(type) {
		case nil:
		case rowOperator:
			m, ok := next.(*rowMaps)
			if !ok {
				m = &rowMaps{next: next}
				next = m
			}
			m.first = append([]namedMap{{run, step, name}}, m.first...)
		default:
			next = newStage(run, step, name, next)
		}
	}
	if g, ok := next.(*gathered); ok {
		if e, ok := g.g.(exchanger); ok {
			e.start(before)
		}
	}
	return &Run{next, p.schemas[from], from < to && dropsWidth(p.steps[from])}
}

// dropsWidth reports whether a step removes rows of another width, which no later step could process.
func dropsWidth(s Step) bool {
	switch s.(type) {
	case RemoveInvalid, *RemoveInvalid, RemoveWrongWidth, *RemoveWrongWidth:
		return true
	}
	return false
}

// rowOperator is an operator that changes rows one by one.
type rowOperator interface {
	Operator
	batcher
	row(Row) (Row, error)
}

// rowMaps are consecutive rowOperators. They process each row together.
type rowMaps struct {
	first []namedMap
	next  stage
}

type namedMap struct {
	do   rowOperator
	step int
	name string
}

func (m *rowMaps) push(i Item) (err error) {
	if i.Sequence == nil {
		if i.Row, err = m.row(i.Row); err != nil {
			return err
		}
		return m.next.push(i)
	}
	for k, row := range i.Sequence {
		if i.Sequence[k], err = m.row(row); err != nil {
			return err
		}
	}
	return m.next.push(i)
}

func (m *rowMaps) row(r Row) (Row, error) {
	for k := range m.first {
		var err error
		if r, err = m.first[k].do.row(r); err != nil {
			return nil, &StepError{m.first[k].step, m.first[k].name, err}
		}
	}
	return r, nil
}

func (m *rowMaps) finish() error { return m.next.finish() }

// Push passes the next row or sequence to the run. The run owns it from then on, including its capacity, because steps
// that add columns grow the row in place. A row with another number of values than the schema has columns is a
// *[WidthError], unless the first step is [RemoveWrongWidth] or [RemoveInvalid]. After an error of a single item, the
// run may continue with the next one.
func (r *Run) Push(i Item) error {
	rows := i.Sequence
	if !r.in.Sequence {
		rows = []Row{i.Row}
	}
	for _, row := range rows {
		if len(row) != len(r.in.Columns) {
			if r.drops {
				return nil
			}
			return &WidthError{len(row), len(r.in.Columns)}
		}
	}
	return r.first.push(i)
}

// WidthError means that a row's number of values is not the number of columns. DataVec ignores such rows.
type WidthError struct{ Values, Columns int }

func (e *WidthError) Error() string {
	return fmt.Sprintf("a row with %d values: the pipeline has %d columns", e.Values, e.Columns)
}

// Close ends the run. Steps that gather emit their results now.
func (r *Run) Close() error { return r.first.finish() }

// sink is the last stage.
type sink struct{ emit func(Item) error }

func (s sink) push(i Item) error { return s.emit(i) }
func (s sink) finish() error     { return nil }

// each is a step that processes items one by one.
type each struct {
	step int
	name string
	do   func(i Item, emit func(Item) error) error
	to   func(Item) error // emit, made once
	next stage
	out  outError
}

// outError marks errors of later steps, which already have their names.
type outError struct{ err error }

func (e *each) push(i Item) error {
	e.out.err = nil
	err := e.do(i, e.to)
	if err != nil && e.out.err == nil {
		return &StepError{e.step, e.name, err}
	}
	return err
}

func (e *each) emit(i Item) error {
	e.out.err = e.next.push(i)
	return e.out.err
}

func (e *each) finish() error { return e.next.finish() }

// gathered is a step that needs all items.
type gathered struct {
	*each
	g Gatherer
}

func (s *gathered) finish() error {
	s.out.err = nil
	err := s.g.Finish(s.emit)
	if err != nil && s.out.err == nil {
		return &StepError{s.step, s.name, err}
	}
	if err != nil {
		return err
	}
	return s.next.finish()
}

func newStage(run Operator, step int, name string, next stage) stage {
	s := &each{step: step, name: name, next: next}
	s.to = s.emit
	switch f := run.(type) {
	case Gather:
		g := f()
		s.do = func(i Item, _ func(Item) error) error { return g.Add(i) }
		return &gathered{s, g}
	case RowFilter:
		s.do = func(i Item, emit func(Item) error) error { return keep(i, emit)(f(i.Row)) }
	case SequenceFilter:
		s.do = func(i Item, emit func(Item) error) error { return keep(i, emit)(f(i.Sequence)) }
	case SequenceMap:
		s.do = func(i Item, emit func(Item) error) error { return emitSequence(emit)(f(i.Sequence)) }
	case RowSequence:
		s.do = func(i Item, emit func(Item) error) error { return emitSequence(emit)(f(i.Row)) }
	case SequenceSplit:
		s.do = f.do
	case SequenceRows:
		s.do = f.do
	default:
		panic(fmt.Sprintf("pipeline: an operator of type %T", run))
	}
	return s
}

func keep(i Item, emit func(Item) error) func(bool, error) error {
	return func(stays bool, err error) error {
		if err != nil || !stays {
			return err
		}
		return emit(i)
	}
}

func emitSequence(emit func(Item) error) func([]Row, error) error {
	return func(rows []Row, err error) error {
		if err != nil {
			return err
		}
		return emit(sequence(rows))
	}
}

// sequence returns an item of rows. The rows of an empty sequence are not nil, which distinguishes it from a row.
func sequence(rows []Row) Item {
	if rows == nil {
		rows = []Row{}
	}
	return Item{Sequence: rows}
}

func (f SequenceSplit) do(i Item, emit func(Item) error) error {
	parts, err := f(i.Sequence)
	for k := 0; err == nil && k < len(parts); k++ {
		err = emit(sequence(parts[k]))
	}
	return err
}

func (f SequenceRows) do(i Item, emit func(Item) error) error {
	rows, err := f(i.Sequence)
	for k := 0; err == nil && k < len(rows); k++ {
		err = emit(Item{Row: rows[k]})
	}
	return err
}
