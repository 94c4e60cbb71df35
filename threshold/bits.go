package threshold

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// bitWriter writes bits, starting at the lowest bit of each byte.
type bitWriter struct {
	b   []byte // its length is its capacity
	at  int    // whole bytes written
	acc uint64
	n   uint // bits in acc, fewer than 8
}

// newBitWriter returns a writer that appends to b.
func newBitWriter(b []byte) bitWriter { return bitWriter{b: b[:cap(b)], at: len(b)} }

// put writes up to 56 bits. There must be room for them.
func (w *bitWriter) put(x uint64, n uint) {
	w.acc |= x << (w.n & 63)
	w.n += n
	binary.LittleEndian.PutUint64(w.b[w.at:], w.acc)
	w.at += int(w.n / 8)
	w.acc >>= w.n &^ 7 & 63
	w.n &= 7
}

// most is the largest number of bytes that a value takes, including those that put overwrites.
const most = 32

// room makes room for n bytes.
func (w *bitWriter) room(n int) {
	if w.at+n > len(w.b) {
		b := slices.Grow(w.b[:w.at], n+1024)
		w.b = b[:cap(b)]
	}
}

// gamma writes a number from 1 to maxMultiple.
func (w *bitWriter) gamma(x uint32) {
	w.room(most)
	w.put(gamma(x))
}

// gamma returns the code of a number from 1 to maxMultiple, and its number of bits.
func gamma(x uint32) (code uint64, n uint) {
	n = uint(bits.Len32(x)) - 1
	return 1<<(n&63) - 1 | uint64(x&^(1<<(n&31)))<<((n+1)&63), 2*n + 1
}

// size returns the number of bits that were written after an empty slice.
func (w *bitWriter) size() int { return 8*w.at + int(w.n) }

// flushed returns the memory of what was written, with room after it. There must be room for a value.
func (w *bitWriter) flushed() []byte {
	w.b[w.at] = byte(w.acc)
	return w.b
}

// join writes the first n bits of b, which goes on for at least 7 bytes after them.
func (w *bitWriter) join(b []byte, n int) {
	const whole = 56
	if need := w.at + n/8 + most; need > len(w.b) {
		grown := slices.Grow(w.b[:w.at], need-w.at)
		w.b = grown[:cap(grown)]
	}
	for ; n >= whole; n -= whole {
		w.put(binary.LittleEndian.Uint64(b)&(1<<whole-1), whole)
		b = b[whole/8:]
	}
	if n > 0 {
		w.put(binary.LittleEndian.Uint64(b)&(1<<n-1), uint(n))
	}
}

// end returns all that was written.
func (w *bitWriter) end() []byte {
	if w.n > 0 {
		w.b[w.at] = byte(w.acc)
		w.at++
	}
	return w.b[:w.at]
}

// bitReader reads the bits of a bitWriter. Beyond the end it reads zeros, and over then returns true.
type bitReader struct {
	b    []byte
	next int // the number of bytes that were put in acc; may go beyond the end
	acc  uint64
	n    uint // bits in acc
}

// fill makes at least 56 bits ready, enough for an escape and a gap.
func (r *bitReader) fill() {
	if r.next+8 <= len(r.b) {
		r.acc |= binary.LittleEndian.Uint64(r.b[r.next:]) << r.n
		taken := (63 - r.n) / 8
		r.next += int(taken)
		r.n += 8 * taken
		return
	}
	for r.n <= 56 {
		if r.next < len(r.b) {
			r.acc |= uint64(r.b[r.next]) << r.n
		}
		r.next++
		r.n += 8
	}
}

// seek continues at a bit.
func (r *bitReader) seek(bit int) {
	r.next, r.acc, r.n = bit/8, 0, 0
	r.fill()
	r.take(uint(bit % 8))
}

// take reads n bits, which must be ready.
func (r *bitReader) take(n uint) uint64 {
	x := r.acc & (1<<(n&63) - 1)
	r.acc >>= n & 63
	r.n -= n
	return x
}

// gamma reads a number that gamma has written; 0 if there is none.
func (r *bitReader) gamma() int32 {
	r.fill()
	n := uint(bits.TrailingZeros64(^r.acc))
	if n > 22 {
		return 0
	}
	r.take(n + 1)
	return int32(1<<n | r.take(n))
}

// needs makes at least n bits ready.
func (r *bitReader) needs(n uint) {
	if r.n < n {
		r.fill()
	}
}

// over reports whether more bits were read than there are.
func (r *bitReader) over() bool { return r.bytes() > len(r.b) }

// bytes returns the number of bytes that were read, including the last, which may be read in part.
func (r *bitReader) bytes() int { return r.next - int(r.n/8) }

// rest returns the unread bits of the last byte.
func (r *bitReader) rest() uint64 { return r.acc & (1<<(r.n%8) - 1) }
