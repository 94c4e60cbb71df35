package prepare

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data/source"
)

// errPartedGathering is the error of splitting rows that a pipeline gathers afterwards.
var errPartedGathering = errors.New("splits, folds and samples choose rows, and the pipeline makes examples of " +
	"several: split the data before, and give the other part as held-out data")

// used returns a function that reports whether a row is in a part; nil if all are.
func (o *opening) used() func(row int) bool {
	if n, _ := o.trainedOn(); n+len(o.held) == o.seen.rows {
		return nil
	}
	in := make([]bool, o.seen.rows)
	for _, i := range slices.Concat(o.train, o.held) {
		in[i] = true
	}
	return func(row int) bool { return row < len(in) && in[row] }
}

// textGaps makes texts among numbers count as gaps in rows that are not trained on. In a column, up to 1 % of all rows
// may have such texts, including the training rows. textGaps returns nil if no pipeline was proposed, or if all rows
// are trained on.
func (o *opening) textGaps() *source.TextGaps {
	if len(o.numbers) == 0 || !o.parted() {
		return nil
	}
	rows := o.profiled * int64(len(o.train)+len(o.held)) / int64(len(o.train))
	g := &source.TextGaps{}
	for _, n := range o.numbers {
		g.Columns = append(g.Columns, source.TextGap{Column: n.Column, Known: n.Gaps, Most: int(max(0, rows/100-n.Odd))})
	}
	return g
}

// examples are those of all rows.
type examples struct {
	source.Source
	rows   []int // the row of each example, or nil
	read   int   // number of rows
	subset func(name string, at []int) source.Source
}

// examples makes the examples of all rows.
func (t *table) examples(o *opening) (*examples, error) {
	options := source.Options{Preparation: o.result.Preparation, Noted: o.used()}
	if g := o.textGaps(); g != nil {
		trained := o.trainedRows()
		g.In = func(row int) bool { return row >= len(trained) || !trained[row] }
		options.TextGaps = g
	}
	if o.Room != nil {
		room := *o.Room
		room.Parted = o.parted()
		options.Room = &room
	}
	s, err := source.OpenName(o.ctx, o.name, options)
	if err != nil {
		return nil, err
	}
	switch s := s.(type) {
	case *source.Prepared:
		return &examples{s, s.Rows, s.Read, func(name string, at []int) source.Source {
			return source.Subset(s, name, at)
		}}, nil
	case *source.Stored:
		return &examples{s, s.From, s.Read, func(name string, at []int) source.Source {
			return s.Subset(name, at)
		}}, nil
	}
	return nil, fmt.Errorf("%s: the examples are of type %T", o.name, s)
}

// open makes the examples.
func (t *table) open(o *opening) error {
	all, err := t.examples(o)
	if err != nil {
		return err
	}
	r := &o.result
	o.noteRows(all.Info())
	if n, _ := o.trainedOn(); n == all.read {
		r.Train = all.Source
		return nil
	}
	if all.rows == nil {
		return errPartedGathering
	}
	part := func(rows []int) (source.Source, error) {
		in := make([]bool, all.read)
		for _, i := range rows {
			in[i] = true
		}
		var at []int
		for k, i := range all.rows {
			if in[i] {
				at = append(at, k)
			}
		}
		if len(at) == 0 {
			return nil, fmt.Errorf("%s: the pipeline leaves none of the %d rows of a part; see its filters",
				o.name, len(rows))
		}
		name := fmt.Sprintf("%d of the %d %s of %s", len(rows), all.read, o.things(), o.name)
		return all.subset(name, at), nil
	}
	if r.Train, err = part(o.train); err == nil && o.held != nil {
		r.HeldOut, err = part(o.held)
	}
	return err
}
