package jpeg

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// slack is the number of zeros after a segment. A block takes at most 64 codes of 16 bits with 15 more: less than
// this.
const slack = 512

// segment is entropy-coded data up to the next marker, without its stuffed bytes.
type segment struct {
	data []byte // with slack
	end  int    // of the data proper
	pos  int    // of the next byte
	acc  uint64 // the next bits, the first one highest
	n    uint   // number of valid bits
}

// open reads the segment that begins at content[at], and returns the place of the marker after it. It drops bytes 0xff
// that pad the space before a marker.
func (s *segment) open(content []byte, at int) int {
	s.data = s.data[:0]
	for {
		n := bytes.IndexByte(content[at:], 0xff)
		if n < 0 || at+n+1 >= len(content) {
			s.data = append(s.data, content[at:]...)
			at = len(content)
			break
		}
		s.data = append(s.data, content[at:at+n]...)
		at += n
		if next := content[at+1]; next == 0 {
			s.data = append(s.data, 0xff)
			at += 2
		} else if next == 0xff {
			at++
		} else {
			break
		}
	}
	s.end = len(s.data)
	s.data = append(s.data, zeros[:]...)
	s.pos, s.acc, s.n = 0, 0, 0
	return at
}

var zeros [slack]byte

// fill fills acc to at least 56 bits.
func (s *segment) fill() {
	s.acc |= binary.BigEndian.Uint64(s.data[s.pos:]) >> (s.n & 63)
	s.pos += int(63-s.n) >> 3
	s.n |= 56
}

// overrun reports whether more bits were read than there are.
func (s *segment) overrun() bool { return 8*s.pos-int(s.n) > 8*s.end }

// take reads up to 16 bits.
func (s *segment) take(n uint) int {
	if s.n < 32 {
		s.fill()
	}
	v := s.acc >> 1 >> (63 - n&63)
	s.acc <<= n & 63
	s.n -= n
	return int(v)
}

// symbol reads a code; it returns 256 for an unknown one.
func (s *segment) symbol(t *table) int {
	if s.n < 32 {
		s.fill()
	}
	value, length := t.find(s.acc)
	s.acc <<= length & 63
	s.n -= length
	return value
}

// number reads a number of n bits, at most 15. The first bit is its sign: 1 means positive.
func (s *segment) number(n uint) int { return extend(s.take(n), n) }

func extend(v int, n uint) int {
	if bits.Len(uint(v)) < int(n) {
		v -= 1<<n - 1
	}
	return v
}
