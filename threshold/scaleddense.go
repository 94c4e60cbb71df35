package threshold

import (
	"slices"

	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
)

// denseCoding returns the coding of AppendDense. With few values, the time of the compact codings is as short.
func (m scaled) denseCoding() int {
	switch {
	case m.Form != Scaled || 64*m.Count < m.Length:
		return m.coding()
	case len(m.Multiples) > 0:
		return codeDenseMultiples
	case m.marked():
		return codeDense
	}
	return m.coding()
}

// appendDense appends the body of a scaled message in a dense coding. It makes room for the checksum.
func (m scaled) appendDense(dst []byte) []byte {
	if m.marked() {
		return m.appendMarked(dst)
	}
	signs := len(dst) + bytesOf(m.Length)
	end := signs + bytesOf(m.Count)
	b := slices.Grow(dst, end-len(dst)+checksumSize)[:end]
	clear(b[len(dst):])
	kernels.PackEntries(b[len(dst):signs], b[signs:], m.Entries)
	w := newBitWriter(b)
	for _, n := range m.Multiples {
		w.gamma(uint32(n))
	}
	return w.end()
}

// readDense reads the body of a sum that appendDense has appended.
func (m scaled) readDense(r *wireReader) error {
	body := r.b[r.at:]
	signs := bytesOf(m.Length)
	end := signs + bytesOf(m.Count)
	if m.Count == 0 || end+bytesOf(m.Count) > len(body) {
		return r.problem("a dense message of %d parameters and %d values in %d bytes", m.Length, m.Count, len(body))
	}
	if !filled(body[:signs], m.Length) || !filled(body[signs:end], m.Count) {
		r.at += end
		return r.problem("the bits after a message's last value are not 0")
	}
	m.Entries = grow(m.Entries, m.Count)
	if n := best.UnpackEntries(m.Entries, body[:signs], body[signs:end]); n != m.Count {
		return r.problem("a dense message of %d values has other places than that", m.Count)
	}
	r.at += end
	return m.readMultiples(r)
}

// readMultiples reads the multiples of a dense message.
func (m scaled) readMultiples(r *wireReader) error {
	m.Multiples = grow(m.Multiples, m.Count)
	in := bitReader{b: r.b[r.at:]}
	for j := range m.Multiples {
		if m.Multiples[j] = in.gamma(); m.Multiples[j] < 1 || m.Multiples[j] > maxMultiple {
			return r.inBody(&in, "value %d of a message has a multiple above %d", j, maxMultiple)
		}
	}
	return r.endBody(&in)
}
