package parquet

import "encoding/binary"

// The types of Thrift's compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13

	maxThriftDepth = 32
)

// compact reads Thrift's compact protocol. It never reads beyond its bytes: after an error, bad is set, and everything
// read is zero. A list allocates memory as its elements arrive.
type compact struct {
	b     []byte
	at    int
	depth int
	bad   bool
}

func (c *compact) byte() byte {
	if c.bad || c.at >= len(c.b) {
		c.bad = true
		return 0
	}
	c.at++
	return c.b[c.at-1]
}

func (c *compact) uvarint() uint64 {
	if c.bad {
		return 0
	}
	v, n := binary.Uvarint(c.b[c.at:])
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.at += n
	return v
}

func (c *compact) int() int64 {
	v := c.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// bytes shares the reader's bytes.
func (c *compact) bytes() []byte {
	n := c.uvarint()
	if c.bad || n > uint64(len(c.b)-c.at) {
		c.bad = true
		return nil
	}
	c.at += int(n)
	return c.b[c.at-int(n) : c.at : c.at]
}

// fields reads a struct. each reads a field of its type, or returns false to skip the field.
func (c *compact) fields(each func(id int16, kind byte) bool) {
	if c.depth++; c.depth > maxThriftDepth {
		c.bad = true
	}
	for id := int16(0); !c.bad; {
		head := c.byte()
		if head == 0 {
			break
		}
		if delta := head >> 4; delta != 0 {
			id += int16(delta)
		} else {
			id = int16(c.int())
		}
		if !c.bad && !each(id, head&15) {
			c.skip(head & 15)
		}
	}
	c.depth--
}

// list reads a list, whose elements each reads. Each element has a byte at least.
func (c *compact) list(kind byte, each func()) {
	head := c.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = c.uvarint()
	}
	if c.bad || n > uint64(len(c.b)-c.at) {
		c.bad = true
		return
	}
	for ; n > 0 && !c.bad; n-- {
		if head&15 == kind {
			each()
		} else {
			c.skipElement(head & 15)
		}
	}
}

func (c *compact) skipElement(kind byte) {
	if kind == thriftTrue || kind == thriftFalse {
		c.byte()
		return
	}
	c.skip(kind)
}

func (c *compact) skip(kind byte) {
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		c.byte()
	case thriftI16, thriftI32, thriftI64:
		c.uvarint()
	case thriftDouble:
		c.pass(8)
	case thriftUUID:
		c.pass(16)
	case thriftBinary:
		c.bytes()
	case thriftList, thriftSet:
		if c.depth++; c.depth > maxThriftDepth {
			c.bad = true
			return
		}
		c.list(0, func() {})
		c.depth--
	case thriftMap:
		c.skipMap()
	case thriftStruct:
		c.fields(func(int16, byte) bool { return false })
	default:
		c.bad = true
	}
}

func (c *compact) pass(n int) {
	if n > len(c.b)-c.at {
		c.bad = true
		return
	}
	c.at += n
}

func (c *compact) skipMap() {
	n := c.uvarint()
	if n == 0 || c.bad {
		return
	}
	kinds := c.byte()
	if c.depth++; c.depth > maxThriftDepth || n > uint64(len(c.b)-c.at) {
		c.bad = true
		return
	}
	for ; n > 0 && !c.bad; n-- {
		c.skipElement(kinds >> 4)
		c.skipElement(kinds & 15)
	}
	c.depth--
}
