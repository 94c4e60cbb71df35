package source

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
	"unsafe"

	"github.com/dl4go/dl4go/pipeline"
)

// wordSize is the number of bytes that are examined together. The block has as many bytes after the text.
const wordSize = 8

const (
	lowBits  = 0x0101010101010101 // the lowest bit of each byte
	highBits = lowBits << 7
)

// csvFields tells where the fields of records lie in the parser's block: field k of record n at spans[k*rows+n].
type csvFields struct {
	spans       []pipeline.Span
	width, rows int   // fields of a record, and capacity in records
	most        int   // records to read
	lines       []int // line in which each record begins
	n           int   // records read
}

// plain parses the next whole records of the block whose fields can be taken as they stand: fields without quotes, or
// quoted fields with no quotes inside. It stops when there is no room for more records, at the end of the block, and
// before a record that [csvParser.read] has to parse.
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

// stride is the number of bytes that are examined before fields are cut: the bits of a word. The processor mispredicts
// the end of the loop over the bits, once a word, so that more bytes at a time are faster.
const stride = 64

// marks returns bits for the bytes from i on: found for delimiters and line ends, ends for line ends only, and odd for
// quotes and bytes that are not ASCII. Bytes after a quote may be marked as odd, too.
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

// gathered8 gathers the high bits of eight bytes in the low byte.
func gathered8(high uint64) uint64 { return (high >> 7) * 0x0102040810204080 >> 56 }

// lineWalk is the state of csvParser.plain within a line.
type lineWalk struct {
	p            *csvParser
	to           *csvFields
	begin, field int    // where the line and the field begin in the block
	at           int    // index of the next field's span
	odd          uint64 // not 0 if the line has quotes or bytes that are not ASCII
}

// cut ends a field at an offset.
func (w *lineWalk) cut(at int) {
	if w.at < len(w.to.spans) {
		w.to.spans[w.at] = pipeline.Span{From: uint32(w.field), To: uint32(at)}
	}
	w.at += w.to.rows
	w.field = at + 1
}

// endLine ends a line at an offset. It returns false if the walk has to end with this line or before it.
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

// inQuotes splits a line with quoted fields, and counts its fields. It returns -1 if a field has quotes inside.
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

// text returns the block as the text that the fields' spans refer to. The text of the fields does not change.
func (p *csvParser) text() string {
	return unsafe.String(unsafe.SliceData(p.buf), p.to+wordSize)
}

// more reads until the block has a whole line. It returns false if that is impossible, because the text ends or the
// block is full, for example.
func (p *csvParser) more() bool {
	for !p.drop && p.ended == nil && p.room() && p.to-p.from <= maxRecord {
		if p.fill(); p.whole() {
			return true
		}
	}
	return false
}

// whole reports whether the block has a whole line.
func (p *csvParser) whole() bool { return bytes.IndexByte(p.buf[p.from:p.to], '\n') >= 0 }
