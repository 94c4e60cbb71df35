package threshold

import (
	"encoding/binary"
	"math/bits"
	"slices"

	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
)

// full says that a dense bitmap's words are as short as anything else.
func (m *Message) full() bool { return 5*m.Count >= 2*m.Length }

// appendDense appends the body of codeDense.
func (m *Message) appendDense(dst []byte) []byte {
	if m.full() {
		for _, w := range m.Words {
			dst = binary.LittleEndian.AppendUint32(dst, w)
		}
		return dst
	}
	dst = slices.Grow(dst, 2*len(m.Words)+m.Count/4+16)
	for _, w := range m.Words {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(w|w>>16))
	}
	out := newBitWriter(dst)
	for _, w := range m.Words {
		var acc uint64
		var n uint
		for rest := (w | w>>16) & 0xffff; rest != 0; rest &= rest - 1 {
			j := bits.TrailingZeros32(rest) & 15
			down := w >> (j + 16) & 1
			acc |= uint64(down|down&(w>>j)<<1) << (n & 63)
			n += uint(1 + down)
		}
		out.put(acc, n)
	}
	return out.end()
}

// readDense reads it.
func (m *Message) readDense(r *wireReader) error {
	if m.full() {
		return m.readWords(r)
	}
	n := kernels.WordsOf(m.Length)
	if size := len(r.b) - r.at; size < 2*n || 8*(size-2*n) < m.Count {
		return r.problem("a bitmap of %d parameters and %d values in %d bytes", m.Length, m.Count, size)
	}
	m.Words = grow(m.Words, n)
	places := r.b[r.at : r.at+2*n]
	r.at += 2 * n
	in := bitReader{b: r.b[r.at:]}
	for i := range m.Words {
		in.fill() // 32 bits are the most that a word takes
		w := uint32(0)
		for rest := uint32(binary.LittleEndian.Uint16(places[2*i:])); rest != 0; rest &= rest - 1 {
			place := rest & -rest
			down := -uint32(in.acc & 1)
			whole := -uint32(in.acc >> 1 & 1)
			in.take(uint(1 - int32(down)))
			w |= place&(^down|whole) | place<<16&down
		}
		m.Words[i] = w
	}
	if err := r.endBody(&in); err != nil {
		return err
	}
	if err := m.Validate(); err != nil {
		return r.problem("%w", err)
	}
	return nil
}
