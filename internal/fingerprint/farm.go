// Package fingerprint hashes texts as TensorFlow does when it puts them into buckets.
package fingerprint

import "math/bits"

// The constants of FarmHash.
const (
	k0 = 0xc3a5c85c97cb3127
	k1 = 0xb492b66fbe98f273
	k2 = 0x9ae16a3b2f90404f
)

// Farm returns the Fingerprint64 of FarmHash, TensorFlow's string_to_hash_bucket_fast.
func Farm(text string) uint64 {
	switch n := len(text); {
	case n <= 16:
		return upTo16(text)
	case n <= 32:
		return upTo32(text)
	case n <= 64:
		return upTo64(text)
	}
	return long(text)
}

func word(s string, at int) uint64 {
	return uint64(s[at]) | uint64(s[at+1])<<8 | uint64(s[at+2])<<16 | uint64(s[at+3])<<24 |
		uint64(s[at+4])<<32 | uint64(s[at+5])<<40 | uint64(s[at+6])<<48 | uint64(s[at+7])<<56
}

func half(s string, at int) uint64 {
	return uint64(s[at]) | uint64(s[at+1])<<8 | uint64(s[at+2])<<16 | uint64(s[at+3])<<24
}

func right(x uint64, n int) uint64 { return bits.RotateLeft64(x, -n) }

func shifted(x uint64) uint64 { return x ^ x>>47 }

// pair hashes two words.
func pair(u, v, mul uint64) uint64 {
	a := shifted((u ^ v) * mul)
	return shifted((v^a)*mul) * mul
}

func upTo16(s string) uint64 {
	n := uint64(len(s))
	switch {
	case n >= 8:
		mul := k2 + 2*n
		a, b := word(s, 0)+k2, word(s, len(s)-8)
		return pair(right(b, 37)*mul+a, (right(a, 25)+b)*mul, mul)
	case n >= 4:
		return pair(n+half(s, 0)<<3, half(s, len(s)-4), k2+2*n)
	case n > 0:
		y := uint64(s[0]) + uint64(s[n/2])<<8
		z := n + uint64(s[n-1])<<2
		return shifted(y*k2^z*k0) * k2
	}
	return k2
}

func upTo32(s string) uint64 {
	n := len(s)
	mul := k2 + 2*uint64(n)
	a, b := word(s, 0)*k1, word(s, 8)
	c, d := word(s, n-8)*mul, word(s, n-16)*k2
	return pair(right(a+b, 43)+right(c, 30)+d, a+right(b+k2, 18)+c, mul)
}

func upTo64(s string) uint64 {
	n := len(s)
	mul := k2 + 2*uint64(n)
	a, b := word(s, 0)*k2, word(s, 8)
	c, d := word(s, n-8)*mul, word(s, n-16)*k2
	y := right(a+b, 43) + right(c, 30) + d
	z := pair(y, a+right(b+k2, 18)+c, mul)
	e, f := word(s, 16)*mul, word(s, 24)
	g, h := (y+word(s, n-32))*mul, (z+word(s, n-24))*mul
	return pair(right(e+f, 43)+right(g, 30)+h, e+right(f+a, 18)+g, mul)
}

// two is a pair of words of the state.
type two struct{ a, b uint64 }

// weak mixes 32 bytes with two seeds.
func weak(s string, at int, a, b uint64) two {
	w, x, y, z := word(s, at), word(s, at+8), word(s, at+16), word(s, at+24)
	a += w
	b = right(b+a+z, 21)
	c := a
	a += x + y
	b += right(a, 44)
	return two{a + z, b + c}
}

func long(s string) uint64 {
	const seed = uint64(81)
	x, y := seed, seed
	y = y*k1 + 113
	z := shifted(y*k2+113) * k2
	var v, w two
	x = x*k2 + word(s, 0)
	end := (len(s) - 1) / 64 * 64
	for at := 0; at < end; at += 64 {
		x = right(x+y+v.a+word(s, at+8), 37) * k1
		y = right(y+v.b+word(s, at+48), 42) * k1
		x ^= w.b
		y += v.a + word(s, at+40)
		z = right(z+w.a, 33) * k1
		v = weak(s, at, v.b*k1, x+w.a)
		w = weak(s, at+32, z+w.b, y+word(s, at+16))
		z, x = x, z
	}
	mul := k1 + z&0xff<<1
	at := len(s) - 64
	w.a += uint64(len(s)-1) & 63
	v.a += w.a
	w.a += v.a
	x = right(x+y+v.a+word(s, at+8), 37) * mul
	y = right(y+v.b+word(s, at+48), 42) * mul
	x ^= w.b * 9
	y += v.a*9 + word(s, at+40)
	z = right(z+w.a, 33) * mul
	v = weak(s, at, v.b*mul, x+w.a)
	w = weak(s, at+32, z+w.b, y+word(s, at+16))
	z, x = x, z
	return pair(pair(v.a, w.a, mul)+shifted(y)*k0+z, pair(v.b, w.b, mul)+x, mul)
}
