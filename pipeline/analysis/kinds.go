package analysis

import (
	"math"
	"strings"
	"unicode"

	"github.com/dl4go/dl4go/pipeline"
)

const (
	// shownCategories is the number of categories that a Column lists.
	shownCategories = 1000
	// oddOnes: a column of numbers may have one other value per oddOnes values, if it has at least that many.
	oddOnes = 100
	// fewRows is the number of rows below which no column counts as an identifier.
	fewRows = 20
)

// column describes the column from its values.
func (p *profile) column(buckets int) Column {
	values := valuesOf(p)
	c := Column{Name: p.name, Values: p.rows - p.gaps, Gaps: p.gaps, Distinct: values.count(), Exact: values.exact(),
		GapTexts: p.gapTexts, typed: p.typed, states: p.states}
	if p.texts.exact() {
		c.texts = p.texts
	}
	of := p
	if c.Kind = p.kind(c.Values); c.Kind != Constant {
		if in := p.measures.common(p); in != nil {
			of, c.Unit, c.Foreign, c.ForeignTexts = in.profile, &in.unit, in.foreign, in.texts
			c.Kind, c.Odd, c.OddTexts = of.numberKind(c.Values), in.odd, in.oddTexts
		}
	}
	if c.Odd > 0 {
		c.OddPlace = p.forms.place(c.OddTexts[0])
	}
	if p.typed == pipeline.StringType && (c.Kind == Categories || c.Kind == FreeText || c.Kind == Identifier) {
		if d := p.texts.mostlyDates(c.Values); d != nil {
			c.Kind, c.Time, c.Odd, c.OddTexts = TimeKind, &d.Time, d.odd, d.oddTexts
			c.oddDate = p.forms.oddDate(d.format, d.oddTexts)
			c.OddPlace = c.oddDate.place
		}
	}
	switch c.Kind {
	case ArrayKind:
		c.Distinct, c.Exact, c.Arrays = 0, false, p.shapes()
		return c
	case TimeKind:
		if c.Time == nil {
			c.Time = p.time()
		}
	case IntegerKind, LongKind, DoubleKind:
		if c.Unit == nil && of.count < c.Values {
			c.Odd, c.OddPlace, c.OddTexts = c.Values-of.count, p.odd[0].place, p.oddTexts
		}
		c.Distinct, c.Exact = of.numbers.distinct(), of.numbers.exact()
	case Categories, FreeText, Identifier:
		if p.count > 0 && p.count < c.Values {
			c.Numbers, c.OddPlace = p.count, p.odd[0].place
		}
	}
	if of.moments.n > 0 && of.count == c.Values-c.Odd-c.Foreign && p.typed != pipeline.TimeType {
		c.Number = of.describe(buckets)
	}
	if c.Values > 0 && c.Number == nil && c.Time == nil {
		c.Length = &Length{p.shortest, p.longest, float64(p.runes) / float64(c.Values), p.wordsEach(c.Values)}
	}
	if p.texts.exact() && (c.Number == nil || c.Distinct <= shownCategories) && c.Time == nil {
		c.Categories = p.texts.frequent()
		c.Categories = c.Categories[:min(len(c.Categories), shownCategories)]
	}
	return c
}

func (p *profile) wordsEach(values int64) float64 { return float64(p.spaces) / float64(values) }

func (p *profile) kind(values int64) Kind {
	switch {
	case values == 0:
		return Empty
	case p.arrays > 0:
		return ArrayKind
	case p.texts.exact() && p.texts.distinct() == 1 && p.gaps == 0:
		return Constant
	case p.typed == pipeline.TimeType:
		return TimeKind
	case p.typed == pipeline.CategoricalType:
		return Categories
	case p.typed == pipeline.BooleanType:
		return BooleanKind
	}
	for _, n := range p.words {
		if n == values {
			return BooleanKind
		}
	}
	if odd := values - p.count; p.count > 0 && odd*oddOnes <= values && (odd == 0 || values >= oddOnes) &&
		!p.code(values) {
		return p.numberKind(values)
	}
	if len(p.dates.found()) > 0 && p.count == 0 {
		return TimeKind
	}
	return p.textKind(values)
}

// code reports whether the integers are codes: of equal length, with leading zeros.
func (p *profile) code(values int64) bool {
	return p.padded > 0 && p.integers == values && p.shortest == p.longest
}

func (p *profile) numberKind(values int64) Kind {
	if p.integers < p.count {
		return DoubleKind
	}
	n := p.numbers.distinct()
	unique := p.numbers.exact() && n == values || !p.numbers.exact() && float64(n) >= float64(values)*(1-3*distinctError)
	if values >= fewRows && unique && (p.max-p.min == float64(values-1) || namesRows(p.name)) {
		return Identifier
	}
	if p.wide > 0 {
		return LongKind
	}
	return IntegerKind
}

// namesRows reports whether a column's name suggests that it numbers or names rows: "id", "user_id", "rowId",
// "Unnamed: 0".
func namesRows(name string) bool {
	if strings.TrimSpace(name) == "" || strings.HasPrefix(name, "Unnamed") {
		return true
	}
	var words strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && name[i-1] >= 'a' && name[i-1] <= 'z' {
			words.WriteByte(' ')
		}
		if unicode.IsLetter(r) {
			words.WriteRune(unicode.ToLower(r))
		} else {
			words.WriteByte(' ')
		}
	}
	for w := range strings.FieldsSeq(words.String()) {
		switch w {
		case "id", "ids", "uuid", "guid", "rowid", "index", "idx", "identifier", "rownum":
			return true
		}
	}
	return false
}

func (p *profile) textKind(values int64) Kind {
	share := float64(p.texts.distinct()) / float64(values)
	words := p.wordsEach(values)
	switch {
	case values < fewRows && words < 3, p.code(values) && share <= 0.5:
		return Categories
	case words > 6 && share > 0.1, share > 0.5 && words >= 2.5:
		return FreeText
	case share >= 0.95, share > 0.3 && words < 1.5 && (share > 0.5 || namesRows(p.name)):
		return Identifier
	case share > 0.5:
		return FreeText
	case !p.texts.exact():
		return Identifier
	}
	return Categories
}

// time describes dates in the first format that fits.
func (p *profile) time() *Time {
	if p.typed == pipeline.TimeType {
		clock := false
		for _, w := range p.numbers.sorted(p.min, p.max) {
			clock = clock || !p.numbers.exact() || int64(w.x)%day != 0
		}
		return &Time{Min: int64(p.min), Max: int64(p.max), Clock: clock}
	}
	found := p.dates.found()
	s, format := p.dates.spans[found[0]], dateFormats[found[0]].pattern
	return &Time{Format: format, Min: s.min, Max: s.max, Clock: s.clock, dayFirst: strings.HasPrefix(format, "MM/dd") &&
		len(found) > 1}
}

func (p *profile) describe(buckets int) *Number {
	n := &Number{Min: p.min, Max: p.max, Mean: p.moments.mean(), Zeros: p.zeros, Negative: p.negative,
		Infinite: p.infinite}
	if p.moments.n > 1 {
		n.Deviation = math.Sqrt(p.moments.variance())
	}
	values := p.numbers.sorted(p.min, p.max)
	for _, q := range Quantiles {
		n.Quantiles = append(n.Quantiles, quantile(values, q))
	}
	first, third := quantile(values, 0.25), quantile(values, 0.75)
	if far := 3 * (third - first); far > 0 {
		for _, w := range values {
			if w.x < first-far || w.x > third+far {
				n.Outliers += w.n
			}
		}
	}
	n.Histogram = histogram(values, p.min, p.max, buckets)
	return n
}
