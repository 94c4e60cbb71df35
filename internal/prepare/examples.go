package prepare

import (
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"

	"github.com/dl4go/dl4go/data/source"
)

// errPartedGathering is the error of splitting rows that a pipeline gathers afterwards.
var errPartedGathering = errors.New("splits, folds and samples choose rows, and the pipeline makes examples of " +
	"several: split the data before, and give the other part as held-out data")

// used returns a function that reports whether a row is in a part; nil if all are.
func (o *opening) used() func(row int) bool {
	if o.trained()+o.held.size() == o.seen.rows {
		return nil
	}
	return func(row int) bool { return o.trainsOn(row) || o.held.has(row) }
}

// textGaps makes texts among numbers count as gaps in rows that are not trained on. In a column, up to 1 % of all rows
// may have such texts, including the training rows. textGaps returns nil if no pipeline was proposed, or if all rows
// are trained on.
func (o *opening) textGaps() *source.TextGaps {
	if len(o.numbers) == 0 || !o.parted() {
		return nil
	}
	rows := o.profiled * int64(o.trained()+o.held.size()) / int64(o.trained())
	g := &source.TextGaps{}
	for _, n := range o.numbers {
		g.Columns = append(g.Columns, source.TextGap{Column: n.Column, Known: n.Gaps, Most: int(max(0, rows/100-n.Odd))})
	}
	return g
}

// examples are those of all rows.
type examples struct {
	source.Source
	rows   iter.Seq2[int, int] // the examples and their rows; nil if an example has several
	read   int                 // number of rows
	subset func(name string, n int, at iter.Seq[int]) source.Source
}

// examples makes the examples of all rows.
func (t *table) examples(o *opening) (*examples, error) {
	options := source.Options{Preparation: o.result.Preparation, Noted: o.used()}
	if g := o.textGaps(); g != nil {
		g.In = func(row int) bool { return !o.trainsOn(row) }
		options.TextGaps = g
	}
	if o.Room != nil {
		o.release()
		room := *o.Room
		if room.Parted = o.parted(); room.Parted {
			// Four further sets of a bit for each row: the origins of examples, and the parts
			room.Memory = max(0, room.Memory-o.train.bytes()-o.held.bytes()-4*(int64(o.seen.rows)/8))
		}
		options.Room = &room
	}
	s, err := source.OpenName(o.ctx, o.name, options)
	if err != nil {
		return nil, err
	}
	switch s := s.(type) {
	case *source.Prepared:
		e := &examples{Source: s, read: s.Read, subset: func(name string, _ int, at iter.Seq[int]) source.Source {
			return source.Subset(s, name, slices.Collect(at))
		}}
		if s.Rows != nil {
			e.rows = slices.All(s.Rows)
		}
		return e, nil
	case *source.Stored:
		e := &examples{Source: s, read: s.Read, subset: func(name string, n int, at iter.Seq[int]) source.Source {
			return s.Subset(name, n, at)
		}}
		if s.Origins != nil {
			e.rows = s.Origins.All()
		}
		return e, nil
	}
	return nil, fmt.Errorf("%s: the examples are of type %T", o.name, s)
}

// release gives the memory of the look at many values back to the system, before examples take its place.
func (o *opening) release() {
	if int64(o.seen.rows)*int64(len(o.schema.Columns)) >= manyValues {
		debug.FreeOSMemory()
	}
}

// manyValues is a number of values that take longer to read than a collection of garbage does.
const manyValues = 1 << 20

// of yields the examples of some rows.
func (e *examples) of(rows *rowSet) iter.Seq[int] {
	return func(yield func(example int) bool) {
		for example, row := range e.rows {
			if rows.has(row) && !yield(example) {
				return
			}
		}
	}
}

// open makes the examples.
func (t *table) open(o *opening) error {
	all, err := t.examples(o)
	if err != nil {
		return err
	}
	r := &o.result
	o.noteRows(all.Info())
	if o.trained() == all.read {
		r.Train = all.Source
		return nil
	}
	if all.rows == nil {
		return errPartedGathering
	}
	part := func(rows *rowSet) (source.Source, error) {
		n := 0
		for range all.of(rows) {
			n++
		}
		if n == 0 {
			return nil, fmt.Errorf("%s: the pipeline leaves none of the %d rows of a part; see its filters",
				o.name, rows.size())
		}
		name := fmt.Sprintf("%d of the %d %s of %s", rows.size(), all.read, o.things(), o.name)
		return all.subset(name, n, all.of(rows)), nil
	}
	if r.Train, err = part(o.train); err == nil && o.held != nil {
		r.HeldOut, err = part(o.held)
	}
	return err
}
