package parquet

import "slices"

// The physical types.
const (
	physicalBoolean = iota
	physicalInt32
	physicalInt64
	physicalInt96
	physicalFloat
	physicalDouble
	physicalBytes
	physicalFixed
)

var physicalNames = []string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY",
	"FIXED_LEN_BYTE_ARRAY"}

// The logical types, by their fields in LogicalType.
const (
	logicalString    = 1
	logicalMap       = 2
	logicalList      = 3
	logicalEnum      = 4
	logicalDecimal   = 5
	logicalDate      = 6
	logicalTime      = 7
	logicalTimestamp = 8
	logicalInteger   = 10
	logicalNull      = 11
	logicalJSON      = 12
	logicalBSON      = 13
	logicalUUID      = 14
	logicalFloat16   = 15

	logicalInterval = 100 // which is a converted type alone
)

// The units of times, by their fields in TimeUnit.
const (
	unitMillis = 1
	unitMicros = 2
	unitNanos  = 3
)

// How often a field occurs in its parent.
const (
	fieldRequired = 0
	fieldOptional = 1
	fieldRepeated = 2
)

// metadata is the footer of a file.
type metadata struct {
	schema []element
	rows   int64
	groups []rowGroup
	// ordered says for each leaf whether its statistics have the order of its type.
	ordered []bool
}

// element is a node of the schema, which lists them in depth-first order.
type element struct {
	name       string
	physical   int // -1 of a group
	length     int // of a FIXED_LEN_BYTE_ARRAY
	repetition int
	children   int
	logical    logical
}

// logical is what the values of a physical type mean. Its kind is 0 if they mean nothing more.
type logical struct {
	kind     int
	unit     int
	scale    int
	bits     int
	unsigned bool
}

type rowGroup struct {
	chunks []chunkMeta
	rows   int64
}

// chunkMeta is a column of a row group.
type chunkMeta struct {
	elsewhere, encrypted bool
	physical, codec      int
	values               int64
	size                 int64 // of its pages in the file
	data, dictionary     int64 // where they begin
	statistics           []byte
}

// readMetadata reads a footer. It gives false where it is damaged.
func readMetadata(b []byte) (m metadata, ok bool) {
	c := &compact{b: b}
	c.fields(func(id int16, kind byte) bool {
		switch {
		case id == 2 && kind == thriftList:
			c.list(thriftStruct, func() { m.schema = append(m.schema, c.element()) })
		case id == 3 && kind == thriftI64:
			m.rows = c.int()
		case id == 4 && kind == thriftList:
			c.list(thriftStruct, func() { m.groups = append(m.groups, c.rowGroup()) })
		case id == 7 && kind == thriftList:
			c.list(thriftStruct, func() { m.ordered = append(m.ordered, c.typeOrder()) })
		default:
			return false
		}
		return true
	})
	return m, !c.bad
}

func (c *compact) element() element {
	e := element{physical: -1}
	converted, scale := -1, 0
	c.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1 && kind == thriftI32:
			e.physical = int(c.int())
		case id == 2 && kind == thriftI32:
			e.length = int(c.int())
		case id == 3 && kind == thriftI32:
			e.repetition = int(c.int())
		case id == 4 && kind == thriftBinary:
			e.name = string(c.bytes())
		case id == 5 && kind == thriftI32:
			e.children = int(c.int())
		case id == 6 && kind == thriftI32:
			converted = int(c.int())
		case id == 7 && kind == thriftI32:
			scale = int(c.int())
		case id == 10 && kind == thriftStruct:
			e.logical = c.logical()
		default:
			return false
		}
		return true
	})
	c.bad = c.bad || e.name == "" && e.children == 0
	if e.logical.kind == 0 {
		e.logical = convertedType(converted, scale)
	}
	return e
}

// convertedType is the logical type of a file that has only the older form.
func convertedType(converted, scale int) logical {
	integer := func(bits int, unsigned bool) logical {
		return logical{kind: logicalInteger, bits: bits, unsigned: unsigned}
	}
	switch converted {
	case 0:
		return logical{kind: logicalString}
	case 1, 2:
		return logical{kind: logicalMap}
	case 3:
		return logical{kind: logicalList}
	case 4:
		return logical{kind: logicalEnum}
	case 5:
		return logical{kind: logicalDecimal, scale: scale}
	case 6:
		return logical{kind: logicalDate}
	case 7, 8:
		return logical{kind: logicalTime, unit: converted - 6}
	case 9, 10:
		return logical{kind: logicalTimestamp, unit: converted - 8}
	case 11, 12, 13, 14:
		return integer(8<<(converted-11), true)
	case 15, 16, 17, 18:
		return integer(8<<(converted-15), false)
	case 19:
		return logical{kind: logicalJSON}
	case 20:
		return logical{kind: logicalBSON}
	case 21:
		return logical{kind: logicalInterval}
	}
	return logical{}
}

// logical reads the union of that name.
func (c *compact) logical() (l logical) {
	c.fields(func(id int16, kind byte) bool {
		if kind != thriftStruct {
			return false
		}
		l = logical{kind: int(id)}
		c.fields(func(id int16, kind byte) bool { return c.logicalField(&l, id, kind) })
		return true
	})
	return l
}

func (c *compact) logicalField(l *logical, id int16, kind byte) bool {
	switch {
	case l.kind == logicalDecimal && id == 1 && kind == thriftI32:
		l.scale = int(c.int())
	case (l.kind == logicalTime || l.kind == logicalTimestamp) && id == 2 && kind == thriftStruct:
		c.fields(func(id int16, _ byte) bool {
			l.unit = int(id)
			return false
		})
	case l.kind == logicalInteger && id == 1 && kind == thriftByte:
		l.bits = int(c.byte())
	case l.kind == logicalInteger && id == 2:
		l.unsigned = kind == thriftFalse
	default:
		return false
	}
	return true
}

func (c *compact) rowGroup() (g rowGroup) {
	c.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1 && kind == thriftList:
			c.list(thriftStruct, func() { g.chunks = append(g.chunks, c.chunk()) })
			g.chunks = slices.Clip(g.chunks)
		case id == 3 && kind == thriftI64:
			g.rows = c.int()
		default:
			return false
		}
		return true
	})
	return g
}

func (c *compact) chunk() (m chunkMeta) {
	described := false
	c.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1 && kind == thriftBinary:
			m.elsewhere = len(c.bytes()) > 0
		case id == 3 && kind == thriftStruct:
			described = true
			c.fields(func(id int16, kind byte) bool { return c.chunkField(&m, id, kind) })
		case id == 8, id == 9:
			m.encrypted = true
			return false
		default:
			return false
		}
		return true
	})
	c.bad = c.bad || !described && !m.elsewhere && !m.encrypted
	return m
}

func (c *compact) chunkField(m *chunkMeta, id int16, kind byte) bool {
	switch {
	case id == 1 && kind == thriftI32:
		m.physical = int(c.int())
	case id == 4 && kind == thriftI32:
		m.codec = int(c.int())
	case id == 5 && kind == thriftI64:
		m.values = c.int()
	case id == 7 && kind == thriftI64:
		m.size = c.int()
	case id == 9 && kind == thriftI64:
		m.data = c.int()
	case id == 11 && kind == thriftI64:
		m.dictionary = c.int()
	case id == 12 && kind == thriftStruct:
		from := c.at
		c.skip(kind)
		m.statistics = c.b[from:c.at:c.at]
	default:
		return false
	}
	return true
}

// The types of pages.
const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3
)

// pageHeader stands before the bytes of a page.
type pageHeader struct {
	kind                     int
	uncompressed, compressed int
	crc                      uint32
	hasCRC                   bool
	values, encoding         int
	nulls, defEncoding       int
	repEncoding              int
	defBytes, repBytes       int  // of pageDataV2
	plain                    bool // a page of version 2 is not compressed
}

// readPageHeader gives the header that b begins with and its length; 0 if it is damaged, or not all there.
func readPageHeader(b []byte) (h pageHeader, length int) {
	c := &compact{b: b}
	c.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1 && kind == thriftI32:
			h.kind = int(c.int())
		case id == 2 && kind == thriftI32:
			h.uncompressed = int(c.int())
		case id == 3 && kind == thriftI32:
			h.compressed = int(c.int())
		case id == 4 && kind == thriftI32:
			h.crc, h.hasCRC = uint32(c.int()), true
		case kind == thriftStruct && id == 8:
			c.fields(func(id int16, kind byte) bool { return c.v2Field(&h, id, kind) })
		case kind == thriftStruct && (id == 5 || id == 7):
			c.fields(func(id int16, kind byte) bool { return c.pageField(&h, id, kind) })
		default:
			return false
		}
		return true
	})
	if c.bad {
		return h, 0
	}
	return h, c.at
}

// pageField reads a field of the header of a data page or a dictionary.
func (c *compact) pageField(h *pageHeader, id int16, kind byte) bool {
	if kind != thriftI32 || id > 4 {
		return false
	}
	*[]*int{&h.values, &h.encoding, &h.defEncoding, &h.repEncoding}[max(id, 1)-1] = int(c.int())
	return true
}

func (c *compact) v2Field(h *pageHeader, id int16, kind byte) bool {
	if id == 7 {
		h.plain = kind == thriftFalse
		return true
	}
	if kind != thriftI32 || id > 6 {
		return false
	}
	rows := 0
	*[]*int{&h.values, &h.nulls, &rows, &h.encoding, &h.defBytes, &h.repBytes}[max(id, 1)-1] = int(c.int())
	return true
}
