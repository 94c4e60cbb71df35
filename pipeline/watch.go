package pipeline

import "slices"

// UnknownValue is an unknown value found by [BatchRun.Watch].
type UnknownValue struct {
	Column, Row int
	Text        string
}

// watch looks for unknown values of a column.
type watch struct {
	column int
	known  func(text string) bool
	few    []bool // which of the column's few texts are known
}

// Watch makes each [BatchRun.Run] look for unknown values of a column of [Plan.In], as texts. known must always return
// the same for a text. [BatchRun.Unknown] returns the values found.
func (r *BatchRun) Watch(column int, known func(text string) bool) {
	r.watches = append(r.watches, &watch{column: column, known: known})
}

// Unknown returns the unknown values of the last batch, for all watched columns, column by column. They are valid
// until the next [BatchRun.Run].
func (r *BatchRun) Unknown() []UnknownValue { return r.unknown }

// lookOut looks for the watched values, before any step.
func (r *BatchRun) lookOut(in *Batch) {
	r.unknown = r.unknown[:0]
	for _, w := range r.watches {
		// the texts of a memo are the same, batch after batch
		remembered := in.columns[w.column].rawTexts()
		c := &r.out.columns[w.column]
		if remembered && c.form == chosenForm {
			for _, v := range c.values[len(w.few):] {
				w.few = append(w.few, w.known(v.String()))
			}
			if !slices.Contains(w.few, false) {
				continue
			}
			for row, k := range c.index {
				if !w.few[k] {
					r.unknown = append(r.unknown, UnknownValue{w.column, row, c.values[k].String()})
				}
			}
			continue
		}
		for row := range in.rows {
			if text := c.at(row).String(); !w.known(text) {
				r.unknown = append(r.unknown, UnknownValue{w.column, row, text})
			}
		}
	}
}
