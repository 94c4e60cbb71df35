//go:build amd64 && !noasm

package threshold

import "github.com/dl4go/dl4go/internal/kernel"

var sets = [...]*Set{kernel.Portable: &portable, kernel.AVX2: &avx2, kernel.AVX512: &avx512}

var avx2 = Set{
	Variant:       kernel.AVX2,
	Find:          find(findAVX2, 32),
	Count:         count(countAVX2, 32),
	EncodeBitmap:  encodeBitmap(encodeBitmapAVX2),
	EncodeScaled:  encodeScaled(encodeScaledAVX2),
	AddBitmap:     addBitmap(addBitmapAVX2),
	AddTimes:      addTimes(addTimesAVX2, 32),
	AddEntries:    addEntriesAhead,
	UnpackEntries: unpackEntriesPortable,
	ReadGaps:      readGapsAhead,
	PackBitmap:    packBitmapFours,
	UnpackBitmap:  unpackBitmapFours,
	CountBitmap:   fours(countBitmap),
	CountMarks:    countsOfFours(countMarks),
}

var avx512 = Set{
	Variant:       kernel.AVX512,
	Find:          find(findAVX512, 64),
	Count:         count(countAVX512, 64),
	EncodeBitmap:  encodeBitmap(encodeBitmapAVX512),
	EncodeScaled:  encodeScaled(encodeScaledAVX512),
	AddBitmap:     addBitmap(addBitmapAVX512),
	AddTimes:      addTimes(addTimesAVX512, 64),
	AddEntries:    addEntriesAhead,
	UnpackEntries: unpackEntriesWide,
	ReadGaps:      readGapsAhead,
	PackBitmap:    packBitmapFours,
	UnpackBitmap:  unpackBitmapFours,
	CountBitmap:   fours(countBitmap),
	CountMarks:    countsOfFours(countMarks),
}

func addEntriesAhead(x []float32, entries []int32, t float32) {
	done := addEntries(at(x), len(x), at(entries), len(entries), t)
	addEntriesPortable(x, entries[done:], t) // panics like the reference
}

func unpackEntriesWide(entries []int32, places, signs []byte) (values int) {
	last := min(len(entries)-16, 8*(len(signs)-4))
	values, done := unpackEntriesAVX512(at(entries), at(places), len(places)/2, at(signs), last)
	return unpackEntries(entries, places, signs, 2*done, values)
}

func readGapsAhead(r GapReader, entries, multiples []int32, b []byte) (GapReader, int) {
	n := r.readable(b, len(entries))
	if n == 0 {
		return r, 0
	}
	left := 0
	if len(multiples) == 0 {
		left, r.Bit, r.Gaps.Sum, r.At = readGaps(at(entries), n, at(b), r.Bit, r.Gaps.Sum, r.At, r.End)
	} else {
		mustMatch(len(multiples), len(entries))
		left, r.Bit, r.Gaps.Sum, r.At = readMultiples(at(entries), at(multiples), n, at(b), r.Bit, r.Gaps.Sum, r.At, r.End)
	}
	return r, n - left
}

func packBitmapFours(places, signs, wholes []byte, words []uint32) (values, downs int) {
	mustMatch(len(places), 2*len(words))
	n, groups := split(words)
	left, values, downs, signsRest, wholesRest := packBitmap(at(places), at(signs), len(signs), at(wholes),
		len(wholes), at(words), groups)
	if left > 0 {
		panic("threshold: a bitmap that has no room")
	}
	s, w := continueAt(signs, values, signsRest), continueAt(wholes, downs, wholesRest)
	pack(places[2*n:], words[n:], &s, &w)
	return s.end(), w.end()
}

// continueAt continues a stream of n bits. The bits after the last whole group of 64 are not written yet.
func continueAt(b []byte, n int, rest uint64) bitWriter {
	w := bitWriter{b: b, at: n / 64 * 8, acc: rest, n: uint(n % 64)}
	w.flush()
	return w
}

func unpackBitmapFours(words []uint32, places, signs, wholes []byte) (values, downs int) {
	mustMatch(len(places), 2*len(words))
	n, groups := split(words)
	values, downs = unpackBitmap(at(words), groups, at(places), at(signs), len(signs), at(wholes), len(wholes))
	return unpack(words[n:], places[2*n:], signs, wholes, values, downs)
}
