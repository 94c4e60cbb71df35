package source

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// wordSize is how many bytes are looked at together. The block has as many behind the text.
const wordSize = 8

const (
	lowBits  = 0x0101010101010101 // the lowest bit of each byte
	highBits = lowBits << 7
)

// plain takes the next records of the block apart that are whole, and whose fields can be taken as they stand: without
// quotes, or in quotes with none among them. Field k of record n goes to fields[k][n], and its line to lines[n]. It
// stops after limit records, where the block ends, and before a record that [csvParser.read] has to see. It gives the
// number of records.
func (p *csvParser) plain(fields [][]string, lines []int, n, limit int) int {
	if len(p.comma) > 1 || p.comma[0] >= utf8.RuneSelf || p.drop {
		return n
	}
	text := unsafe.String(unsafe.SliceData(p.buf), p.to)
	for n < limit {
		i := bytes.IndexByte(p.buf[p.from:p.to], '\n')
		if i < 0 || i > maxRecord {
			break
		}
		end := p.from + i
		line := withoutEnd(p.buf[p.from : end+1])
		if len(line) == 0 || len(p.comment) > 0 && bytes.HasPrefix(line, p.comment) {
			p.pass(i+1, 1)
			continue
		}
		count, odd := p.commas(fields, text, len(line), n)
		if odd {
			if bytes.IndexByte(line, p.quote) >= 0 {
				count = p.inQuotes(fields, text[p.from:p.from+len(line)], n)
			}
			if !utf8.Valid(line) {
				break
			}
		}
		if count != len(fields) {
			break
		}
		lines[n] = p.line
		n++
		p.pass(i+1, 1)
	}
	return n
}

// commas cuts the line at from, of this length, and counts the fields. It is odd if the line has quotes, or other
// characters than those of ASCII.
func (p *csvParser) commas(fields [][]string, text string, length, n int) (count int, odd bool) {
	comma, quote := uint64(p.comma[0])*lowBits, uint64(p.quote)*lowBits
	begin, strange := p.from, uint64(0)
	for i := 0; i < length; i += wordSize {
		word := binary.LittleEndian.Uint64(p.buf[p.from+i:])
		if rest := length - i; rest < wordSize {
			word &= 1<<(8*rest) - 1
		}
		q := word ^ quote
		strange |= (word | (q-lowBits)&^q) & highBits
		c := word ^ comma
		found := ^((c&^highBits + ^uint64(highBits)) | c | ^uint64(highBits)) // the high bits of bytes that are the comma
		for ; found != 0; found &= found - 1 {
			at := p.from + i + bits.TrailingZeros64(found)>>3
			if count < len(fields) {
				fields[count][n] = text[begin:at]
			}
			count++
			begin = at + 1
		}
	}
	if count < len(fields) {
		fields[count][n] = text[begin : p.from+length]
	}
	return count + 1, strange != 0
}

// inQuotes cuts a line some of whose fields are in quotes, and counts them; -1 if it has quotes elsewhere.
func (p *csvParser) inQuotes(fields [][]string, line string, n int) (count int) {
	for ; count < len(fields); count++ {
		field, more := line, false
		if line != "" && line[0] == p.quote {
			i := strings.IndexByte(line[1:], p.quote)
			if i < 0 || i >= maxQuoted {
				return -1
			}
			field, line = line[1:1+i], line[i+2:]
			if line != "" && line[0] != p.comma[0] {
				return -1
			}
			if more = line != ""; more {
				line = line[1:]
			}
		} else if i := strings.IndexByte(line, p.comma[0]); i >= 0 {
			field, line, more = line[:i], line[i+1:], true
		}
		if strings.IndexByte(field, p.quote) >= 0 {
			return -1
		}
		if fields[count][n] = field; !more {
			return count + 1
		}
	}
	return -1
}

// more reads on until the block has a whole line. It is false if that is not to be, as the text ends, say.
func (p *csvParser) more() bool {
	for !p.drop && p.ended == nil && p.to-p.from <= maxRecord {
		if p.fill(); p.whole() {
			return true
		}
	}
	return false
}

// whole says whether the block has a whole line.
func (p *csvParser) whole() bool { return bytes.IndexByte(p.buf[p.from:p.to], '\n') >= 0 }
