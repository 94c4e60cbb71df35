package hdf5

import "encoding/binary"

// undefined is the address of a missing object.
const undefined = 1<<64 - 1

// cursor reads the fields of a structure one after the other. The first field that does not fit sets err. It and all
// later fields read as zeros.
type cursor struct {
	b                []byte
	pos              int
	at               uint64 // the address of b
	offsets, lengths int
	err              error
}

// take returns the next n bytes.
func (c *cursor) take(n int) []byte {
	if c.err != nil || n < 0 || n > len(c.b)-c.pos {
		if c.err == nil {
			c.err = errorAt(c.place(), "the structure ends too early: %d bytes are missing", max(0,
				n-(len(c.b)-c.pos)))
		}
		return nil
	}
	c.pos += n
	return c.b[c.pos-n : c.pos]
}

// place is the offset in the file of the next byte.
func (c *cursor) place() int64 { return int64(c.at) + int64(c.pos) }

func (c *cursor) skip(n int) { c.take(n) }

// left is the number of unread bytes.
func (c *cursor) left() int { return len(c.b) - c.pos }

// align skips to a multiple of n from the structure's start.
func (c *cursor) align(n int) {
	if over := c.pos % n; over != 0 {
		c.skip(min(n-over, c.left()))
	}
}

// number reads a little-endian number of n bytes, 1 to 8.
func (c *cursor) number(n int) uint64 {
	var b [8]byte
	copy(b[:], c.take(n))
	return binary.LittleEndian.Uint64(b[:])
}

func (c *cursor) u8() byte    { return byte(c.number(1)) }
func (c *cursor) u16() uint16 { return uint16(c.number(2)) }
func (c *cursor) u32() uint32 { return uint32(c.number(4)) }

// length reads a length.
func (c *cursor) length() uint64 { return c.number(c.lengths) }

// address reads an address.
func (c *cursor) address() uint64 {
	n := c.number(c.offsets)
	if c.offsets < 8 && n == 1<<(8*c.offsets)-1 {
		return undefined
	}
	return n
}

// signature checks the four letters that begin a structure, and its version.
func (c *cursor) signature(want string, versions ...byte) {
	got := string(c.take(4))
	if c.err != nil {
		return
	}
	if got != want {
		c.err = errorAt(int64(c.at), "%q should be here, not %q", want, got)
		return
	}
	version := c.u8()
	for _, v := range versions {
		if v == version {
			return
		}
	}
	if c.err == nil {
		c.err = errorAt(int64(c.at), "%s has version %d, which is unknown", want, version)
	}
}
