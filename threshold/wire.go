package threshold

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
)

// The wire format of a message. Numbers are little-endian, and uvarints are as in protocol buffers:
//
//	1 byte   version · 16 + form · 4 + coding
//	uvarint  parameters
//	4 bytes  threshold, a float32    (an empty message has neither this
//	uvarint  values                   nor values nor a body)
//	         body
//	4 bytes  CRC32C of everything before it
//
// The body of codings 0 to 2 has two parts for each value. The first is the gap from the value before, in an adaptive
// Golomb-Rice code (see gaps). The second is the direction, in one or two bits. Coding 3 is for dense bitmaps. With two
// values for five parameters or more, its body is the bitmap's words. With fewer, its body is three streams of bits:
//   - 16 bits for each word, which show the places of values
//   - a bit for each value, 1 for down
//   - a bit for each value that goes down, 1 for a whole threshold and 0 for half of one
//
// In each byte of a stream the first bit is the lowest. Zeros fill up the stream's last byte.
//
// A scaled message has, in place of threshold and values, the number of its sections (uvarint). For each section follow
// its parameters and its values (uvarints) and, if it has values, their magnitude (a float32). In coding 1 a multiple
// follows the direction of each value, in Elias' gamma code: as many ones as it has bits after its highest one, a zero,
// and those bits. The body of coding 3 is the words of the sections that have values. That of coding 2 is three streams
// of bits:
//   - a bit for each parameter, 1 if it has a value
//   - a bit for each value, 1 for down
//   - the multiples
const wireVersion = 1

const (
	codeSigns  = iota // 0 is up, 1 down
	codeHalves        // 0 is half down, 10 up, 11 down
	codeWholes        // 0 is up, 10 down, 11 half down
	codeDense
)

// codeMultiples is codeSigns, with a multiple after the direction of each value of a scaled message.
// codeDenseMultiples is codeDense with multiples.
const (
	codeMultiples      = codeHalves
	codeDenseMultiples = codeWholes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const checksumSize = 4

// AppendWire appends the message, which must be valid, in the wire format. It takes about log₂(1/sparsity) + 2.5 bits
// for each value, and 15 bytes. A dense bitmap takes a bit for each parameter and 1 or 2 for each value, or 2 for each
// parameter.
func (m *Message) AppendWire(dst []byte) []byte { return appendWire(dst, m, m.coding()) }

// AppendDense is AppendWire for receivers on the same machine, where time counts and bytes don't. An Encoder's
// scaled message with a value for every 64th parameter or more takes two bits for each parameter. A sum takes a bit for
// each parameter, one for each value, and the bits of the multiples. Other messages have the bytes of AppendWire.
// ReadWire reads both.
func (m *Message) AppendDense(dst []byte) []byte { return appendWire(dst, m, scaled{m}.denseCoding()) }

func appendWire(dst []byte, m *Message, coding int) []byte {
	start := len(dst)
	dst = m.appendHead(dst, coding)
	switch {
	case m.Form == Scaled && (coding == codeDense || coding == codeDenseMultiples):
		dst = scaled{m}.appendDense(dst)
	case m.Form != Empty:
		dst = m.appendBody(dst, coding)
	}
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// appendHead appends everything before the body.
func (m *Message) appendHead(dst []byte, coding int) []byte {
	dst = append(dst, wireVersion<<4|byte(m.Form)<<2|byte(coding))
	dst = binary.AppendUvarint(dst, uint64(m.Length))
	switch m.Form {
	case Empty:
	case Scaled:
		dst = scaled{m}.appendSections(dst)
	default:
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(m.Threshold))
		dst = binary.AppendUvarint(dst, uint64(m.Count))
	}
	return dst
}

// coding returns codeDense for a bitmap with a value for every twelfth parameter or more. That takes at most twice as
// many bytes as the others, and a thirtieth of their time. Otherwise it returns the shortest coding that can express
// the message's values. For a sum with two values for five parameters or more, that is the dense one: the code of a gap
// would have a bit for each parameter, too.
func (m *Message) coding() int {
	if m.Form == Bitmap && 12*m.Count >= m.Length {
		return codeDense
	}
	if len(m.Multiples) > 0 {
		if full(m) {
			return codeDenseMultiples
		}
		return codeMultiples
	}
	if m.Form == Scaled {
		return codeSigns
	}
	halves := 0
	for _, w := range m.Words {
		halves += bits.OnesCount32(w >> 16 &^ w)
	}
	switch {
	case halves == 0:
		return codeSigns
	case halves > m.Count/3:
		return codeHalves
	}
	return codeWholes
}

func (m *Message) appendBody(dst []byte, coding int) []byte {
	if coding == codeDense {
		return bitmap{m}.appendDense(dst)
	}
	if m.Form == Scaled && (scaled{m}).marked() {
		return scaled{m}.appendGaps(dst)
	}
	w := newBitWriter(dst)
	g := newGaps(m.Length, m.Count)
	w.entries(&g, 0, m.Entries, m.Multiples)
	last := -1
	codes := codes[coding]
	for k, word := range m.Words {
		for rest := (word | word>>16) & 0xffff; rest != 0; rest &= rest - 1 {
			j := bits.TrailingZeros32(rest)
			c := codes[word>>j&1|word>>(j+15)&2]
			w.value(&g, 16*k+j-last-1, uint64(c.bits), uint(c.n))
			last = 16*k + j
		}
	}
	return w.end()
}

// code is the code of a value's direction.
type code struct {
	bits uint8
	n    uint8
}

// codes has, for each coding, the codes of directions. The index is lower + 2·upper, the bits of the value in the two
// halves of a bitmap's word.
var codes = [...][4]code{
	codeSigns:  {1: {0, 1}, 3: {1, 1}},
	codeHalves: {2: {0, 1}, 1: {1, 2}, 3: {3, 2}},
	codeWholes: {1: {0, 1}, 3: {1, 2}, 2: {3, 2}},
}

// symbol is the meaning of the next two bits: the bits to set in a word, and how many of the two the code takes.
type symbol struct {
	word uint32
	n    uint8
}

var symbols = invert()

func invert() (all [len(codes)][4]symbol) {
	for coding, of := range codes {
		for value, c := range of {
			for next := range 4 {
				if c.n != 0 && uint8(next)&(1<<c.n-1) == c.bits {
					all[coding][next] = symbol{uint32(value&1 | value>>1<<16), c.n}
				}
			}
		}
	}
	return all
}
