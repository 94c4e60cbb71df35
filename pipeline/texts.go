package pipeline

import (
	"math"
	"strings"
)

// Texts are the texts of a column, one for each row. They are spans of one text, so that a file's text need not be
// copied, nor cut into strings.
type Texts struct {
	all   string
	spans []Span
}

// Span is a part of a text, from a byte to the one before another.
type Span struct{ From, To uint32 }

// TextsOf are spans of a text. Reading numbers is faster where 8 more bytes, of any value, stand behind each span.
func TextsOf(all string, spans []Span) Texts { return Texts{all, spans} }

// Len is the number of texts.
func (t Texts) Len() int { return len(t.spans) }

// At is a text.
func (t Texts) At(i int) string {
	s := t.spans[i]
	return t.all[s.From:s.To]
}

// textsBuilder makes texts one after the other, in new memory.
type textsBuilder struct {
	all   strings.Builder
	spans []Span
}

func (b *textsBuilder) add(text string) {
	from := uint32(b.all.Len())
	b.all.WriteString(text)
	b.spans = append(b.spans, Span{from, uint32(b.all.Len())})
}

func (b *textsBuilder) texts() Texts { return Texts{b.all.String(), b.spans} }

// number reads a text as [Value.Double] does; it is false where that fails, or takes a longer way.
func (t Texts) number(i int) (float64, bool) {
	s := t.spans[i]
	n := s.To - s.From
	if n-1 < 8 && uint64(s.From)+8 <= uint64(len(t.all)) {
		word := eightBytes(t.all[s.From:][:8])
		if x, ok := shortDecimal(word, uint(n)); ok {
			return x, true
		}
	}
	return plainDecimal(t.all[s.From:s.To])
}

// shortDecimal reads the first n of eight bytes, 1 to 8, as plainDecimal does: digits after a sign or none, perhaps
// with a point among them.
func shortDecimal(word uint64, n uint) (float64, bool) {
	free := 8 * (8 - n)
	sign := uint64(0)
	if c := byte(word); c == '-' {
		sign = 1 << 63
		word = word&^0xff | '0'
		if n == 1 {
			return 0, false
		}
	}
	word = word<<free | zeroDigits&(1<<free-1)
	without, behind := withoutPoint(word)
	if !eightDigits(without) {
		return 0, false
	}
	x := float64(digitsOf(without))
	if behind >= 0 {
		if n == 1 || n == 2 && sign != 0 {
			return 0, false // a point alone
		}
		x /= powersOfTen[behind]
	}
	return math.Float64frombits(math.Float64bits(x) | sign), true
}
