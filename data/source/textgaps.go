package source

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/pipeline"
)

// TextGaps makes texts among numbers count as gaps, in rows that were not used to propose the pipeline. In the rows
// that were, the pipeline already knows the texts.
type TextGaps struct {
	Columns []TextGap
	// In reports whether the row with this index is one of these rows. Nil means that all are.
	In func(row int) bool `json:"-"`
}

// TextGap is a column of numbers in which some texts are allowed.
type TextGap struct {
	Column string
	// Known lists texts that the pipeline treats as gaps.
	Known []string
	// Most is the maximum number of other texts.
	Most int
}

// Check returns an error if the new texts that were found in a column are more than allowed.
func (g *TextGaps) Check(found []Unseen) error {
	if g == nil {
		return nil
	}
	for _, u := range found {
		at := slices.IndexFunc(g.Columns, func(c TextGap) bool { return c.Column == u.Column })
		if at >= 0 && u.Values > g.Columns[at].Most {
			return fmt.Errorf("%s: column %q: %w", u.First[0], u.Column, errTexts)
		}
	}
	return nil
}

var errTexts = errors.New("more than 1 % of the rows have texts among its numbers: mend them, or leave such rows " +
	"out with bad-rows=skip:N")

// textGaps finds such texts in rows.
type textGaps struct {
	*TextGaps
	at    []int // indices of the columns in the pipeline
	found []*Unseen
}

// find finds the columns. g may be nil.
func (g *TextGaps) find(in *pipeline.Schema) *textGaps {
	if g == nil {
		return nil
	}
	t := &textGaps{TextGaps: g}
	for _, c := range g.Columns {
		t.at = append(t.at, in.Index(c.Column))
		t.found = append(t.found, &Unseen{Column: c.Column, As: "a gap"})
	}
	return t
}

// takes reports whether texts in a row may be gaps. t may be nil.
func (t *textGaps) takes(row int) bool { return t != nil && (t.In == nil || t.In(row)) }

// newText is a text in the place of a number, and the index of its column in TextGaps.
type newText struct {
	column int
	text   string
}

// clear replaces texts among numbers by null, and returns them.
func (t *textGaps) clear(in pipeline.Row) (texts []newText) {
	for k, at := range t.at {
		if at < 0 || !in[at].IsText() || slices.Contains(t.Columns[k].Known, in[at].String()) {
			continue
		}
		if _, err := in[at].Double(); err != nil {
			texts = append(texts, newText{k, in[at].String()})
			in[at] = pipeline.Null()
		}
	}
	return texts
}

// count counts the texts of one row. It returns an error if there are too many.
func (t *textGaps) count(texts []newText, place func() string) error {
	for _, n := range texts {
		if t.found[n.column].Values == t.Columns[n.column].Most {
			return errTexts
		}
	}
	for _, n := range texts {
		t.found[n.column].add(n.text, place)
	}
	return nil
}

// unseen returns the values so far that the training rows did not have.
func (r *rowReader) unseen() []Unseen {
	all := r.lookouts.unseen()
	if r.texts != nil {
		for _, found := range r.texts.found {
			if found.Values > 0 {
				all = append(all, *found)
			}
		}
	}
	return all
}

// through passes a row through the pipeline. at is its index, and place returns its place.
func (r *rowReader) through(row pipeline.Row, at int, place func() string) error {
	in, made := r.columnsOf(row), r.made
	r.row = row
	defer func() { r.row = nil }()
	news := r.lookouts.news(in)
	x, y := len(r.x), len(r.y)
	err := r.run.Push(pipeline.Item{Row: in})
	if err != nil && r.texts.takes(at) {
		r.x, r.y = r.x[:x], r.y[:y] // remove the row's results
		in = r.columnsOf(row)
		texts := r.texts.clear(in)
		err = r.gapped(texts, err, at, place, func() error { return r.run.Push(pipeline.Item{Row: in}) })
	}
	if err == nil && r.made > made { // rows that filters remove have no new values
		r.lookouts.count(news, at, place)
	}
	return err
}

// gapped processes a row again that failed, with gaps in the place of some texts.
func (r *rowReader) gapped(texts []newText, failed error, at int, place func() string, push func() error) error {
	if texts == nil {
		return failed
	}
	if r.lookouts.noted == nil || r.lookouts.noted(at) {
		if err := r.texts.count(texts, place); err != nil {
			return fmt.Errorf("%w; %w", failed, err)
		}
	}
	return push()
}
