package pipeline

import "github.com/dl4go/dl4go/internal/decimal"

// numberStage combines up to three steps on a column of numbers with gaps. mark sets another column where a value is in
// a set, fill replaces such values by a number, and then maps the numbers. Each value is read once. The values are
// texts, or numbers and nulls. For other columns the steps run one by one.
type numberStage struct {
	mark   *conditional // nil if there is none
	gap    *cellTest
	set    *textTable // of gap
	filler float64
	then   *cellMap
	steps  []*batchStage
}

// fuseNumbers replaces the last stages by a numberStage, if they are such steps.
func fuseNumbers(stages []*batchStage) []*batchStage {
	n := len(stages)
	if n < 2 {
		return stages
	}
	then, ok := stages[n-1].do.(*cellMap)
	fill, also := stages[n-2].do.(*conditional)
	if !ok || !also || then.real == nil || then.at != fill.at || !fill.fillsGaps() {
		return stages
	}
	filler, err := fill.yes.Double()
	if err != nil {
		return stages
	}
	from := n - 2
	f := &numberStage{gap: fill.cell, set: fill.cell.set, filler: filler, then: then}
	if n > 2 && sameQuestion(stages[n-3].do, fill) {
		if mark := stages[n-3].do.(*conditional); mark.from < 0 && mark.at != fill.at {
			f.mark, from = mark, n-3
		}
	}
	f.steps = append(f.steps, stages[from:]...)
	return append(stages[:from], &batchStage{do: f, scratch: scratch{width: stages[n-1].width}})
}

// fillsGaps reports whether the operator replaces texts of a set in its own column, and none of these is a plain
// number.
func (c *conditional) fillsGaps() bool {
	if c.from >= 0 || c.no != nil || c.cell == nil || c.cell.at != c.at || c.cell.set == nil || c.cell.not {
		return false
	}
	for _, text := range c.cell.set.list {
		if _, number := decimal.Parse(text); number {
			return false
		}
	}
	return true
}

func (f *numberStage) batch(b *Batch, s *scratch) error {
	c := &b.columns[f.then.at]
	if f.ofEntries(b, c, s) {
		return nil
	}
	numbers, apart := f.numbers(c)
	if c.form != textsForm && !apart || f.mark != nil && f.mark.no == nil && b.columns[f.mark.at].form != constantForm {
		for _, step := range f.steps {
			if err := step.do.batch(b, &step.scratch); err != nil {
				return err
			}
		}
		return nil
	}
	out, gaps := sized(&s.reals, b.rows), sized(&s.index, b.rows)[:0]
	var err error
	if apart {
		err = numbers.doubles(out)
		gaps = f.fill(c, out, gaps)
	} else {
		gaps, err = f.read(c.texts, out, gaps)
	}
	if err != nil {
		return err
	}
	f.then.reals(out)
	if f.mark != nil {
		f.marks(b, gaps, s)
	}
	*c = cells{form: realsForm, kind: DoubleKind, reals: out}
	return nil
}

// ofEntries is batch for numbers of a dictionary, and nulls that are gaps. It returns false for other cells, and if an
// entry may be in the set.
func (f *numberStage) ofEntries(b *Batch, c *cells, s *scratch) bool {
	if !c.ofEntries() || c.beside > 0 || c.integers == nil && len(c.log.entries) < c.log.size ||
		f.mark != nil && f.mark.no == nil && b.columns[f.mark.at].form != constantForm ||
		c.form == patchedForm && (len(c.values) != 1 || !c.values[0].IsNull() || !f.set.has(c.values[0])) {
		return false
	}
	r, base := &s.perEntry, *c
	if c.form == patchedForm {
		base = c.unpatched()
	}
	size := c.log.size
	results := sized(&r.reals, size+besideEntries)
	if r.from != c.log {
		all := base
		all.entries = c.log.entries
		r.apart = f.gap.never(&all)
	}
	if !r.apart {
		r.from = c.log
		return false
	}
	f.then.resultsOf(&base, r.since(&base), results, s)
	if c.form == patchedForm {
		base.entries, base.beside = besideOf(c, size, s), 1
		one := sized(&s.reals, 1)
		one[0] = f.filler
		f.then.reals(one)
		results[size] = one[0]
	}
	if f.mark != nil {
		f.marks(b, f.fill(c, nil, sized(&s.index, b.rows)[:0]), s)
	}
	*c = base.resulting(DoubleKind, nil, results)
	return true
}

// numbers returns the numbers of cells that are numbers, or nulls that are gaps. It returns false for other cells.
func (f *numberStage) numbers(c *cells) (numbers cells, ok bool) {
	numbers = *c
	if c.form == patchedForm {
		if len(c.values) != 1 || !c.values[0].IsNull() || !f.set.has(c.values[0]) {
			return numbers, false
		}
		numbers = c.unpatched()
	}
	return numbers, f.gap.never(&numbers)
}

// fill puts the filler into out, unless it is nil, where cells were replaced, and appends their rows to gaps.
func (f *numberStage) fill(c *cells, out []float64, gaps []int32) []int32 {
	if c.form != patchedForm {
		return gaps
	}
	if len(c.patches) > 0 {
		gaps = append(gaps, c.patches...)
	} else {
		for i, replaced := range c.index {
			if replaced >= 0 {
				gaps = append(gaps, int32(i))
			}
		}
	}
	if out != nil {
		for _, i := range gaps {
			out[i] = f.filler
		}
	}
	return gaps
}

// read reads texts as numbers. It puts the filler where gaps are, and appends their rows to gaps.
func (f *numberStage) read(texts Texts, out []float64, gaps []int32) ([]int32, error) {
	for i := range out {
		x, ok := texts.number(i)
		if !ok {
			text := texts.At(i)
			if f.set.may(text) && f.set.find(text) >= 0 {
				x, gaps = f.filler, append(gaps, int32(i))
			} else if y, err := Text(text).Double(); err != nil {
				return gaps, err
			} else {
				x = y
			}
		}
		out[i] = x
	}
	return gaps, nil
}

// marks sets the other column where gaps are.
func (f *numberStage) marks(b *Batch, gaps []int32, s *scratch) {
	to := &b.columns[f.mark.at]
	no := f.mark.no
	if no == nil {
		no = &to.values[0]
	}
	made := &s.each(1)[0]
	values, index := sized(&made.values, 2), sized(&made.index, b.rows)
	values[0], values[1] = *no, f.mark.yes
	clear(index)
	for _, i := range gaps {
		index[i] = 1
	}
	*to = cells{form: chosenForm, values: values, index: index}
}
