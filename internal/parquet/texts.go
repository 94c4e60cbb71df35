package parquet

import (
	"math"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
)

// texts are the texts of a column in the rows that were read. They are spans of their pages and dictionaries, which are
// copied as a whole, so that no text is copied by itself.
type texts struct {
	parts []textPart
	spans []pipeline.Span
	// entries are the indices of all texts in their dictionary, if they have one in common.
	entries []int32
	decoded values // of an encoding that makes new bytes
}

// textPart is a sequence of texts that are spans of one text.
type textPart struct {
	all  string
	from any // the *plainTexts or *pipeline.Dictionary; nil if the text is of these rows alone
	end  int // index after its last span
}

func (t *texts) reset() { t.parts, t.spans, t.entries = t.parts[:0], t.spans[:0], t.entries[:0] }

// extend appends n spans of a text, and returns them.
func (t *texts) extend(all string, from any, n int) []pipeline.Span {
	out := extend(&t.spans, n)
	if last := len(t.parts) - 1; last >= 0 && from != nil && t.parts[last].from == from {
		t.parts[last].end = len(t.spans)
	} else {
		t.parts = append(t.parts, textPart{all, from, len(t.spans)})
	}
	return out
}

// at returns a text.
func (t *texts) at(i int) string {
	k := 0
	for t.parts[k].end <= i {
		k++
	}
	s := t.spans[i]
	return t.parts[k].all[s.From:s.To]
}

// dictionary returns the dictionary of all texts, or nil if they have none in common.
func (t *texts) dictionary() *pipeline.Dictionary {
	if len(t.parts) != 1 {
		return nil
	}
	d, _ := t.parts[0].from.(*pipeline.Dictionary)
	return d
}

// join copies the texts to one text, if they are spans of several. It returns false if that has more than 4 GB.
func (t *texts) join() bool {
	if len(t.parts) < 2 {
		return true
	}
	size := 0
	for _, s := range t.spans {
		size += int(s.To - s.From)
	}
	if size > math.MaxUint32 {
		return false
	}
	var all strings.Builder
	all.Grow(size)
	from := 0
	for _, p := range t.parts {
		for i := from; i < p.end; i++ {
			s := &t.spans[i]
			at := uint32(all.Len())
			all.WriteString(p.all[s.From:s.To])
			*s = pipeline.Span{From: at, To: uint32(all.Len())}
		}
		from = p.end
	}
	t.parts = append(t.parts[:0], textPart{all.String(), nil, from})
	return true
}

// textDecoder reads the texts of a page.
type textDecoder interface {
	// decodeTexts appends the next n texts.
	decodeTexts(n int, to *texts) error
}

// plainTexts are texts as they are, each after its length.
type plainTexts struct {
	all string
	at  int
}

func (p *plainTexts) decodeTexts(n int, to *texts) error {
	all, at := p.all, p.at
	if n > (len(all)-at)/4 {
		return errShort
	}
	for i, out := 0, to.extend(all, p, n); i < len(out); i++ {
		if len(all)-at < 4 {
			return errShort
		}
		b := all[at : at+4]
		size := int(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
		if at += 4; size > len(all)-at {
			return errShort
		}
		out[i] = pipeline.Span{From: uint32(at), To: uint32(at + size)}
		at += size
	}
	p.at = at
	return nil
}

// indexedTexts are texts of a dictionary.
type indexedTexts struct {
	at   hybrid
	dict *textDictionary
}

// textDictionary is a dictionary of texts, which are spans of all.
type textDictionary struct {
	*pipeline.Dictionary
	all   string
	spans []pipeline.Span
}

// newTextDictionary reads a dictionary's page of n plain texts.
func newTextDictionary(page []byte, n int) (*textDictionary, error) {
	var t texts
	all := string(page)
	if err := (&plainTexts{all: all}).decodeTexts(n, &t); err != nil {
		return nil, err
	}
	return &textDictionary{pipeline.NewDictionary(pipeline.TextsOf(all, t.spans)), all, t.spans}, nil
}

func (d *indexedTexts) decodeTexts(n int, to *texts) error {
	dict := d.dict.spans
	spans, entries := to.extend(d.dict.all, d.dict.Dictionary, n), extend(&to.entries, n)
	if err := readHybrid(&d.at, entries); err != nil {
		return err
	}
	for i, e := range entries {
		if uint(uint32(e)) >= uint(len(dict)) {
			return errIndex
		}
		spans[i] = dict[uint32(e)]
	}
	return nil
}

func (d *deltaTexts) decodeTexts(n int, to *texts) error {
	to.decoded.reset()
	if err := d.decode(n, &to.decoded); err != nil {
		return err
	}
	size := 0
	for _, b := range to.decoded.bytes {
		size += len(b)
	}
	var all strings.Builder
	all.Grow(size)
	for _, b := range to.decoded.bytes {
		all.Write(b)
	}
	at := uint32(0)
	for i, out := 0, to.extend(all.String(), nil, n); i < len(out); i++ {
		end := at + uint32(len(to.decoded.bytes[i]))
		out[i], at = pipeline.Span{From: at, To: end}, end
	}
	return nil
}
