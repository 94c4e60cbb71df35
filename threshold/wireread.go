package threshold

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/dl4go/dl4go/dl4j"
	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
)

// ReadWire sets the message to the one in b, for a network of length parameters. b must be the whole message. It may
// come from anywhere: errors are *dl4j.FormatErrors with the byte offset, and leave the message empty. ReadWire
// allocates no more than the larger of length/4 bytes, the size of a bitmap, and 22 times the size of b.
func (m *Message) ReadWire(b []byte, length int) error {
	m.Reset(length)
	if length < 0 || length > MaxLength {
		return invalid("a message for %d parameters: must be from 0 to %d", length, MaxLength)
	}
	if err := m.readWire(b, length); err != nil {
		m.Reset(length)
		return err
	}
	return nil
}

func (m *Message) readWire(b []byte, length int) error {
	r := wireReader{b: b}
	if len(b) < 2+checksumSize {
		return r.problem("a message of %d bytes is too short", len(b))
	}
	if b[0]>>4 != wireVersion {
		return r.problem("a message of version %d: this program knows version %d", b[0]>>4, wireVersion)
	}
	body := len(b) - checksumSize
	if want, got := binary.LittleEndian.Uint32(b[body:]), crc32.Checksum(b[:body], castagnoli); want != got {
		r.at = body
		return r.problem("the checksum is %08x, but that of the message is %08x", want, got)
	}
	m.Form = Form(b[0] >> 2 & 3)
	coding := int(b[0] & 3)
	if m.Form == Empty && coding != 0 || m.Form == Sparse && coding != codeSigns {
		return r.problem("there are no messages of %v in coding %d", m.Form, coding)
	}
	r.b, r.at = b[:body], 1
	if n, ok := r.uvarint(); !ok || n != uint64(length) {
		r.at = 1
		return r.problem("a message of %d parameters for a network of %d", n, length)
	}
	switch m.Form {
	case Empty:
	case Scaled:
		if err := (scaled{m}).read(&r, coding); err != nil {
			return err
		}
	default:
		if err := m.readValues(&r, coding); err != nil {
			return err
		}
	}
	if r.at != body {
		return r.problem("a message goes on for %d bytes after its end", body-r.at)
	}
	return nil
}

func (m *Message) readValues(r *wireReader, coding int) error {
	if len(r.b)-r.at < 4 {
		return r.problem("a message ends in its threshold")
	}
	m.Threshold = math.Float32frombits(binary.LittleEndian.Uint32(r.b[r.at:]))
	if !usable(m.Threshold) {
		return r.problem("a threshold of %g: must be a number above 0", m.Threshold)
	}
	r.at += 4
	at := r.at
	count, ok := r.uvarint()
	if !ok || count > uint64(m.Length) {
		r.at = at
		return r.problem("a message of %d values for %d parameters", count, m.Length)
	}
	m.Count = int(count)
	if coding == codeDense {
		return bitmap{m}.readDense(r)
	}
	if size := 8 * (len(r.b) - r.at); 2*m.Count > size {
		return r.problem("a message of %d values in %d bits", m.Count, size)
	}
	if m.Form == Sparse {
		return m.readEntries(r)
	}
	return m.readBitmap(r, coding)
}

func (m *Message) readEntries(r *wireReader) error {
	m.Entries = grow(m.Entries, m.Count)
	in := bitReader{b: r.b[r.at:]}
	g := newGaps(m.Length, m.Count)
	at, end := uint64(0), uint64(m.Length)
	for j := 0; ; j++ {
		n := 0
		n, at = in.regular(&g, m.Entries[j:], m.Multiples[min(j, len(m.Multiples)):], at, end)
		j += n
		if j == m.Count {
			return r.endBody(&in)
		}
		in.fill()
		at += in.gap(&g) + 1
		if at > end {
			return r.inBody(&in, "value %d of a message is for parameter %d of %d", j, at-1, m.Length)
		}
		sign := -int32(in.take(1))
		m.Entries[j] = (int32(at) ^ sign) - sign
		if len(m.Multiples) > 0 {
			if m.Multiples[j] = in.gamma(); m.Multiples[j] < 1 || m.Multiples[j] > maxMultiple {
				return r.inBody(&in, "value %d of a message has a multiple above %d", j, maxMultiple)
			}
		}
	}
}

func (m *Message) readBitmap(r *wireReader, coding int) error {
	symbols := symbols[coding]
	m.Words = grow(m.Words, kernels.WordsOf(m.Length))
	clear(m.Words)
	in := bitReader{b: r.b[r.at:]}
	g := newGaps(m.Length, m.Count)
	at, end := uint64(0), uint64(m.Length)
	for j := range m.Count {
		in.fill()
		at += in.gap(&g) + 1
		if at > end {
			return r.inBody(&in, "value %d of a message is for parameter %d of %d", j, at-1, m.Length)
		}
		s := symbols[in.acc&3]
		in.take(uint(s.n))
		m.Words[(at-1)/16] |= s.word << ((at - 1) % 16)
	}
	return r.endBody(&in)
}

// wireReader reads a message without its checksum.
type wireReader struct {
	b  []byte
	at int
}

func (r *wireReader) uvarint() (uint64, bool) {
	x, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 || n > 1 && r.b[r.at+n-1] == 0 {
		return 0, false
	}
	r.at += n
	return x, true
}

// endBody checks that the body did not end early and that zeros fill its last byte.
func (r *wireReader) endBody(in *bitReader) error {
	if in.over() || in.rest() != 0 {
		return r.inBody(in, "the bits after a message's last value are not 0")
	}
	r.at += in.bytes()
	return nil
}

func (r *wireReader) inBody(in *bitReader, format string, args ...any) error {
	if in.over() {
		r.at = len(r.b)
		return r.problem("a message ends among its values")
	}
	r.at += in.bytes()
	return r.problem(format, args...)
}

func (r *wireReader) problem(format string, args ...any) error {
	return &dl4j.FormatError{Offset: int64(r.at), Err: fmt.Errorf(format, args...)}
}
