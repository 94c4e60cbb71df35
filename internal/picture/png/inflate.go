package png

import (
	"encoding/binary"
	"errors"
	"hash/adler32"
	"math/bits"
)

// slack is the number of zeros after compressed data, which allow reading 8 bytes at a time.
const slack = 32

var (
	errShort   = errors.New("it ends too early")
	errDeflate = errors.New("its compressed data is damaged")
	errLong    = errors.New("it has more pixels than its header says")
)

// Sizes of tables: the number of bits that find most codes at once, and the maximum length of a code.
const (
	literalBits, distanceBits, lengthBits = 11, 9, 7
	longest                               = 15
)

// Kinds of entries. An entry has the length of its code in bits 0 to 4, its kind in bits 5 to 7, the number of further
// bits in bits 8 to 15, and a literal, a base or the place of a second table from bit 16 on. 0 means no code.
const (
	literal = 1 << 5
	match   = 2 << 5
	end     = 3 << 5
	second  = 4 << 5
	kinds   = 7 << 5
)

// inflater unpacks data of zlib's format.
type inflater struct {
	data      []byte // with slack
	end       int    // of the data proper
	pos       int    // of the next byte
	acc       uint64 // the next bits, the first one lowest
	n         uint   // number of valid bits
	literals  []uint32
	distances []uint32
	lengths   []uint32
	sizes     [288 + 32]uint8
}

// fill fills acc to at least 56 bits, and reports whether there is data left.
func (f *inflater) fill() bool {
	if f.pos > f.end+8 {
		f.n |= 56 // zeros
		return false
	}
	f.acc |= binary.LittleEndian.Uint64(f.data[f.pos:]) << (f.n & 63)
	f.pos += int(63-f.n) >> 3
	f.n |= 56
	return true
}

// take reads up to 16 bits. Zeros follow the data; the next fill reports the end.
func (f *inflater) take(n uint) int {
	if f.n < 32 {
		f.fill()
	}
	v := f.acc & (1<<n - 1)
	f.acc >>= n
	f.n -= n
	return int(v)
}

// inflate unpacks all blocks into dst, which they must fill exactly.
func (f *inflater) inflate(dst []byte) error {
	f.pos, f.acc, f.n = 2, 0, 0
	if f.end < 2 || f.data[0]&15 != 8 || (int(f.data[0])<<8|int(f.data[1]))%31 != 0 || f.data[1]&32 != 0 {
		return errDeflate
	}
	at := 0
	for last := false; !last; {
		if !f.fill() {
			return errShort
		}
		last = f.take(1) == 1
		var err error
		switch f.take(2) {
		case 0:
			at, err = f.stored(dst, at)
		case 1:
			f.fixed()
			at, err = f.block(dst, at)
		case 2:
			if err = f.dynamic(); err == nil {
				at, err = f.block(dst, at)
			}
		default:
			err = errDeflate
		}
		if err != nil {
			return err
		}
	}
	f.align()
	switch {
	case at < len(dst) || f.pos+4 > f.end:
		return errShort
	case binary.BigEndian.Uint32(f.data[f.pos:]) != adler32.Checksum(dst):
		return errDeflate
	}
	return nil
}

// align goes back to the first byte that is unread.
func (f *inflater) align() {
	f.pos -= int(f.n / 8)
	f.acc, f.n = 0, 0
}

func (f *inflater) stored(dst []byte, at int) (int, error) {
	f.align()
	if f.pos+4 > f.end {
		return at, errShort
	}
	n := int(binary.LittleEndian.Uint16(f.data[f.pos:]))
	if n^int(binary.LittleEndian.Uint16(f.data[f.pos+2:])) != 0xffff {
		return at, errDeflate
	}
	f.pos += 4
	switch {
	case f.pos+n > f.end:
		return at, errShort
	case n > len(dst)-at:
		return at, errLong
	}
	copy(dst[at:], f.data[f.pos:f.pos+n])
	f.pos += n
	return at + n, nil
}

// block unpacks a block with codes.
func (f *inflater) block(dst []byte, at int) (int, error) {
	literals, distances := f.literals, f.distances
	acc, n := f.acc, f.n
	for {
		if n < 48 {
			f.acc, f.n = acc, n
			if !f.fill() {
				return at, errShort
			}
			acc, n = f.acc, f.n
		}
		e := lookUp(literals, acc, literalBits)
		acc >>= e & 31
		n -= uint(e & 31)
		if e&kinds == literal {
			if at >= len(dst) {
				return at, errLong
			}
			dst[at] = byte(e >> 16)
			at++
			continue
		}
		if e&kinds != match {
			f.acc, f.n = acc, n
			if e&kinds != end {
				return at, errDeflate
			}
			return at, nil
		}
		extra := uint(e >> 8 & 31)
		length := int(e>>16) + int(acc&(1<<extra-1))
		acc >>= extra
		n -= extra
		e = lookUp(distances, acc, distanceBits)
		acc >>= e & 31
		extra = uint(e >> 8 & 31)
		n -= uint(e&31) + extra
		distance := int(e>>16) + int(acc&(1<<extra-1))
		acc >>= extra
		switch {
		case e == 0 || distance > at:
			return at, errDeflate
		case length > len(dst)-at:
			return at, errLong
		}
		repeat(dst[at-distance:at+length], distance)
		at += length
	}
}

// lookUp finds the entry for the next bits in acc.
func lookUp(table []uint32, acc uint64, width uint) uint32 {
	e := table[acc&(1<<width-1)]
	if e&kinds == second {
		e = table[uint64(e>>16)+acc>>width&(1<<(longest-width)-1)]
	}
	return e
}

// repeat fills b by repeating its first n bytes.
func repeat(b []byte, n int) {
	for n < len(b) {
		n += copy(b[n:], b[:n])
	}
}

// Lengths and distances: base and extra bits of each symbol.
var (
	lengthBase = [29]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
		163, 195, 227, 258}
	lengthExtra = [29]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	lengthOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
)

func literalEntry(symbol int) uint32 {
	switch {
	case symbol < 256:
		return uint32(symbol)<<16 | literal
	case symbol == 256:
		return end
	case symbol < 286:
		return uint32(lengthBase[symbol-257])<<16 | uint32(lengthExtra[symbol-257])<<8 | match
	}
	return 0
}

func distanceEntry(symbol int) uint32 {
	switch {
	case symbol < 4:
		return uint32(symbol+1)<<16 | match
	case symbol < 30:
		extra := symbol/2 - 1
		return uint32((2+symbol&1)<<extra+1)<<16 | uint32(extra)<<8 | match
	}
	return 0
}

func lengthEntry(symbol int) uint32 { return uint32(symbol)<<16 | literal }

// build makes a table from the lengths of codes.
func build(table []uint32, sizes []uint8, width uint, entry func(int) uint32) ([]uint32, error) {
	var counts, next [longest + 2]int
	for _, n := range sizes {
		counts[n]++
	}
	counts[0] = 0
	total, used := 0, 0
	for n := 1; n <= longest; n++ {
		next[n+1] = (next[n] + counts[n]) << 1
		total += counts[n] << (longest - n)
		used += counts[n]
	}
	if total > 1<<longest || total < 1<<longest && (used > 1 || used == 1 && counts[1] == 0) {
		return table, errDeflate
	}
	if cap(table) < 1<<width {
		table = make([]uint32, 1<<width)
	}
	table = table[:1<<width]
	clear(table)
	for symbol, size := range sizes {
		if size == 0 {
			continue
		}
		n := uint(size)
		code := int(bits.Reverse16(uint16(next[n])) >> (16 - n))
		next[n]++
		e := entry(symbol)
		if e != 0 {
			e |= uint32(n)
		}
		if n <= width {
			for i := code; i < 1<<width; i += 1 << n {
				table[i] = e
			}
			continue
		}
		first := &table[code&(1<<width-1)]
		if *first == 0 {
			*first = uint32(len(table))<<16 | second
			table = append(table, none[:1<<(longest-width)]...)
			first = &table[code&(1<<width-1)]
		}
		for i := code >> width; i < 1<<(longest-width); i += 1 << (n - width) {
			table[int(*first>>16)+i] = e
		}
	}
	return table, nil
}

// none is a second table without codes.
var none [1 << (longest - lengthBits)]uint32

// fixed makes the tables of blocks that do not contain tables.
func (f *inflater) fixed() {
	s := f.sizes[:288]
	for i := range s {
		switch {
		case i < 144:
			s[i] = 8
		case i < 256:
			s[i] = 9
		case i < 280:
			s[i] = 7
		default:
			s[i] = 8
		}
	}
	f.literals, _ = build(f.literals, s, literalBits, literalEntry)
	s = f.sizes[:32]
	for i := range s {
		s[i] = 5
	}
	f.distances, _ = build(f.distances, s, distanceBits, distanceEntry)
}

// dynamic reads the tables of a block.
func (f *inflater) dynamic() error {
	literals, distances, lengths := f.take(5)+257, f.take(5)+1, f.take(4)+4
	if literals > 286 || distances > 30 {
		return errDeflate
	}
	var sizes [19]uint8
	for i := range lengths {
		sizes[lengthOrder[i]] = uint8(f.take(3))
	}
	var err error
	if f.lengths, err = build(f.lengths, sizes[:], lengthBits, lengthEntry); err != nil {
		return err
	}
	s := f.sizes[:literals+distances]
	for i := 0; i < len(s); {
		if !f.fill() {
			return errShort
		}
		e := lookUp(f.lengths, f.acc, lengthBits)
		if e == 0 {
			return errDeflate
		}
		f.take(uint(e & 31))
		value, times := uint8(e>>16), 1
		switch e >> 16 {
		case 16:
			if i == 0 {
				return errDeflate
			}
			value, times = s[i-1], 3+f.take(2)
		case 17:
			value, times = 0, 3+f.take(3)
		case 18:
			value, times = 0, 11+f.take(7)
		}
		if times > len(s)-i {
			return errDeflate
		}
		for range times {
			s[i] = value
			i++
		}
	}
	if f.literals, err = build(f.literals, s[:literals], literalBits, literalEntry); err != nil {
		return err
	}
	f.distances, err = build(f.distances, s[literals:], distanceBits, distanceEntry)
	return err
}
