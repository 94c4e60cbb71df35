package threshold

import (
	"encoding/binary"
	"math/bits"
)

// Gaps models the gaps between values for their adaptive Golomb-Rice code (Strom, section 3). A gap is written as its
// quotient by 2^K in unary (ones, then a zero) and K bits of the remainder. For values at random places, a K near
// log₂(0.48·mean) is best (Kiely, "Selecting the Golomb parameter in Rice coding", 2004). The mean starts as that of
// the whole message and then follows the gaps, because layers differ in density.
type Gaps struct {
	Sum uint64 // the mean gap is Sum/2^Window
}

const (
	// Window is the logarithm of the number of gaps in which the mean forgets most of the gaps before.
	Window = 4
	// Escape is the least quotient that is not written. In its place are Escape ones and the gap in 32 bits.
	Escape = 24
)

// K returns the parameter of the code for the next gap.
func (g *Gaps) K() uint {
	mean := g.Sum + 1<<(Window-1) // the logarithm's argument is 0.48·(mean + ½)
	return uint(bits.Len64(mean * 123 >> (Window + 8)))
}

// Follow adapts the mean to a gap.
func (g *Gaps) Follow(gap uint64) { g.Sum += gap - g.Sum>>Window }

// GapReader is the place in a stream of values. Each value is a gap, a bit that is 1 if it moves down and, in a sum, a
// multiple in Elias' gamma code: as many ones as it has bits after its highest one, a zero, and those bits.
type GapReader struct {
	Gaps Gaps
	Bit  int // the first one that is not read; 0 is the lowest bit of the first byte
	At   int // the last value's parameter, counted from 1
	End  int // the number of parameters
}

// regular is the least number of bits after a multiple's highest one for which a reader stops.
const regular = 22

// readable returns for how many values the stream has eight bytes each. It is all that a reader can take from there,
// and what a kernel reads ahead.
func (r *GapReader) readable(b []byte, values int) int {
	return min(values, max(len(b)-r.Bit/8-8, 0)/8)
}

func readGapsPortable(r GapReader, entries, multiples []int32, b []byte) (now GapReader, values int) {
	n := r.readable(b, len(entries))
	if n == 0 {
		return r, 0
	}
	next, g, at, end := r.Bit/8, r.Gaps, uint64(r.At), uint64(r.End)
	acc, have := binary.LittleEndian.Uint64(b[next:])>>(r.Bit%8), uint(64-r.Bit%8) // bits in acc
	next += 8
	for values < n {
		k := g.K()
		q := uint(bits.TrailingZeros32(^uint32(acc)))
		rest := acc >> ((q + 1) & 63)
		gap := uint64(q)<<(k&63) | rest&(1<<(k&63)-1)
		rest >>= k & 63
		sign := -int32(rest & 1)
		rest >>= 1
		used, multiple := q+k+2, int32(1)
		if len(multiples) > 0 {
			m := uint(bits.TrailingZeros32(^uint32(rest)))
			rest >>= m + 1
			used += 2*m + 1
			if m >= regular || used > have {
				break
			}
			multiple = int32(1<<m | rest&(1<<m-1))
			rest >>= m
			multiples[values] = multiple
		}
		to := at + gap + 1
		if q >= Escape || to > end {
			break
		}
		at = to
		entries[values] = (int32(at) ^ sign) - sign
		values++
		g.Follow(gap)
		have -= used
		acc = rest | binary.LittleEndian.Uint64(b[next:])<<(have&63)
		next += int((63 - have) / 8)
		have |= 56
	}
	r.Gaps, r.At, r.Bit = g, int(at), 8*next-int(have)
	return r, values
}
