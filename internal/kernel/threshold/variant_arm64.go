//go:build arm64 && !noasm

package threshold

import "github.com/dl4go/dl4go/internal/kernel"

var sets = [...]*Set{kernel.Portable: &portable, kernel.NEON: &neon}

// Streams of bits and entries have no kernel: NEON neither moves bits to places that a mask gives, nor writes elements
// apart from each other.
var neon = Set{
	Variant:       kernel.NEON,
	Find:          find(findNEON, 16),
	Count:         count(countNEON, 16),
	EncodeBitmap:  encodeBitmap(encodeBitmapNEON),
	EncodeScaled:  encodeScaled(encodeScaledNEON),
	AddBitmap:     addBitmap(addBitmapNEON),
	AddTimes:      addTimes(addTimesNEON, 16),
	AddEntries:    addEntriesPortable,
	UnpackEntries: unpackEntriesPortable,
	ReadGaps:      readGapsPortable,
	PackBitmap:    packBitmapPortable,
	UnpackBitmap:  unpackBitmapPortable,
	CountBitmap:   fours(countBitmapNEON),
	CountMarks:    countsOfFours(countMarksNEON),
}
