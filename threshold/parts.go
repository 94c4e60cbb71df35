package threshold

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"sort"

	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
)

// AppendOn is [Message.AppendWire] on a coder's threads or, if dense, [Message.AppendDense]. The bytes are the same.
func (m *Message) AppendOn(c *Coder, dst []byte, dense bool) []byte {
	if dense {
		return parts{c}.appendWire(dst, m, scaled{m}.denseCoding())
	}
	return parts{c}.appendWire(dst, m, m.coding())
}

// parts codes sums in parts.
type parts struct{ c *Coder }

// appendWire codes a sum in parts, each as a stream of bits of its own. Joined, they are the streams of one thread. For
// other messages one thread is fast enough.
func (p parts) appendWire(dst []byte, m *Message, coding int) []byte {
	if p.c.pool == nil || len(m.Multiples) < chunk {
		return appendWire(dst, m, coding)
	}
	start := len(dst)
	dst = m.appendHead(dst, coding)
	if coding == codeDenseMultiples {
		dst = p.appendDense(dst, m)
	} else {
		dst = p.appendGaps(dst, m)
	}
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// stream is what a part of a sum becomes.
type stream struct {
	from, to int // values
	gaps     gaps
	signs    []byte    // a bit for each value
	bits     bitWriter // the multiples, with the gaps and signs in the coding that has them
}

// cut cuts the values of a sum into streams: those of a block of parameters each.
func (p parts) cut(m *Message) {
	c := p.c
	n, from := blocksOf(m.Length), 0
	c.streams = grow(c.streams, n)
	for i := range c.streams {
		end := uint32(min(m.Length, i*block+block))
		to := from + sort.Search(len(m.Entries)-from, func(k int) bool { return abs(m.Entries[from+k]) > end })
		s := &c.streams[i]
		s.from, s.to, s.bits = from, to, newBitWriter(s.bits.b[:0])
		from = to
	}
}

// appendDense appends the body of a sum in the dense coding. It makes room for the checksum.
func (p parts) appendDense(dst []byte, m *Message) []byte {
	c := p.c
	p.cut(m)
	at := len(dst)
	signs := at + bytesOf(m.Length)
	dst = slices.Grow(dst, signs-at+bytesOf(m.Count)+checksumSize+most)[:signs]
	clear(dst[at:])
	c.do(len(c.streams), task{bytes: dst[at:], entries: m.Entries, multiples: m.Multiples, run: func(c *Coder, i int) {
		w, s := &c.work, &c.streams[i]
		s.signs = grow(s.signs, bytesOf(s.to-s.from)+8)
		kernels.PackEntries(w.bytes, s.signs, w.entries[s.from:s.to])
		for _, n := range w.multiples[s.from:s.to] {
			s.bits.gamma(uint32(n))
		}
	}})
	w := newBitWriter(dst)
	for i := range c.streams {
		s := &c.streams[i]
		w.join(s.signs, s.to-s.from)
	}
	return p.joined(newBitWriter(w.end()))
}

// appendGaps appends the body of a sum in the coding of its gaps. One thread first follows the gaps, as each part
// needs the model of the gaps before it.
func (p parts) appendGaps(dst []byte, m *Message) []byte {
	c := p.c
	p.cut(m)
	g, last := newGaps(m.Length, m.Count), 0
	for i := range c.streams {
		s := &c.streams[i]
		s.gaps = g
		for _, e := range m.Entries[s.from:s.to] {
			at := int(abs(e))
			g.Follow(uint64(at - last - 1))
			last = at
		}
	}
	c.do(len(c.streams), task{entries: m.Entries, multiples: m.Multiples, run: func(c *Coder, i int) {
		w, s := &c.work, &c.streams[i]
		last := int32(0)
		if s.from > 0 {
			last = int32(abs(w.entries[s.from-1]))
		}
		s.bits.entries(&s.gaps, last, w.entries[s.from:s.to], w.multiples[s.from:s.to])
	}})
	return p.joined(newBitWriter(dst))
}

// joined writes the bits of all streams, and returns all that was written.
func (p parts) joined(w bitWriter) []byte {
	for i := range p.c.streams {
		of := &p.c.streams[i].bits
		n := of.size()
		of.room(most)
		w.join(of.flushed(), n)
	}
	return w.end()
}
