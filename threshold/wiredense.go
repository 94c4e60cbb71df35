package threshold

import (
	"slices"

	"github.com/dl4go/dl4go/internal/kernel"
	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
)

// best has the kernels for code without a Coder. Every variant gives the same bits.
var best = kernels.For(kernel.Best())

// bitmap is a bitmap message.
type bitmap struct{ *Message }

// full reports whether no coding of a dense bitmap is shorter than its words, and no coding of a sum than a bit for
// each parameter.
func full(m *Message) bool { return 5*m.Count >= 2*m.Length }

// bytesOf returns the size of n bits in bytes.
func bytesOf(n int) int { return (n + 7) / 8 }

// appendDense appends the body of a dense bitmap. It makes room for the checksum and for all values to go down.
func (m bitmap) appendDense(dst []byte) []byte {
	if full(m.Message) {
		return kernels.AppendWords(slices.Grow(dst, 4*len(m.Words)+checksumSize), m.Words)
	}
	signs := len(dst) + 2*len(m.Words)
	wholes := signs + bytesOf(m.Count)
	end := wholes + bytesOf(m.Count)
	b := slices.Grow(dst, end-len(dst)+checksumSize)[:end]
	_, downs := best.PackBitmap(b[len(dst):signs], b[signs:wholes], b[wholes:], m.Words)
	return b[:wholes+bytesOf(downs)]
}

// readDense reads the body of a dense bitmap.
func (m bitmap) readDense(r *wireReader) error {
	n := kernels.WordsOf(m.Length)
	if full(m.Message) {
		return m.readWords(r, n)
	}
	body := r.b[r.at:]
	signs := 2 * n
	wholes := signs + bytesOf(m.Count)
	if wholes > len(body) {
		return r.problem("a bitmap of %d parameters and %d values in %d bytes", m.Length, m.Count, len(body))
	}
	m.Words = grow(m.Words, n)
	values, downs := best.UnpackBitmap(m.Words, body[:signs], body[signs:wholes], body[wholes:])
	if err := m.validateValues(values); err != nil {
		return r.problem("%w", err)
	}
	end := wholes + bytesOf(downs)
	if end > len(body) {
		r.at = len(r.b)
		return r.problem("a message ends among its values")
	}
	if !filled(body[signs:wholes], m.Count) || !filled(body[wholes:end], downs) {
		r.at += end
		return r.problem("the bits after a message's last value are not 0")
	}
	r.at += end
	return nil
}

// filled reports whether zeros follow the n bits up to the end of the last byte.
func filled(b []byte, n int) bool { return n%8 == 0 || b[n/8]>>(n%8) == 0 }

// readWords reads the body of a full bitmap.
func (m bitmap) readWords(r *wireReader, n int) error {
	if len(r.b)-r.at != 4*n {
		return r.problem("a bitmap of %d parameters in %d bytes: must be %d", m.Length, len(r.b)-r.at, 4*n)
	}
	m.Words = grow(m.Words, n)
	kernels.ReadWords(m.Words, r.b[r.at:])
	r.at = len(r.b)
	if err := m.validateValues(best.CountBitmap(m.Words)); err != nil {
		return r.problem("%w", err)
	}
	return nil
}
