package analysis

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
)

// measures collects the numbers of texts by their units, while there are few units and few texts without one. Its
// content does not depend on the order of the texts.
type measures struct {
	broken bool // the texts have no common unit
	units  []unitNumbers
	// Texts that are not numbers with units: how many there are, and each of them once.
	others int64
	texts  []string
}

// unitNumbers are the numbers of one unit.
type unitNumbers struct {
	unit Unit // with commas if one of the texts has some
	n    int64
	text string // the first one in alphabetical order
	of   *profile
}

// mostUnits is the largest number of units among which a column may have a common one.
const mostUnits = 4

// compare orders units.
func (u Unit) compare(v Unit) int {
	return cmp.Or(strings.Compare(u.Before, v.Before), strings.Compare(u.After, v.After))
}

// newMeasures makes a profile for numbers.
func newMeasures(limit int) *profile {
	return &profile{numbers: newNumbers(limit), min: math.Inf(1), max: math.Inf(-1)}
}

// add adds a text that is not a number n times. limit is that of its numbers.
func (m *measures) add(text string, n int64, label uint64, limit int) {
	if m.broken {
		return
	}
	u, c, ok := readMeasure(text)
	if !ok {
		m.other(text, n)
		return
	}
	if of := m.of(u, text, limit); of != nil {
		of.n += n
		of.of.number(c, n, label)
	}
}

// other adds a text without a unit.
func (m *measures) other(text string, n int64) {
	m.others += n
	if m.texts = note(m.texts, strings.Clone(text)); len(m.texts) == noted {
		m.breaks()
	}
}

// of returns the numbers of a unit; nil if there are too many units.
func (m *measures) of(u Unit, text string, limit int) *unitNumbers {
	at, known := slices.BinarySearchFunc(m.units, u, func(a unitNumbers, u Unit) int { return a.unit.compare(u) })
	switch {
	case !known && len(m.units) == mostUnits:
		m.breaks()
		return nil
	case !known:
		m.units = slices.Insert(m.units, at, unitNumbers{u, 0, strings.Clone(text), newMeasures(limit)})
	}
	of := &m.units[at]
	if of.unit.Commas = of.unit.Commas || u.Commas; text < of.text {
		of.text = strings.Clone(text)
	}
	return of
}

func (m *measures) breaks() { *m = measures{broken: true} }

// flush brings the counts of numbers up to date.
func (m *measures) flush() {
	for i := range m.units {
		m.units[i].of.numbers.flush()
	}
}

// merge adds texts that come later.
func (m *measures) merge(o *measures) {
	if o.broken {
		m.breaks()
	}
	for i := 0; i < len(o.units) && !m.broken; i++ {
		from := &o.units[i]
		if of := m.of(from.unit, from.text, from.of.numbers.limit); of != nil {
			of.n += from.n
			of.of.mergeNumbers(from.of)
		}
	}
	for i := 0; i < len(o.texts) && !m.broken; i++ {
		m.other(o.texts[i], 0)
	}
	if !m.broken {
		m.others += o.others
	}
}

// measured is a column of numbers in a unit.
type measured struct {
	*profile // of the numbers
	unit     Unit
	// foreign is the number of values in other units, and texts has one for each unit.
	foreign int64
	texts   []string
	// odd is the number of values that are not numbers, and oddTexts has each of them once.
	odd      int64
	oddTexts []string
}

// common returns the numbers of a column in the unit of almost all values; nil if there is none. If that unit is only
// commas, values below 1,000 are plain numbers. In other units, plain numbers are exceptions, too.
func (m *measures) common(p *profile) *measured {
	if p.typed != pipeline.StringType || len(m.units) == 0 {
		return nil
	}
	most := slices.MaxFunc(m.units, func(a, b unitNumbers) int { return cmp.Compare(a.n, b.n) })
	c := &measured{profile: newMeasures(p.numbers.limit), unit: most.unit, odd: m.others, oddTexts: m.texts}
	for _, u := range m.units {
		if u.unit.compare(most.unit) != 0 {
			c.foreign += u.n
			c.texts = append(c.texts, u.text)
		}
	}
	exceptions, values := c.foreign+c.odd, p.rows-p.gaps
	if most.unit.Before+most.unit.After != "" {
		exceptions += p.count
	}
	if exceptions > 0 && (values < oddOnes || exceptions*oddOnes > values) {
		return nil
	}
	c.name = p.name
	c.mergeNumbers(most.of)
	c.mergeNumbers(p)
	return c
}
