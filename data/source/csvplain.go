package source

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
	"unsafe"

	"github.com/dl4go/dl4go/pipeline"
)

// wordSize is how many bytes are looked at together. The block has as many behind the text.
const wordSize = 8

const (
	lowBits  = 0x0101010101010101 // the lowest bit of each byte
	highBits = lowBits << 7
)

// csvFields are where the fields of records lie in the parser's block: field k of record n at spans[k*rows+n].
type csvFields struct {
	spans       []pipeline.Span
	width, rows int   // fields of a record, and the most records there is room for
	most        int   // records that are wanted
	lines       []int // in which the records begin
	n           int   // records
}

// plain takes the next records of the block apart that are whole, and whose fields can be taken as they stand: without
// quotes, or in quotes with none among them. It stops where there is no room for more records, where the block ends,
// and before a record that [csvParser.read] has to see.
func (p *csvParser) plain(to *csvFields) {
	if len(p.comma) > 1 || p.comma[0] >= utf8.RuneSelf || p.drop || to.n >= to.most {
		return
	}
	w := lineWalk{p: p, to: to, begin: p.from, field: p.from, at: to.n}
	for i := p.from; i < p.to; i += stride {
		found, ends, odd := p.marks(i)
		for ; found != 0; found &= found - 1 {
			here := found & -found
			at := i + bits.TrailingZeros64(here)
			if here&ends == 0 {
				w.cut(at)
				continue
			}
			below := here - 1
			w.odd |= odd & below
			odd &^= below
			if !w.endLine(at) {
				return
			}
		}
		w.odd |= odd
	}
}

// stride is how many bytes are looked at before fields are cut: there is a bit for each. A loop over the bits takes its
// last turn at a place that a processor cannot foresee, so that more bytes at a time are faster.
const stride = 64

// marks has a bit for each byte from i on that is a delimiter or the end of a line, that is the end of a line, and that
// is a quote or no character of ASCII. Bytes behind a quote may be marked, too.
func (p *csvParser) marks(i int) (found, ends, odd uint64) {
	comma, quote := uint64(p.comma[0])*lowBits, uint64(p.quote)*lowBits
	for k := 0; k < stride && i < p.to; k, i = k+wordSize, i+wordSize {
		word := binary.LittleEndian.Uint64(p.buf[i:])
		if rest := p.to - i; rest < wordSize {
			word &= 1<<(8*rest) - 1
		}
		c, l, q := word^comma, word^'\n'*lowBits, word^quote
		end := ^((l&^highBits + ^uint64(highBits)) | l | ^uint64(highBits)) // the high bits of bytes that end a line
		either := end | ^((c&^highBits + ^uint64(highBits)) | c | ^uint64(highBits))
		found |= gathered8(either) << k
		ends |= gathered8(end) << k
		if other := (word | (q-lowBits)&^q) & highBits; other != 0 {
			odd |= gathered8(other) << k
		}
	}
	return found, ends, odd
}

// gathered8 has the high bits of eight bytes side by side.
func gathered8(high uint64) uint64 { return (high >> 7) * 0x0102040810204080 >> 56 }

// lineWalk is the state of csvParser.plain within a line.
type lineWalk struct {
	p            *csvParser
	to           *csvFields
	begin, field int    // where the line and the field begin in the block
	at           int    // of the next field's span
	odd          uint64 // the line has quotes, or other characters than those of ASCII, unless it is 0
}

// cut ends a field.
func (w *lineWalk) cut(at int) {
	if w.at < len(w.to.spans) {
		w.to.spans[w.at] = pipeline.Span{From: uint32(w.field), To: uint32(at)}
	}
	w.at += w.to.rows
	w.field = at + 1
}

// endLine ends a line. It is false if the walk ends there or before.
func (w *lineWalk) endLine(at int) bool {
	p, to := w.p, w.to
	end := at
	if end > w.begin && p.buf[end-1] == '\r' {
		end--
	}
	switch {
	case at-w.begin > maxRecord:
		return false
	case end == w.begin && !p.single || len(p.comment) > 0 && bytes.HasPrefix(p.buf[w.begin:end], p.comment):
		w.next(at + 1)
		return true
	}
	w.cut(end)
	count := (w.at - to.n) / to.rows
	if w.odd != 0 {
		line := p.buf[w.begin:end]
		if bytes.IndexByte(line, p.quote) >= 0 {
			count = p.inQuotes(to, w.begin, end)
		}
		if !utf8.Valid(line) {
			return false
		}
	}
	if count != to.width {
		return false
	}
	to.lines[to.n] = p.line
	to.n++
	w.next(at + 1)
	return to.n < to.most
}

// next begins the line at an offset.
func (w *lineWalk) next(at int) {
	w.p.pass(at-w.p.from, 1)
	w.begin, w.field, w.at, w.odd = at, at, w.to.n, 0
}

// inQuotes cuts a line with quoted fields, and counts its fields. It returns -1 if there are quotes within a field.
func (p *csvParser) inQuotes(to *csvFields, from, end int) (count int) {
	for ; count < to.width; count++ {
		begin, stop, more := from, end, false
		if line := p.buf[from:end]; len(line) > 0 && line[0] == p.quote {
			i := bytes.IndexByte(line[1:], p.quote)
			if i < 0 || i >= maxQuoted {
				return -1
			}
			begin, stop = from+1, from+1+i
			if from = stop + 1; from < end {
				if p.buf[from] != p.comma[0] {
					return -1
				}
				from, more = from+1, true
			}
		} else {
			if i := bytes.IndexByte(line, p.comma[0]); i >= 0 {
				stop, more = from+i, true
				from = stop + 1
			}
			if bytes.IndexByte(p.buf[begin:stop], p.quote) >= 0 {
				return -1
			}
		}
		to.spans[count*to.rows+to.n] = pipeline.Span{From: uint32(begin), To: uint32(stop)}
		if !more {
			return count + 1
		}
	}
	return -1
}

// text is the block, for the spans of fields, which do not change.
func (p *csvParser) text() string {
	return unsafe.String(unsafe.SliceData(p.buf), p.to+wordSize)
}

// more reads on until the block has a whole line. It is false if that is not to be, as the text ends, say, or takes
// another block.
func (p *csvParser) more() bool {
	for !p.drop && p.ended == nil && p.room() && p.to-p.from <= maxRecord {
		if p.fill(); p.whole() {
			return true
		}
	}
	return false
}

// whole says whether the block has a whole line.
func (p *csvParser) whole() bool { return bytes.IndexByte(p.buf[p.from:p.to], '\n') >= 0 }
