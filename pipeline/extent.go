package pipeline

import (
	"math"
	"slices"
)

// Extent is what is known about a column in a block of rows before the rows are read. The zero value means that nothing
// is known.
type Extent struct {
	// Low and High bound the values that are neither null nor NaN. They have the kind of the column's values. They are
	// null if no bounds are known.
	Low, High Value
	// NoNulls is true if no value is null, and NoNaN if no value is NaN.
	NoNulls, NoNaN bool
	// AllNull is true if all values are null.
	AllNull bool
}

// RemovesAll reports whether the first filters of the pipeline remove every row of a block, and certainly without an
// error, given the extents of the columns of [Plan.In].
func (p *Plan) RemovesAll(columns []Extent) bool {
	if p.In().Sequence {
		return false
	}
	for i, b := range p.bound {
		switch run := b.Run.(type) {
		case nil:
			continue
		case *pick:
			picked := make([]Extent, len(run.from))
			for to, from := range run.from {
				picked[to] = columns[from]
			}
			columns = picked
			continue
		}
		removed := anyAnswer
		switch s := p.steps[i].(type) {
		case RemoveWhere:
			removed = answersOf(s.Condition, p.schemas[i], columns)
		case *RemoveWhere:
			removed = answersOf(s.Condition, p.schemas[i], columns)
		case RemoveInvalid:
			removed = s.answers(p.schemas[i], columns)
		case *RemoveInvalid:
			removed = s.answers(p.schemas[i], columns)
		}
		if removed == mayHold {
			return true
		}
		if removed&mayFail != 0 {
			return false
		}
	}
	return false
}

// BeginsWithFilter reports whether [Plan.RemovesAll] can be true for any extents.
func (p *Plan) BeginsWithFilter() bool {
	for i, b := range p.bound {
		if _, ok := b.Run.(*pick); ok || b.Run == nil {
			continue
		}
		switch p.steps[i].(type) {
		case RemoveWhere, *RemoveWhere, RemoveInvalid, *RemoveInvalid:
			return true
		}
		return false
	}
	return false
}

// answers are the answers that a condition may have for the rows of a block.
type answers uint8

const (
	mayHold answers = 1 << iota
	mayNotHold
	mayFail

	anyAnswer = mayHold | mayNotHold | mayFail
)

// answer returns the answer of a condition for one value.
func answer(yes bool, err error) answers {
	switch {
	case err != nil:
		return mayFail
	case yes:
		return mayHold
	}
	return mayNotHold
}

// answers returns the possible answers for the values of a column.
func (t *cellTest) answers(e Extent) (out answers) {
	if !e.NoNulls || e.AllNull {
		out |= answer(t.test(Null()))
	}
	if e.AllNull {
		return out
	}
	if t.others != 0 {
		return out | t.others
	}
	if e.Low.IsNull() || e.High.IsNull() || e.Low.kind != e.High.kind {
		return anyAnswer
	}
	if !e.NoNaN && (e.Low.kind == DoubleKind || e.Low.kind == FloatKind) {
		nan := Double(math.NaN())
		nan.kind = e.Low.kind
		out |= answer(t.test(nan))
	}
	if e.Low == e.High && !(e.Low.isReal() && e.Low.real() == 0) { // sets distinguish 0.0 and -0.0
		return out | answer(t.test(e.Low))
	}
	if t.between == nil {
		return anyAnswer
	}
	return out | t.between(e.Low, e.High)
}

func (v Value) isReal() bool { return v.kind == DoubleKind || v.kind == FloatKind }

// answers returns whether rows may have a value that is invalid in its column. The filter never fails.
func (s RemoveInvalid) answers(in *Schema, columns []Extent) answers {
	all := make([]answers, 0, len(in.Columns))
	for i, c := range in.Columns {
		if !s.All && !slices.Contains(s.Columns, c.Title()) {
			continue
		}
		valid := Validator(c)
		cell := &cellTest{test: func(v Value) (bool, error) { return valid(v), nil }, between: eitherAnswer}
		all = append(all, cell.answers(columns[i])&^mayFail)
	}
	return allOf(all).opposite()
}
