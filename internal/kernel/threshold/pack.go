package threshold

import (
	"encoding/binary"
	"math/bits"
)

func packBitmapPortable(places, signs, wholes []byte, words []uint32) (values, downs int) {
	mustMatch(len(places), 2*len(words))
	s, w := bitWriter{b: signs}, bitWriter{b: wholes}
	pack(places, words, &s, &w)
	return s.end(), w.end()
}

// pack continues the streams.
func pack(places []byte, words []uint32, signs, wholes *bitWriter) {
	for i, word := range words {
		all := (word | word>>16) & 0xffff
		binary.LittleEndian.PutUint16(places[2*i:], uint16(all))
		var s, w uint64
		var values, downs uint
		for rest := all; rest != 0; rest &= rest - 1 {
			j := bits.TrailingZeros32(rest) & 15
			down := uint64(word >> (j + 16) & 1)
			s |= down << (values & 63)
			w |= down & uint64(word>>j) << (downs & 63)
			values++
			downs += uint(down)
		}
		signs.put(s, values)
		wholes.put(w, downs)
	}
}

// bitWriter writes bits. The first bit is the lowest of a byte.
type bitWriter struct {
	b   []byte
	at  int    // number of bytes written
	acc uint64 // bits that follow them
	n   uint   // number of bits in acc
}

// put writes up to 16 bits.
func (w *bitWriter) put(x uint64, n uint) {
	w.acc |= x << (w.n & 63)
	w.n += n
	w.flush()
}

// flush leaves fewer than 32 bits in acc.
func (w *bitWriter) flush() {
	for w.n >= 32 {
		binary.LittleEndian.PutUint32(w.b[w.at:], uint32(w.acc))
		w.at += 4
		w.acc >>= 32
		w.n -= 32
	}
}

// end writes the rest and returns the number of bits.
func (w *bitWriter) end() int {
	n := 8*w.at + int(w.n)
	for ; w.n > 0; w.n -= min(w.n, 8) {
		w.b[w.at] = byte(w.acc)
		w.at++
		w.acc >>= 8
	}
	return n
}

func unpackBitmapPortable(words []uint32, places, signs, wholes []byte) (values, downs int) {
	return unpack(words, places, signs, wholes, 0, 0)
}

// unpack continues at a place in each stream.
func unpack(words []uint32, places, signs, wholes []byte, values, downs int) (int, int) {
	mustMatch(len(places), 2*len(words))
	for i := range words {
		word := uint32(0)
		s, w := bitsAt(signs, values), bitsAt(wholes, downs)
		all := uint32(binary.LittleEndian.Uint16(places[2*i:]))
		for rest := all; rest != 0; rest &= rest - 1 {
			place := rest & -rest
			down, whole := -(s & 1), -(w & 1)
			word |= place&(^down|whole) | place<<16&down
			s >>= 1
			w >>= down & 1
		}
		words[i] = word
		values += bits.OnesCount32(all)
		downs += bits.OnesCount32(word >> 16)
	}
	return values, downs
}

// bitsAt returns at least 16 bits from bit i on.
func bitsAt(b []byte, i int) uint32 {
	at := i / 8
	if at+4 <= len(b) {
		return binary.LittleEndian.Uint32(b[at:]) >> (i % 8)
	}
	x := uint32(0)
	for j := len(b) - 1; j >= at; j-- {
		x = x<<8 | uint32(b[j])
	}
	return x >> (i % 8)
}

func countBitmapPortable(words []uint32) int {
	n := 0
	for _, w := range words {
		n += bits.OnesCount32((w | w>>16) & 0xffff)
	}
	return n
}

func countMarksPortable(words []uint32) (values int, alone bool) {
	signs := uint32(0)
	for _, w := range words {
		values += bits.OnesCount32(w & 0xffff)
		signs |= w >> 16 &^ w
	}
	return values, signs&0xffff != 0
}
