package threshold

import (
	"math"
	"math/bits"

	"github.com/dl4go/dl4go/internal/kernel"
)

var portable = Set{
	Variant:       kernel.Portable,
	Find:          findPortable,
	Count:         countPortable,
	EncodeBitmap:  encodeBitmapPortable,
	EncodeScaled:  encodeScaledPortable,
	AddBitmap:     addBitmapPortable,
	AddTimes:      addTimesPortable,
	AddEntries:    addEntriesPortable,
	UnpackEntries: unpackEntriesPortable,
	ReadGaps:      readGapsPortable,
	PackBitmap:    packBitmapPortable,
	UnpackBitmap:  unpackBitmapPortable,
	CountBitmap:   countBitmapPortable,
	CountMarks:    countMarksPortable,
}

// reach is the test |x| ≥ t on the bits of x. Without the sign, bits are in the order of the numbers. The test accepts
// bits from those of t up to those of infinity; those of NaN are larger.
type reach struct{ low, width uint32 }

func reaching(t float32) reach {
	low := math.Float32bits(t)
	return reach{low, math.Float32bits(float32(math.Inf(1))) - low}
}

func (r reach) by(x float32) bool { return math.Float32bits(x)&math.MaxInt32-r.low <= r.width }

// entry returns ±(i+1), with the sign of x.
func entry(i int, x float32) int32 {
	if x < 0 {
		return int32(-i - 1)
	}
	return int32(i + 1)
}

func findPortable(dst []int32, x []float32, t float32, base int) (found, seen int) {
	reaches := reaching(t)
	for i, v := range x {
		if reaches.by(v) {
			if found == len(dst) {
				return found, i
			}
			dst[found] = entry(base+i, v)
			found++
		}
	}
	return found, len(x)
}

func countPortable(x []float32, t float32) int {
	n := 0
	reaches := reaching(t)
	for _, v := range x {
		if reaches.by(v) {
			n++
		}
	}
	return n
}

// halved returns t/2, rounded. The conversion forbids fusing it with a sum, which some compilers would do.
func halved(t float32) float32 { return float32(t / 2) }

func encodeBitmapPortable(dst []uint32, x []float32, t float32) int {
	mustMatch(len(dst), WordsOf(len(x)))
	count, half := 0, halved(t)
	for w := range dst {
		part := x[16*w : min(16*w+16, len(x))]
		word := uint32(0)
		for j, v := range part {
			switch {
			case v >= t:
				word |= 1 << j
				part[j] = v - t
			case v <= -t:
				word |= 0x10001 << j
				part[j] = v + t
			case v <= -half:
				word |= 0x10000 << j
				part[j] = v + half
			}
		}
		dst[w] = word
		count += bits.OnesCount32((word | word>>16) & 0xffff)
	}
	return count
}

// encodeScaledPortable compares magnitudes as whole numbers, as addTimesPortable does. Their bits are in the order of
// the numbers, and those of NaN are above them.
func encodeScaledPortable(dst []uint32, x []float32, t, step float32) (count int, largest float32) {
	mustMatch(len(dst), WordsOf(len(x)))
	most := uint32(0)
	for w := range dst {
		part := x[16*w : min(16*w+16, len(x))]
		word := uint32(0)
		for j, v := range part {
			most = max(most, math.Float32bits(v)&math.MaxInt32)
			switch {
			case v >= t:
				word |= 1 << j
				part[j] = v - step
			case v <= -t:
				word |= 0x10001 << j
				part[j] = v + step
			}
		}
		dst[w] = word
		count += bits.OnesCount32(word & 0xffff)
	}
	return count, math.Float32frombits(most)
}

func addBitmapPortable(x []float32, words []uint32, t float32) {
	mustMatch(len(words), WordsOf(len(x)))
	half := halved(t)
	for w, word := range words {
		part := x[16*w : min(16*w+16, len(x))]
		for rest := (word | word>>16) & 0xffff; rest != 0; rest &= rest - 1 {
			j := bits.TrailingZeros32(rest)
			switch word >> j & 0x10001 {
			case 1:
				part[j] += t
			case 0x10001:
				part[j] -= t
			default:
				part[j] -= half
			}
		}
	}
}

func addTimesPortable(x, u []float32, times float32) float32 {
	mustMatch(len(u), len(x))
	largest := uint32(0)
	for i, v := range u {
		x[i] += float32(times * v)
		largest = max(largest, math.Float32bits(x[i])&math.MaxInt32)
	}
	return math.Float32frombits(largest)
}

func addEntriesPortable(x []float32, entries []int32, t float32) {
	b := math.Float32bits(t)
	for _, e := range entries {
		sign := e >> 31
		x[(e^sign)-sign-1] += math.Float32frombits(b ^ uint32(e)&0x80000000)
	}
}
