package threshold

import (
	"encoding/binary"
	"math/bits"

	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
)

// gaps models the gaps between values.
type gaps = kernels.Gaps

func newGaps(length, count int) gaps {
	if count == 0 {
		return gaps{}
	}
	return gaps{Sum: uint64(length-count) << kernels.Window / uint64(count)}
}

// A gap with a quotient of escape or more is written in another way.
const escape = kernels.Escape

// value writes a gap and the symbol after it.
func (w *bitWriter) value(g *gaps, gap int, symbol uint64, n uint) {
	w.room(most)
	k, x := g.K(), uint64(gap)
	g.Follow(x)
	q := uint(x>>(k&63)) + 1
	if q <= escape { // gaps have 31 bits, so this writes at most 53
		w.put(1<<(q&63-1)-1|x&(1<<(k&63)-1)<<(q&63)|symbol<<((q+k)&63), q+k+n)
		return
	}
	w.put(1<<escape-1, escape)
	w.put(x|symbol<<32, 32+n)
}

// gap reads a gap. It leaves at least two bits ready.
func (r *bitReader) gap(g *gaps) uint64 {
	k := g.K()
	q := uint(bits.TrailingZeros64(^r.acc))
	if q >= escape {
		r.take(escape)
		r.needs(34)
		k = 32
	} else {
		r.take(q + 1)
		r.needs(k + 2)
	}
	x := r.take(k)
	if q < escape {
		x |= uint64(q) << k
	}
	g.Follow(x)
	return x
}

// batch is the number of values that are written before there is new room.
const batch = 64

// entries writes the gaps after parameter last, counted from 1, and the signs and multiples of values. Without
// multiples, all are 1.
func (w *bitWriter) entries(g *gaps, last int32, entries, multiples []int32) {
	for from := 0; from < len(entries); from += batch {
		to := min(from+batch, len(entries))
		w.room(batch * most)
		if own := entries[from:to]; len(multiples) > 0 {
			last = w.batch(g, last, own, multiples[from:to])
		} else {
			last = w.batch(g, last, own, nil)
		}
	}
}

// batch writes up to batch values. It keeps its state in variables, because memory is slow. It returns the parameter of
// the last value.
func (w *bitWriter) batch(g *gaps, last int32, entries, multiples []int32) int32 {
	b, at, acc, n, model := w.b[w.at:], 0, w.acc, w.n, *g
	for i, e := range entries {
		sign := e >> 31
		place := (e ^ sign) - sign
		gap := uint64(place - last - 1)
		last = place
		k := model.K() & 63
		model.Follow(gap)
		q := uint(gap >> k)
		bits := uint64(1)<<(q&63) - 1 | (gap&(1<<k-1)|uint64(-sign)<<k)<<((q+1)&63)
		used := q + k + 2
		if q >= escape { // its ones first: an escape, a gap and a sign have 57 bits
			acc |= (1<<escape - 1) << n
			n += escape
			binary.LittleEndian.PutUint64(b[at:], acc)
			at += int(n / 8)
			acc >>= n &^ 7
			n &= 7
			bits, used = gap|uint64(-sign)<<32, 33
		}
		acc |= bits << (n & 63)
		n += used
		binary.LittleEndian.PutUint64(b[at:], acc)
		at += int(n / 8)
		acc >>= n &^ 7 & 63
		n &= 7
		if len(multiples) > 0 {
			bits, used := gamma(uint32(multiples[i]))
			acc |= bits << (n & 63)
			n += used
			binary.LittleEndian.PutUint64(b[at:], acc)
			at += int(n / 8)
			acc >>= n &^ 7 & 63
			n &= 7
		}
	}
	w.at, w.acc, w.n, *g = w.at+at, acc, n, model
	return last
}

// regular reads regular values after the parameter at, counted from 1, to entries and, if there are any, multiples. It
// returns the number of values and the last one's parameter. Those of a message are all regular but a few, so one that
// is left here may take long.
func (r *bitReader) regular(g *gaps, entries, multiples []int32, at, end uint64) (values int, last uint64) {
	in := kernels.GapReader{Gaps: *g, Bit: 8*r.next - int(r.n), At: int(at), End: int(end)}
	if in, values = best.ReadGaps(in, entries, multiples, r.b); values > 0 {
		r.seek(in.Bit)
	}
	*g = in.Gaps
	return values, uint64(in.At)
}
