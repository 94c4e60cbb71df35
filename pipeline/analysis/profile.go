package analysis

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dl4go/dl4go/pipeline"
)

// profile collects the values of a column.
type profile struct {
	name              string
	typed             pipeline.ColumnType
	rows, gaps        int64
	oddTexts          []string // texts that are not numbers, the first ones in alphabetical order
	gapTexts          []string // as they are written, the first ones in alphabetical order
	texts             *texts
	numbers           *numbers
	moments           moments
	zeros, negative   int64
	infinite          int64
	min, max          float64
	count             int64 // of finite numbers and infinities
	integers, wide    int64 // wide: integers beyond 32 bits
	padded            int64
	words             [len(truths)]int64 // number of words of each pair
	arrays            int64
	runes, spaces     int64 // characters and words of all texts
	shortest, longest int
	dates             *dates
	measures          measures
	forms             forms     // of the texts that are not numbers
	odd               [2]oddity // the first text that is not a number, and the first number
	pairs             []pairs
	states            []string
}

// oddity is a value and its place.
type oddity struct{ text, place string }

// noted is the number of gap texts, and of texts that are not numbers, that a column keeps.
const noted = 20

func newProfile(c pipeline.Column, limit, bytes, labels int) *profile {
	p := &profile{name: c.Title(), typed: c.Type(), texts: newTexts(limit, bytes),
		numbers: newNumbers(limit), dates: newDates(), pairs: make([]pairs, labels),
		min: math.Inf(1), max: math.Inf(-1), shortest: math.MaxInt}
	if c, ok := c.(pipeline.CategoricalColumn); ok {
		p.states = c.States
	}
	if numeric(p.typed) { // their texts have no use beyond the values that are distinguished
		p.texts.limit = min(limit, maxSeen)
	}
	return p
}

// add adds a value.
func (p *profile) add(c cell, label uint64, labels []cell, row int, place func(row int) string) {
	p.rows++
	switch {
	case c.gap:
		p.gaps++
		if !slices.Contains(p.gapTexts, c.raw) {
			p.gapTexts = note(p.gapTexts, strings.Clone(c.raw))
		}
		return
	case c.array:
		p.array(c.of, row, place)
		return
	}
	e, first := p.texts.add(c.text, 1, label), true
	if e != nil {
		first, e.seen = !e.seen, true
	}
	p.look(c, 1, label, first)
	if c.number {
		addPairs(p.pairs, c.x, labels)
	}
	p.firstOf(c, row, place)
	if first && !c.number {
		p.forms.add(c.text, e != nil, row, place)
	}
	p.bound()
}

// addText adds a text. While texts are counted, a text that occurred before is only counted here.
func (p *profile) addText(of *Profiler, raw string, label uint64, labels []cell, row int, place func(row int) string) {
	e := p.texts.counts.find(raw)
	if e == nil || !e.read {
		c := of.readRaw(raw)
		if p.texts.many != nil || c.gap {
			p.add(c, label, labels, row, place)
			return
		}
		e = p.texts.counts.at(raw)
		e.read, e.number, e.x = true, c.number, c.x
		if p.firstOf(c, row, place); !c.number {
			p.forms.add(c.text, true, row, place)
		}
	}
	p.rows++
	e.add(1, label)
	if e.waiting++; e.waiting == math.MaxUint32 {
		p.settle()
	}
	if e.number {
		addPairs(p.pairs, e.x, labels)
	}
	p.bound()
}

// bound switches to estimates if there are too many texts.
func (p *profile) bound() {
	if p.texts.full() {
		p.settle()
		p.texts.forget()
	}
}

// settle processes the texts that were only counted.
func (p *profile) settle() {
	p.numbers.expect(&p.texts.counts)
	for e := range p.texts.counts.each {
		if e.waiting > 0 {
			p.look(readText(e.text, strings.TrimSpace(e.text)), int64(e.waiting), e.label, !e.seen)
			e.waiting, e.seen = 0, true
		}
	}
	p.numbers.flush()
	p.measures.flush()
}

// firstOf keeps the first value that is a number, and the first that is not.
func (p *profile) firstOf(c cell, row int, place func(row int) string) {
	kind := 0
	if c.number {
		kind = 1
	}
	if p.odd[kind].text == "" {
		p.odd[kind].text = strings.Clone(c.text)
		if place != nil {
			p.odd[kind].place = place(row)
		}
	}
}

// look adds a value that is not a gap n times. first says that it may be new.
func (p *profile) look(c cell, n int64, label uint64, first bool) {
	runes, words := lengths(c.text)
	p.runes += n * int64(runes)
	p.spaces += n * int64(words)
	p.shortest, p.longest = min(p.shortest, runes), max(p.longest, runes)
	if c.word > 0 {
		p.words[c.pair] += n
	}
	if c.number {
		p.number(c, n, label)
		return
	}
	p.dates.add(c.text, !first)
	p.dates.again(n - 1)
	p.measures.add(c.text, n, label, p.numbers.limit)
	if first {
		p.oddTexts = note(p.oddTexts, strings.Clone(c.text))
	}
}

// lengths counts the characters and the words of a text.
func lengths(s string) (runes, words int) {
	between := true
	for i := range len(s) {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			return utf8.RuneCountInString(s), len(strings.Fields(s))
		case c == ' ', c >= '\t' && c <= '\r':
			between = true
		case between:
			between = false
			words++
		}
	}
	return len(s), words
}

// number adds a number n times.
func (p *profile) number(c cell, n int64, label uint64) {
	p.count += n
	if c.integer {
		p.integers += n
		if c.x < math.MinInt32 || c.x > math.MaxInt32 {
			p.wide += n
		}
	}
	if c.padded {
		p.padded += n
	}
	if math.IsInf(c.x, 0) {
		p.infinite += n
		return
	}
	if c.x == 0 {
		p.zeros += n
	} else if c.x < 0 {
		p.negative += n
	}
	p.min, p.max = min(p.min, c.x), max(p.max, c.x)
	if n == 1 {
		p.moments.add(c.x)
	} else {
		p.moments.addTimes(c.x, n)
	}
	p.numbers.later(c.x, n, label)
}

// addPairs adds a number with the labels of its row.
func addPairs(pairs []pairs, x float64, labels []cell) {
	if math.IsInf(x, 0) {
		return
	}
	for i, l := range labels {
		if l.number && !l.gap && !math.IsInf(l.x, 0) {
			pairs[i].add(x, l.x)
		}
	}
}

// merge adds rows that come after those of p.
func (p *profile) merge(o *profile) {
	p.settle()
	o.settle()
	p.rows += o.rows
	p.gaps += o.gaps
	for _, s := range o.gapTexts {
		p.gapTexts = note(p.gapTexts, s)
	}
	for _, s := range o.oddTexts {
		p.oddTexts = note(p.oddTexts, s)
	}
	p.texts.merge(o.texts)
	p.mergeNumbers(o)
	p.measures.merge(&o.measures)
	p.forms.merge(&o.forms)
	for i := range p.words {
		p.words[i] += o.words[i]
	}
	p.arrays += o.arrays
	p.runes += o.runes
	p.spaces += o.spaces
	p.shortest, p.longest = min(p.shortest, o.shortest), max(p.longest, o.longest)
	p.dates.merge(o.dates)
	if p.arrays > 0 {
		p.mergeShapes(o)
	}
	for i := range p.odd {
		if p.odd[i].text == "" && p.arrays == 0 {
			p.odd[i] = o.odd[i]
		}
	}
	for i := range p.pairs {
		p.pairs[i].merge(&o.pairs[i])
	}
}

// mergeNumbers adds the numbers of o.
func (p *profile) mergeNumbers(o *profile) {
	p.numbers.merge(o.numbers)
	p.moments.merge(&o.moments)
	p.zeros += o.zeros
	p.negative += o.negative
	p.infinite += o.infinite
	p.min, p.max = min(p.min, o.min), max(p.max, o.max)
	p.count += o.count
	p.integers += o.integers
	p.wide += o.wide
	p.padded += o.padded
}

// correlations returns the correlations with the labels that are numbers.
func (p *profile) correlations(labels []string) map[string]float64 {
	all := map[string]float64{}
	for i, name := range labels {
		if r := p.pairs[i].correlation(); !math.IsNaN(r) && name != p.name {
			all[name] = r
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// determines reports whether every value occurs with one label only, and values repeat; or whether the numbers of each
// class form a range separate from the others.
func (p *profile) determines(rows int64, classes struct{ n, least int64 }) bool {
	if rows < 20 || classes.n < 2 || p.gaps*2 > rows {
		return false
	}
	if values := valuesOf(p); (!values.byNumbers || p.infinite == 0) && values.pure(p.rows-p.gaps) {
		return true
	}
	return classes.least >= 5 && rows >= 50 && p.count == p.rows-p.gaps && p.numbers.exact() && p.runs() == classes.n
}

// runs returns the number of runs of one label along the sorted numbers; 0 if a number occurs with several labels.
func (p *profile) runs() (n int64) {
	last := uint64(0)
	for _, k := range p.numbers.keys() {
		switch label := p.numbers.counts.get(k).label; {
		case label == mixed:
			return 0
		case label != 0 && label != last:
			n++
			last = label
		}
	}
	return n
}

// note adds a text to the alphabetically first ones, so that the order of the rows does not matter.
func note(to []string, s string) []string {
	at, there := slices.BinarySearch(to, s)
	if there || at == noted {
		return to
	}
	to = slices.Insert(to, at, s)
	return to[:min(len(to), noted)]
}
