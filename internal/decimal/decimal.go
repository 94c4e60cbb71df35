// Package decimal reads decimal numbers faster than strconv, and rounds them alike.
package decimal

import (
	"math"
	"math/bits"
	"strconv"
)

// Parse reads decimal numbers of up to 19 digits, with or without a point and an exponent, and rounds them as
// strconv.ParseFloat does. It returns false for all other texts, and for very large or small numbers.
func Parse(s string) (float64, bool) {
	digits, sign := s, uint64(0)
	if s != "" && (s[0] == '-' || s[0] == '+') {
		digits = s[1:]
		if s[0] == '-' {
			sign = 1 << 63
		}
	}
	d, ok := digitWords(digits)
	if !ok {
		if d, ok = readDecimal(digits); !ok {
			return 0, false
		}
	}
	x, ok := d.float()
	return math.Float64frombits(math.Float64bits(x) | sign), ok
}

// Between is [Parse] of all[from:to]. It is faster if 8 more bytes, of any value, follow.
func Between(all string, from, to uint32) (float64, bool) {
	n := to - from
	if n-1 > 16 || uint64(from)+9 > uint64(len(all)) {
		return Parse(all[from:to])
	}
	// The sign is computed without a branch, which could not be predicted.
	minus := (uint64(all[from]^'-') - 1) >> 63
	from += uint32(minus)
	if n -= uint32(minus); n-1 > 7 {
		return twoWords(all, from, to, minus)
	}
	free := 8 * (8 - n)
	word := eightBytes(all[from:][:8])<<free | zeroDigits&(1<<free-1)
	word, behind := withoutPoint(word)
	if !eightDigits(word) || behind >= 0 && n == 1 {
		return Parse(all[from-uint32(minus) : to])
	}
	x := float64(digitsOf(word))
	if behind >= 0 {
		x /= powersOfTen[behind]
	}
	return math.Float64frombits(math.Float64bits(x) | minus<<63), true
}

// twoWords reads 9 to 16 characters after the sign: digits, perhaps with a point among them.
func twoWords(all string, from, to uint32, minus uint64) (float64, bool) {
	n := to - from
	if n-9 > 7 {
		return Parse(all[from-uint32(minus) : to])
	}
	free := 8 * (16 - n)
	first, behind := withoutPoint(eightBytes(all[from:][:8])<<free | zeroDigits&(1<<free-1))
	last, low := withoutPoint(eightBytes(all[to-8:][:8]))
	if !eightDigits(first) || !eightDigits(last) || behind >= 0 && low >= 0 {
		return Parse(all[from-uint32(minus) : to])
	}
	d := decimal{n: digitsOf(first)*1e8 + digitsOf(last)}
	switch {
	case low >= 0:
		d = decimal{digitsOf(first)*1e7 + digitsOf(last), -low}
	case behind >= 0:
		d.exponent = -behind - 8
	}
	x, ok := d.float()
	return math.Float64frombits(math.Float64bits(x) | minus<<63), ok
}

// Single is [Between], rounded once to a float32 as strconv.ParseFloat(s, 32) does. It also returns false for numbers
// that are not finite as a float32.
func Single(all string, from, to uint32) (float32, bool) {
	x, ok := Between(all, from, to)
	if !ok {
		return 0, false
	}
	const cut = 52 - 23 // bits that a float64 has and a float32 lacks
	rest := math.Float64bits(x) & (1<<cut - 1)
	y := float32(x)
	size := math.Float32bits(y) &^ (1 << 31)
	// A second rounding is wrong only if the first one gave the middle between two float32 values.
	const least, infinite = 1<<23 + 1, 0x7f8 << 20
	if rest != 1<<(cut-1) && size-least < infinite-least || x == 0 {
		return y, true
	}
	z, err := strconv.ParseFloat(all[from:to], 32)
	return float32(z), err == nil
}

// decimal is n · 10^exponent.
type decimal struct {
	n        uint64
	exponent int
}

const (
	eachByte   = 0x0101010101010101
	zeroDigits = '0' * eachByte
)

// withoutPoint removes the first point from eight bytes, and returns how many bytes follow it; −1 if there is none.
func withoutPoint(word uint64) (without uint64, behind int) {
	dot := word ^ '.'*eachByte
	if dot = (dot - eachByte) &^ dot & (0x80 * eachByte); dot == 0 {
		return word, -1
	}
	at := uint(bits.TrailingZeros64(dot)) &^ 7
	below := uint64(1)<<at - 1
	return word&^(below<<8|0xff) | (word&below)<<8 | '0', 7 - int(at>>3)
}

// digitWords reads 1 to 19 digits, perhaps with a point among them, eight at a time. It returns false for all other
// texts.
func digitWords(s string) (d decimal, ok bool) {
	if len(s) == 0 || len(s) > 20 {
		return d, false
	}
	end := (len(s)-1)&7 + 1
	digits, pointed := len(s), false
	for word := lastEight(s[:end]); ; word = eightBytes(s[end-8:]) {
		scale := uint64(1e8)
		without, behind := withoutPoint(word)
		if behind >= 0 {
			if pointed {
				return d, false
			}
			pointed = true
			d.exponent = end - behind - len(s)
			digits--
			scale = 1e7
		}
		if !eightDigits(without) {
			return d, false
		}
		if d.n = d.n*scale + digitsOf(without); end == len(s) {
			return d, digits > 0 && digits < 20
		}
		end += 8
	}
}

// lastEight returns the bytes of a text of 1 to 8 bytes, the last one on top, with the digit zero below the first one.
func lastEight(s string) uint64 {
	n := uint(len(s))
	var word uint64
	switch {
	case n == 8:
		return eightBytes(s)
	case n >= 4:
		word = uint64(fourBytes(s)) | uint64(fourBytes(s[n-4:]))<<(8*(n-4))
	case n >= 2:
		word = uint64(s[0]) | uint64(s[1])<<8 | uint64(s[n-1])<<(8*(n-1))
	default:
		word = uint64(s[0])
	}
	free := 8 * (8 - n)
	return word<<free | zeroDigits&(1<<free-1)
}

// eightBytes returns eight bytes, the first one in the lowest byte.
func eightBytes(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 |
		uint64(s[6])<<48 | uint64(s[7])<<56
}

func fourBytes(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// eightDigits reports whether all bytes are decimal digits.
func eightDigits(word uint64) bool {
	return (word+0x46*eachByte|(word-zeroDigits))&(0x80*eachByte) == 0
}

// digitsOf returns the number of eight digits, the first one in the lowest byte: it adds up pairs, fours and eights of
// digits side by side.
func digitsOf(word uint64) uint64 {
	word -= zeroDigits
	word = word*10 + word>>8
	const pairs = 0x000000ff000000ff
	return (word&pairs*(100+1000000<<32) + word>>16&pairs*(1+10000<<32)) >> 32
}

// readDecimal reads digits, a point, and an exponent, byte by byte.
func readDecimal(s string) (d decimal, ok bool) {
	n, count, point, i := uint64(0), 0, -1, 0
	for ; i < len(s); i++ {
		if c := s[i]; c >= '0' && c <= '9' {
			if n = n*10 + uint64(c-'0'); count > 0 || n != 0 {
				count++
			}
			if count > 19 {
				return d, false
			}
		} else if c == '.' && point < 0 {
			point = i
		} else {
			break
		}
	}
	digits, exponent := i, 0
	if point >= 0 {
		digits--
		exponent = point + 1 - i
	}
	if i < len(s) {
		if s[i]|0x20 != 'e' {
			return d, false
		}
		e, ok := readExponent(s[i+1:])
		if !ok {
			return d, false
		}
		exponent += e
	}
	return decimal{n, exponent}, digits > 0
}

// readExponent reads a sign and up to four digits.
func readExponent(s string) (n int, ok bool) {
	negative := s != "" && s[0] == '-'
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	if s == "" || len(s) > 4 {
		return 0, false
	}
	for i := range len(s) {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int(c)
	}
	if negative {
		n = -n
	}
	return n, true
}

// powersOfTen are exact as doubles.
var powersOfTen = [23]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
	1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// powersOfFive are the powers of five that fit in 64 bits.
var powersOfFive = func() (powers [28]uint64) {
	for i, p := 0, uint64(1); i < len(powers); i, p = i+1, p*5 {
		powers[i] = p
	}
	return powers
}()

// float rounds the number once. It returns false if the power of ten is outside the table of powers of five.
func (d decimal) float() (float64, bool) {
	if d.n < 1<<53 && d.exponent <= 0 && d.exponent > -len(powersOfTen) {
		return float64(d.n) / powersOfTen[-d.exponent], true // both are exact
	}
	if d.n == 0 {
		return 0, true
	}
	shift := bits.LeadingZeros64(d.n)
	n := d.n << shift
	switch {
	case d.exponent >= 0 && d.exponent < len(powersOfFive):
		five := powersOfFive[d.exponent]
		up := bits.LeadingZeros64(five)
		high, low := bits.Mul64(n, five<<up)
		return rounded(high, low != 0, 64+d.exponent-shift-up), true
	case d.exponent < 0 && -d.exponent < len(powersOfFive):
		five := powersOfFive[-d.exponent]
		up := bits.LeadingZeros64(five)
		// Half of n is less than the divisor, so the quotient has 63 or 64 bits.
		quotient, rest := bits.Div64(n>>1, n<<63, five<<up)
		return rounded(quotient, rest != 0, d.exponent-shift+up-63), true
	}
	return 0, false
}

// rounded returns (n + a fraction) · 2^exponent, rounded to the nearest double, or to the even one if two are equally
// near. n has 63 or 64 bits, and the result must be a normal number.
func rounded(n uint64, fraction bool, exponent int) float64 {
	shift := bits.LeadingZeros64(n)
	n <<= shift
	const cut = 64 - 53
	kept, rest := n>>cut, n&(1<<cut-1)
	const half = 1 << (cut - 1)
	if rest > half || rest == half && (fraction || kept&1 != 0) {
		kept++
	}
	return float64(kept) * math.Float64frombits(uint64(1023+exponent-shift+cut)<<52)
}
