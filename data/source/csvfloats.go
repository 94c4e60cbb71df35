package source

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/internal/decimal"
	"github.com/dl4go/dl4go/pipeline"
)

// some reads the next rows: as many as fit into a batch, but fewer at the end, or if the next rows may be long in
// coming. If a row fails, some first returns the rows before it, and its error at the next call.
func (r *csvReader) some() error {
	err := r.failed
	r.failed = nil
	n := 0
	for err == nil && (n == 0 || n < rowsAtOnce(len(r.slots))) {
		if got := r.block(rowsAtOnce(len(r.slots)) - n); got > 0 {
			n += got
			continue
		}
		if n > 0 && r.isLive() {
			break
		}
		if err = r.next(); err == nil {
			n++
		}
	}
	if n > 0 {
		r.failed, err = err, nil
	}
	return err
}

// block adds the rows of the parser's block that can be taken as they stand, and returns their number. If one of them
// has an error, block adds none. The rows are then read one by one, so that the row with the error is reported.
func (r *csvReader) block(most int) int {
	t, ok := r.records.(*csvTable)
	if !ok || t.fresh || t.csv == nil || t.width != len(r.slots) {
		return 0
	}
	if r.oneByOne > 0 {
		r.oneByOne--
		return 0
	}
	f := &r.fields
	if f.spans == nil {
		f.make(t.width)
	}
	f.n, f.most = 0, min(most, f.rows)
	from, line := t.csv.from, t.csv.line
	if t.csv.plain(f); f.n == 0 {
		return 0
	}
	if !r.take(f, t) {
		r.oneByOne = f.n - 1
		t.csv.from, t.csv.line = from, line
		return 0
	}
	r.rows += f.n
	return f.n
}

// take adds the rows, column by column. It returns false and adds none if one of them has an error.
func (r *csvReader) take(f *csvFields, t *csvTable) bool {
	if len(r.values) == 0 && !r.isLive() {
		r.reserve(f.rows)
	}
	before := r.lengths()
	values, targets := before.values, before.targets
	r.values = slices.Grow(r.values, f.n*r.features)[:values+f.n*r.features]
	if r.options.Regression {
		r.targetV = slices.Grow(r.targetV, f.n*r.targets)[:targets+f.n*r.targets]
	}
	text := t.csv.text()
	for i := range r.slots {
		k := i
		if t.order != nil {
			k = t.order[i]
		}
		spans := f.spans[k*f.rows:][:f.n]
		if !r.column(i, text, spans, r.values[values:], r.targetV[targets:]) {
			r.cut(before)
			return false
		}
	}
	return true
}

// reserve allocates memory for rows.
func (r *csvReader) reserve(rows int) {
	r.values = slices.Grow(r.values, rows*r.features)
	if r.options.Regression {
		r.targetV = slices.Grow(r.targetV, rows*r.targets)
	}
}

// column adds the fields of a column.
func (r *csvReader) column(i int, text string, spans []pipeline.Span, values, targets []float32) bool {
	switch {
	case i == r.key:
		return each(text, spans, func(s string) bool {
			r.keys = append(r.keys, strings.Clone(s))
			return s != ""
		})
	case i == r.weight:
		return each(text, spans, func(s string) bool { return r.weighs(s, i, place{}) == nil })
	case !r.isLabel[i]:
		return r.slots[i] < 0 || numbersOf(text, spans, values[r.slots[i]:], r.features)
	case r.unlabelled:
		return true
	case r.options.Regression:
		return numbersOf(text, spans, targets[r.slots[i]:], r.targets)
	}
	return each(text, spans, func(s string) bool {
		k, known := r.nameAt[s] // a new class needs its place for errors
		r.class = append(r.class, k)
		return known
	})
}

// each calls take with each field, without the spaces around it, until take returns false.
func each(text string, spans []pipeline.Span, take func(string) bool) bool {
	for _, s := range spans {
		if !take(strings.TrimSpace(text[s.From:s.To])) {
			return false
		}
	}
	return true
}

// numbersOf writes finite numbers into rows of to that are stride numbers long. It returns false if a field is no such
// number.
func numbersOf(text string, spans []pipeline.Span, to []float32, stride int) bool {
	for n, s := range spans {
		x, ok := decimal.Single(text, s.From, s.To)
		if !ok {
			var err error
			if x, err = parseFinite(strings.TrimSpace(text[s.From:s.To])); err != nil {
				return false
			}
		}
		to[n*stride] = x
	}
	return true
}

// parseFinite parses a finite number of 32 bits.
func parseFinite(s string) (float32, error) {
	x, err := strconv.ParseFloat(s, 32)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = strconv.ErrRange
	}
	return float32(x), err
}

// readAll reads all rows.
func (r *csvReader) readAll() error {
	for {
		if err := r.some(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
