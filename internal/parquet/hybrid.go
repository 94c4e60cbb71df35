package parquet

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

var (
	le = binary.LittleEndian
	be = binary.BigEndian

	errShort = errors.New("a page ends too early")
	errLevel = errors.New("a page has a level beyond that of its column")
	errIndex = errors.New("a page has an index beyond its dictionary")
	errDelta = errors.New("a page has damaged deltas")
)

// hybrid reads runs of equal numbers and packed numbers (RLE). It takes no memory: a run of any length is a few bytes.
type hybrid struct {
	b      []byte
	width  int // of a number, in bits
	run    int // what is left of a run of value
	value  uint32
	packed []byte // what is left of a packed run
	left   int    // numbers in packed
	skip   int    // bits of packed[0] that are read
}

func newHybrid(b []byte, width int) hybrid { return hybrid{b: b, width: width} }

// begin reads the head of the next run.
func (h *hybrid) begin() error {
	head, n := binary.Uvarint(h.b)
	if n <= 0 || head > 1<<32 {
		return errShort
	}
	h.b = h.b[n:]
	if head&1 == 0 {
		size := (h.width + 7) / 8
		if len(h.b) < size || head == 0 {
			return errShort
		}
		h.run, h.value = int(head>>1), 0
		for i := range size {
			h.value |= uint32(h.b[i]) << (8 * i)
		}
		h.b = h.b[size:]
		return nil
	}
	groups := int(head >> 1)
	if groups == 0 {
		return errShort
	}
	size := min(groups*h.width, len(h.b)) // some writers omit the last bytes
	h.packed, h.b, h.skip = h.b[:size], h.b[size:], 0
	if h.left = groups * 8; h.width > 0 {
		h.left = min(h.left, size*8/h.width)
	}
	if h.left == 0 {
		return errShort
	}
	return nil
}

// same reports whether the next n numbers are equal and in one run. Then it reads them and returns their value.
func (h *hybrid) same(n int) (value uint32, ok bool) {
	if h.run == 0 && h.left == 0 && h.begin() != nil || h.run < n {
		return 0, false
	}
	h.run -= n
	return h.value, true
}

// read fills to with the next numbers.
func (h *hybrid) read(to []uint32) error { return readHybrid(h, to) }

// readHybrid fills to with the next numbers of h.
func readHybrid[T uint32 | int32](h *hybrid, to []T) error {
	for len(to) > 0 {
		if h.run == 0 && h.left == 0 {
			if err := h.begin(); err != nil {
				return err
			}
		}
		if h.run > 0 {
			n := min(h.run, len(to))
			for i := range to[:n] {
				to[i] = T(h.value)
			}
			h.run -= n
			to = to[n:]
			continue
		}
		n := min(h.left, len(to))
		h.packed, h.skip = unpack(to[:n], h.packed, h.skip, h.width)
		h.left -= n
		to = to[n:]
	}
	return nil
}

// bits returns the next numbers of width 1, up to n of them, in the bits of a word from the lowest. Those of a run may
// have another value, which more has then.
func (h *hybrid) bits(n int) (word uint64, count int, more bool, err error) {
	if h.run == 0 && h.left == 0 {
		if err := h.begin(); err != nil {
			return 0, 0, false, err
		}
	}
	if h.run > 0 {
		count = min(n, h.run, 64)
		h.run -= count
		return -uint64(h.value & 1), count, h.value > 1, nil
	}
	var eight [8]byte
	copy(eight[:], h.packed)
	word, count = le.Uint64(eight[:])>>h.skip, min(n, h.left, 64-h.skip)
	at := h.skip + count
	h.packed, h.skip = h.packed[min(at>>3, len(h.packed)):], at&7
	h.left -= count
	return word, count, false, nil
}

// unpack reads numbers of width bits from b, after its first skip bits. It returns the rest.
func unpack[T uint32 | int32 | uint64](to []T, b []byte, skip, width int) ([]byte, int) {
	at, mask := skip, uint64(1)<<width-1
	if width == 64 {
		mask = 1<<64 - 1
	}
	i := 0
	switch w := uint(width) & 63; { // several numbers for each word that is read
	case width <= 7:
		for ; i+8 <= len(to) && at>>3+8 <= len(b); i += 8 {
			v, o := le.Uint64(b[at>>3:])>>(at&7), (*[8]T)(to[i:])
			o[0], o[1], o[2], o[3] = T(v&mask), T(v>>w&mask), T(v>>(2*w&63)&mask), T(v>>(3*w&63)&mask)
			v >>= 4 * w & 63
			o[4], o[5], o[6], o[7] = T(v&mask), T(v>>w&mask), T(v>>(2*w&63)&mask), T(v>>(3*w&63)&mask)
			at += 8 * width
		}
	case width <= 14:
		for ; i+4 <= len(to) && at>>3+8 <= len(b); i += 4 {
			v, o := le.Uint64(b[at>>3:])>>(at&7), (*[4]T)(to[i:])
			o[0], o[1], o[2], o[3] = T(v&mask), T(v>>w&mask), T(v>>(2*w&63)&mask), T(v>>(3*w&63)&mask)
			at += 4 * width
		}
	}
	if width <= 56 {
		for ; i < len(to) && at>>3+8 <= len(b); i++ {
			to[i] = T(le.Uint64(b[at>>3:]) >> (at & 7) & mask)
			at += width
		}
	}
	for ; i < len(to); i++ {
		var part [9]byte
		copy(part[:], b[min(at>>3, len(b)):])
		v := le.Uint64(part[:]) >> (at & 7)
		if at&7 > 0 {
			v |= uint64(part[8]) << (64 - at&7)
		}
		to[i] = T(v & mask)
		at += width
	}
	return b[min(at>>3, len(b)):], at & 7
}

// widthOf is the number of bits of levels up to max.
func widthOf(max int) int { return bits.Len(uint(max)) }
