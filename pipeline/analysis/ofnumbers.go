package analysis

import (
	"math"

	"github.com/dl4go/dl4go/pipeline"
)

// counted adds a number whose text is not counted: that of a column of numbers with too many texts. It returns false if
// the value has to be added as others are.
func (p *profile) counted(v pipeline.Value, label uint64, labels []cell) bool {
	if p.texts.many == nil || !p.ofNumbers() || p.odd[1].text == "" {
		return false
	}
	c := cell{number: true}
	switch v.Kind() {
	case pipeline.IntegerKind, pipeline.LongKind:
		c.integer = true
	case pipeline.FloatKind, pipeline.DoubleKind:
	default:
		return false
	}
	x, err := v.Double()
	if err != nil || math.IsNaN(x) {
		return false
	}
	c.x = x
	p.rows++
	p.number(c, 1, label)
	addPairs(p.pairs, x, labels)
	return true
}

// ofNumbers reports whether the column can have numbers only.
func (p *profile) ofNumbers() bool {
	switch p.typed {
	case pipeline.IntegerType, pipeline.LongType, pipeline.FloatType, pipeline.DoubleType:
		return true
	}
	return false
}

// distinct returns the number of distinct values. Those of a column of numbers stand for its texts if there are too many
// of them.
func (p *profile) distinct() int64 {
	if p.texts.many != nil && p.ofNumbers() {
		return p.numbers.distinct()
	}
	return p.texts.distinct()
}

// exact reports whether distinct is exact.
func (p *profile) exact() bool { return p.texts.exact() || p.ofNumbers() && p.numbers.exact() }

// pure reports whether values repeat, and each occurs with one label only.
func (p *profile) pure() bool {
	if n := p.distinct(); !p.exact() || n < 2 || n*2 > p.rows-p.gaps {
		return false
	}
	pure := true
	if !p.texts.exact() {
		p.numbers.counts.each(func(_ uint64, c count) { pure = pure && c.label != mixed })
		return pure && p.infinite == 0
	}
	for i := range p.texts.counts.all {
		pure = pure && p.texts.counts.all[i].label != mixed
	}
	return pure
}
