package threshold

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
)

// A message on the wire, numbers in little-endian order and uvarints as in protocol buffers:
//
//	1 byte   version · 16 + form · 4 + coding
//	uvarint  parameters
//	4 bytes  threshold, a float32    (an empty message has neither this
//	uvarint  values                   nor values nor a body)
//	         body
//	4 bytes  CRC32C of all that is before
//
// The body of codings 0 to 2 has, for each value, the gap to the one before by an adaptive Golomb-Rice code (see gaps),
// and how it moves in one or two bits. Coding 3 is for dense bitmaps. With two values for five parameters or more its
// body is the bitmap's words. With fewer it is streams of bits, the first in the lowest place of a byte, each filled up
// with zeros to a whole byte: 16 bits for each word, which say where values are; a bit for each value, 1 for down; a
// bit for each value that goes down, 1 for a whole threshold and 0 for half of one.
const wireVersion = 1

const (
	codeSigns  = iota // 0 is up, 1 down
	codeHalves        // 0 is half down, 10 up, 11 down
	codeWholes        // 0 is up, 10 down, 11 half down
	codeDense
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const checksumSize = 4

// AppendWire appends the message, which must be valid, in the wire form: about log₂(1/sparsity) + 2.5 bits for each
// value and 15 bytes. A dense bitmap takes a bit for each parameter and 1 or 2 for each value, or 2 for each parameter.
func (m *Message) AppendWire(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, wireVersion<<4|byte(m.Form)<<2|byte(m.coding()))
	dst = binary.AppendUvarint(dst, uint64(m.Length))
	if m.Form != Empty {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(m.Threshold))
		dst = binary.AppendUvarint(dst, uint64(m.Count))
		dst = m.appendBody(dst, start)
	}
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// coding is codeDense for a bitmap with a value for every twelfth parameter or more, which takes twice as many bytes as
// the others at most, and a thirtieth of their time; else the shortest of those that can say how the message's values
// move.
func (m *Message) coding() int {
	if m.Form == Bitmap && 12*m.Count >= m.Length {
		return codeDense
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

func (m *Message) appendBody(dst []byte, start int) []byte {
	if dst[start]&3 == codeDense {
		return m.appendDense(dst)
	}
	w := newBitWriter(dst)
	g := newGaps(m.Length, m.Count)
	last := -1
	for _, e := range m.Entries {
		i, down := int(e)-1, uint64(0)
		if e < 0 {
			i, down = int(-e)-1, 1
		}
		w.value(&g, i-last-1, down, 1)
		last = i
	}
	codes := codes[dst[start]&3]
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

// code is how a value says which way it moves.
type code struct {
	bits uint8
	n    uint8
}

// codes have, for each coding, the code of the lowest bit of each half of a bitmap's word, by lower + 2·upper.
var codes = [...][4]code{
	codeSigns:  {1: {0, 1}, 3: {1, 1}},
	codeHalves: {2: {0, 1}, 1: {1, 2}, 3: {3, 2}},
	codeWholes: {1: {0, 1}, 3: {1, 2}, 2: {3, 2}},
}

// symbol is what two bits that are read next mean: the bits of a word, and how many of the two.
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
