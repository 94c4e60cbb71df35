package hdf5

import (
	"encoding/binary"
	"math"
)

// maxRank is HDF5's own limit.
const maxRank = 32

// readSpace reads a dataspace message: the extents; none for a single value.
func readSpace(c *cursor) (shape []uint64, null bool, err error) {
	version, rank, flags := c.u8(), int(c.u8()), c.u8()
	switch version {
	case 1:
		c.skip(5)
	case 2:
		null = c.u8() == 2
	default:
		return nil, false, errorAt(int64(c.at), "a dataspace of version %d: 1 and 2 are known", version)
	}
	if rank > maxRank {
		return nil, false, errorAt(int64(c.at), "a dataspace of %d dimensions: there may be %d", rank, maxRank)
	}
	for range rank {
		shape = append(shape, c.length())
	}
	_ = flags // the maximum extents follow and are ignored
	return shape, null, c.err
}

// elements returns the number of elements of a shape; ok is false if it overflows.
func elements(shape []uint64) (n uint64, ok bool) {
	n, empty := 1, false
	for _, d := range shape {
		if d == 0 {
			empty = true
			continue
		}
		if n > 1<<62/d {
			return 0, false
		}
		n *= d
	}
	if empty {
		return 0, true
	}
	return n, true
}

// The kinds of elements.
const (
	integers = iota
	floats
	fixedText // of Size bytes
	text      // in the global heap
)

// datatype is the type of an element.
type datatype struct {
	kind   int
	size   int
	big    bool // big-endian
	signed bool
	pad    byte // of fixedText: 0 ends at a zero, 1 is padded with zeros, 2 with spaces
	// brain marks a bfloat16: eight bits of exponent in two bytes.
	brain bool
}

// readType reads a datatype message.
func readType(c *cursor) (datatype, error) {
	at := int64(c.at) + int64(c.pos)
	first := c.u8()
	flags := c.number(3)
	t := datatype{size: int(c.u32())}
	if c.err != nil {
		return t, c.err
	}
	t.big = flags&1 != 0
	switch class := first & 15; class {
	case 0, 8:
		if class == 8 { // an enumeration, which h5py uses for booleans: its base type follows
			return readType(c)
		}
		t.kind, t.signed = integers, flags&8 != 0
		if t.size != 1 && t.size != 2 && t.size != 4 && t.size != 8 {
			return t, errorAt(at, "integers of %d bytes: 1, 2, 4 and 8 are known", t.size)
		}
		return t, t.whole(c, at)
	case 1:
		t.kind = floats
		if flags&64 != 0 || t.size != 2 && t.size != 4 && t.size != 8 {
			return t, errorAt(at, "floating point numbers of %d bytes, or of a VAX: IEEE's of 2, 4 and 8 are known", t.size)
		}
		return t, t.ieee(c, at)
	case 3:
		t.kind, t.pad = fixedText, byte(flags&15)
		if t.size < 1 || t.size > 1<<20 {
			return t, errorAt(at, "texts of %d bytes", t.size)
		}
		return t, nil
	case 9:
		if flags&15 != 1 {
			return t, errorAt(at, "lists of any length are not read, texts are")
		}
		t.kind = text
		if t.size != 8+c.offsets {
			return t, errorAt(at, "references to texts have %d bytes, not %d", t.size, 8+c.offsets)
		}
		return t, nil
	default:
		names := map[byte]string{2: "times", 4: "bit fields", 5: "opaque values", 6: "compounds",
			7: "references", 10: "arrays"}
		return t, errorAt(at, "elements of class %d (%s) are not read: numbers and texts are", class, names[class])
	}
}

// whole checks that an integer uses all bits of its bytes.
func (t datatype) whole(c *cursor, at int64) error {
	offset, precision := int(c.u16()), int(c.u16())
	if c.err == nil && (offset != 0 || precision != 8*t.size) {
		return errorAt(at, "integers of %d bits in %d bytes", precision, t.size)
	}
	return c.err
}

// ieee checks that a floating-point number is IEEE's, or a bfloat16.
func (t *datatype) ieee(c *cursor, at int64) error {
	offset, precision := int(c.u16()), int(c.u16())
	exponentAt, exponent, mantissaAt, mantissa := int(c.u8()), int(c.u8()), int(c.u8()), int(c.u8())
	bias := int(c.u32())
	if c.err != nil {
		return c.err
	}
	got := [4]int{exponentAt, exponent, mantissa, bias}
	want := map[int][4]int{2: {10, 5, 10, 15}, 4: {23, 8, 23, 127}, 8: {52, 11, 52, 1023}}[t.size]
	t.brain = t.size == 2 && got == [4]int{7, 8, 7, 127}
	if offset != 0 || precision != 8*t.size || mantissaAt != 0 || got != want && !t.brain {
		return errorAt(at, "floating point numbers of %d bytes that are not IEEE's", t.size)
	}
	return nil
}

// order returns the byte order.
func (t datatype) order() binary.ByteOrder {
	if t.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// bits returns an element as a number of its size.
func (t datatype) bits(b []byte) uint64 {
	switch o := t.order(); t.size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(o.Uint16(b))
	case 4:
		return uint64(o.Uint32(b))
	default:
		return o.Uint64(b)
	}
}

// float returns an element as a number.
func (t datatype) float(b []byte) float64 {
	x := t.bits(b)
	switch {
	case t.kind == floats && t.brain:
		return float64(math.Float32frombits(uint32(x) << 16))
	case t.kind == floats && t.size == 2:
		return float64(half(uint16(x)))
	case t.kind == floats && t.size == 4:
		return float64(math.Float32frombits(uint32(x)))
	case t.kind == floats:
		return math.Float64frombits(x)
	case t.signed:
		shift := 64 - 8*t.size
		return float64(int64(x<<shift) >> shift)
	}
	return float64(x)
}

// half converts a float16.
func half(x uint16) float32 {
	sign, exponent, mantissa := uint32(x>>15)<<31, int(x>>10&31), uint32(x&1023)
	switch {
	case exponent == 31:
		return math.Float32frombits(sign | 0xff<<23 | mantissa<<13)
	case exponent == 0:
		v := float32(math.Ldexp(float64(mantissa), -24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	}
	return math.Float32frombits(sign | uint32(exponent+112)<<23 | mantissa<<13)
}
