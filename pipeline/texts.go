package pipeline

import (
	"strings"

	"github.com/dl4go/dl4go/internal/decimal"
)

// Texts are the texts of a column, one for each row. They are spans of one text, so that a file's text need not be
// copied or split into strings.
type Texts struct {
	all   string
	spans []Span
}

// Span is a range of bytes of a text: From, …, To-1.
type Span struct{ From, To uint32 }

// TextsOf returns spans of a text. Numbers are read faster if at least 8 more bytes, of any value, follow each span.
func TextsOf(all string, spans []Span) Texts { return Texts{all, spans} }

// Len returns the number of texts.
func (t Texts) Len() int { return len(t.spans) }

// At returns a text.
func (t Texts) At(i int) string {
	s := t.spans[i]
	return t.all[s.From:s.To]
}

// textsBuilder builds texts one after the other, in new memory.
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

// number reads a text like [Value.Double]. It returns false if that fails or needs the slower method.
func (t Texts) number(i int) (float64, bool) {
	s := t.spans[i]
	return decimal.Between(t.all, s.From, s.To)
}
