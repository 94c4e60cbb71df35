package threshold

import (
	"encoding/binary"
	"math/bits"
)

// PackEntries writes entries as two streams of bits. The first bit is the lowest of a byte. places has one bit for each
// element: 1 if it has an entry. It must be 0 before. signs has one bit for each entry, in ascending order: 1 if the
// element moves down. PackEntries panics if an entry is not in places, or if signs has no room for all entries.
func PackEntries(places, signs []byte, entries []int32) {
	for k := 0; k < len(entries); k += 8 {
		downs := byte(0)
		for j, e := range entries[k:min(k+8, len(entries))] {
			sign := e >> 31
			downs |= byte(sign) & 1 << (j & 7)
			i := uint32((e^sign)-sign) - 1
			places[i/8] |= 1 << (i % 8)
		}
		signs[k/8] = downs
	}
}

func unpackEntriesPortable(entries []int32, places, signs []byte) (values int) {
	return unpackEntries(entries, places, signs, 0, 0)
}

// unpackEntries continues at a byte of places, after so many values.
func unpackEntries(entries []int32, places, signs []byte, at, values int) int {
	for ; at < len(places); at += 8 {
		rest := wordAt(places, at)
		if rest == 0 {
			continue
		}
		from := values
		if values += bits.OnesCount64(rest); values > len(entries) {
			return values
		}
		downs := wordAt(signs, from/8) >> (from % 8)
		if from%8 != 0 && from/8+8 < len(signs) {
			downs |= uint64(signs[from/8+8]) << (64 - from%8)
		}
		own := entries[from:values]
		for k := range own {
			sign := -int32(downs & 1)
			own[k] = (int32(8*at+1+bits.TrailingZeros64(rest)) ^ sign) - sign
			downs >>= 1
			rest &= rest - 1
		}
	}
	return values
}

// wordAt returns eight bytes from byte at on. Those beyond the end are zeros.
func wordAt(b []byte, at int) (word uint64) {
	if at+8 <= len(b) {
		return binary.LittleEndian.Uint64(b[at:])
	}
	for j := len(b) - 1; j >= at; j-- {
		word = word<<8 | uint64(b[j])
	}
	return word
}
