package pipeline

import "github.com/dl4go/dl4go/internal/decimal"

// numberStage combines up to three steps on a column of numbers as texts with gaps. mark sets another column where a
// text is in a set, fill replaces such texts by a number, and then maps the numbers. Each text is read once. For other
// columns the steps run one by one.
type numberStage struct {
	mark   *conditional // nil if there is none
	set    *textTable
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
	f := &numberStage{set: fill.cell.set, filler: filler, then: then}
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
	if c.form != textsForm || f.mark != nil && f.mark.no == nil && b.columns[f.mark.at].form != constantForm {
		for _, step := range f.steps {
			if err := step.do.batch(b, &step.scratch); err != nil {
				return err
			}
		}
		return nil
	}
	out, gaps := sized(&s.reals, b.rows), sized(&s.index, b.rows)[:0]
	for i := range out {
		x, ok := c.texts.number(i)
		if !ok {
			text := c.texts.At(i)
			if f.set.may(text) && f.set.find(text) >= 0 {
				x, gaps = f.filler, append(gaps, int32(i))
			} else if y, err := Text(text).Double(); err != nil {
				return err
			} else {
				x = y
			}
		}
		out[i] = x
	}
	f.then.reals(out)
	if f.mark != nil {
		f.marks(b, gaps, s)
	}
	*c = cells{form: realsForm, kind: DoubleKind, reals: out}
	return nil
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
