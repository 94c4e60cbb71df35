package analysis

import (
	"math"

	"github.com/dl4go/dl4go/pipeline"
)

// numeric reports whether columns of a type have numbers only.
func numeric(typed pipeline.ColumnType) bool {
	switch typed {
	case pipeline.IntegerType, pipeline.LongType, pipeline.FloatType, pipeline.DoubleType:
		return true
	}
	return false
}

// countNumber adds a number of a column whose texts are too many to count. It returns false if the value has to be
// added like any other.
func countNumber(p *profile, v pipeline.Value, label uint64, labels []cell) bool {
	if p.texts.many == nil || !numeric(p.typed) || p.odd[1].text == "" {
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

// distinctValues are the values of a column. Numbers stand for the texts of a column of numbers if there are too many
// texts.
type distinctValues struct {
	texts     *texts
	numbers   *numbers
	byNumbers bool
}

func valuesOf(p *profile) distinctValues {
	return distinctValues{p.texts, p.numbers, p.texts.many != nil && numeric(p.typed)}
}

// count returns the number of distinct values.
func (d distinctValues) count() int64 {
	if d.byNumbers {
		return d.numbers.distinct()
	}
	return d.texts.distinct()
}

// exact reports whether count is exact.
func (d distinctValues) exact() bool {
	return d.texts.exact() || d.byNumbers && d.numbers.exact()
}

// pure reports whether the n values repeat, and each of them always has the same label.
func (d distinctValues) pure(n int64) bool {
	if count := d.count(); !d.exact() || count < 2 || count*2 > n {
		return false
	}
	pure := true
	if d.byNumbers {
		d.numbers.counts.each(func(_ uint64, c count) { pure = pure && c.label != mixed })
		return pure
	}
	for e := range d.texts.counts.each {
		pure = pure && e.label != mixed
	}
	return pure
}
