package arrow

import "fmt"

// The numbers of Arrow's metadata (Message.fbs, Schema.fbs).
const (
	headerSchema      = 1
	headerRecordBatch = 3

	typeNull        = 1
	typeInt         = 2
	typeFloat       = 3
	typeBinary      = 4
	typeUtf8        = 5
	typeBool        = 6
	typeList        = 12
	typeLargeBinary = 19
	typeLargeUtf8   = 20

	maxDepth = 8 // of lists in lists
)

var typeNames = map[byte]string{7: "decimal", 8: "date", 9: "time", 10: "timestamp", 11: "interval", 13: "struct",
	14: "union", 15: "fixed size binary", 16: "fixed size list", 17: "map", 18: "duration", 21: "large list"}

// Read gives each batch of a stream to each, whose error ends the reading. The batches share the stream's bytes.
func Read(stream []byte, each func(*Batch) error) error {
	r := reader{stream: stream}
	for {
		header, kind, body, err := r.message()
		if err != nil || header.pos == 0 {
			return err
		}
		switch kind {
		case headerSchema:
			err = r.readSchema(header)
		case headerRecordBatch:
			var b *Batch
			if b, err = r.readBatch(header, body); err == nil {
				err = each(b)
			}
		default:
			err = r.fail("a message of kind %d", kind)
		}
		if err != nil {
			return err
		}
	}
}

type reader struct {
	stream []byte
	at     int // the message that is being read
	next   int
	schema Schema
}

func (r *reader) fail(format string, args ...any) error {
	return &FormatError{r.at, fmt.Sprintf(format, args...)}
}

// message reads the next message. At the stream's end the header is no table.
func (r *reader) message() (header table, kind byte, body []byte, err error) {
	r.at = r.next
	rest := r.stream[r.at:]
	if len(rest) == 0 {
		return
	}
	if len(rest) < 8 || le.Uint32(rest) != 0xFFFFFFFF {
		return table{}, 0, nil, r.fail("it does not begin as a message does")
	}
	n := int(le.Uint32(rest[4:]))
	if n == 0 {
		return
	}
	rest = rest[8:]
	if n > len(rest) {
		return table{}, 0, nil, r.fail("its metadata have %d bytes, and %d are left", n, len(rest))
	}
	f := &flatBuffer{b: rest[:n]}
	rest = rest[n:]
	root := f.root()
	kind, header = root.byte(1), root.child(2)
	length := root.long(3)
	if f.bad || header.pos == 0 {
		return table{}, 0, nil, r.fail("its metadata are damaged")
	}
	if length < 0 || length > int64(len(rest)) {
		return table{}, 0, nil, r.fail("its body has %d bytes, and %d are left", length, len(rest))
	}
	r.next = r.at + 8 + n + int(length)
	return header, kind, rest[:length], nil
}

func (r *reader) readSchema(t table) error {
	if t.short(0) != 0 {
		return r.fail("its numbers are big-endian")
	}
	pos, n := t.vector(1, 4)
	schema := make(Schema, n)
	for i := range schema {
		f, err := r.field(table{t.f, t.f.follow(pos + 4*i)}, "", 0)
		if err != nil {
			return err
		}
		schema[i] = f
	}
	if t.f.bad {
		return r.fail("the schema is damaged")
	}
	r.schema = schema
	return nil
}

func (r *reader) field(t table, path string, depth int) (Field, error) {
	f := Field{Name: t.string(0), Nullable: t.byte(1) != 0}
	path += f.Name
	number, params := t.byte(2), t.child(3)
	children, n := t.vector(5, 4)
	if t.f.bad {
		return f, r.fail("the schema is damaged")
	}
	if t.field(4) != 0 {
		return f, r.fail("column %s is a dictionary, which can't be read here", path)
	}
	kind := Kind(0)
	switch number {
	case typeNull:
		kind = Null
	case typeBool:
		kind = Bool
	case typeUtf8, typeLargeUtf8:
		kind = String
	case typeBinary, typeLargeBinary:
		kind = Binary
	case typeInt:
		kind = map[int]Kind{8: Int8, 16: Int16, 32: Int32, 64: Int64}[params.int(0)]
		if params.byte(1) == 0 {
			kind = 0
		}
	case typeFloat:
		kind = map[int]Kind{1: Float32, 2: Float64}[params.short(0)]
	case typeList:
		kind = List
	}
	if kind == 0 {
		name, ok := typeNames[number]
		if !ok {
			name = fmt.Sprintf("Arrow's type %d", number)
		}
		return f, r.fail("column %s is of type %s, which can't be read here: cast it to a number or a string", path, name)
	}
	f.Type = Type{Kind: kind, wide: number == typeLargeBinary || number == typeLargeUtf8}
	if kind == List {
		if n != 1 || depth == maxDepth {
			return f, r.fail("column %s: its lists have %d kinds of elements, %d levels deep", path, n, depth)
		}
		elem, err := r.field(table{t.f, t.f.follow(children)}, path+".", depth+1)
		if err != nil {
			return f, err
		}
		f.Type.Elem = &elem.Type
	}
	return f, nil
}

// batchReader takes a batch's nodes and buffers in the order of its columns.
type batchReader struct {
	*reader
	t              table
	body           []byte
	nodes, buffers int // positions of what comes next
	nodesLeft      int
	buffersLeft    int
}

func (r *reader) readBatch(t table, body []byte) (*Batch, error) {
	if r.schema == nil {
		return nil, r.fail("rows come before the schema")
	}
	if t.field(3) != 0 {
		return nil, r.fail("the rows are compressed: set spark.sql.execution.arrow.compression.codec to none")
	}
	length := t.long(0)
	br := batchReader{reader: r, t: t, body: body}
	br.nodes, br.nodesLeft = t.vector(1, 16)
	br.buffers, br.buffersLeft = t.vector(2, 16)
	if t.f.bad || length < 0 || length > 1<<31-1 {
		return nil, r.fail("the batch's metadata are damaged")
	}
	b := &Batch{Schema: r.schema, Rows: int(length), Columns: make([]Column, len(r.schema))}
	for i, f := range r.schema {
		c, err := br.column(f.Type, f.Name)
		if err != nil {
			return nil, err
		}
		if c.n != b.Rows {
			return nil, r.fail("column %s has %d values in %d rows", f.Name, c.n, b.Rows)
		}
		b.Columns[i] = c
	}
	return b, nil
}

func (r *batchReader) column(t Type, name string) (Column, error) {
	c := Column{Type: t}
	if r.nodesLeft == 0 {
		return c, r.fail("column %s is missing", name)
	}
	length, nulls := r.t.f.i64(r.nodes), r.t.f.i64(r.nodes+8)
	r.nodes, r.nodesLeft = r.nodes+16, r.nodesLeft-1
	if length < 0 || length > 1<<31-1 {
		return c, r.fail("column %s has %d values", name, length)
	}
	c.n = int(length)
	if t.Kind == Null {
		return c, nil
	}
	valid, err := r.buffer(name)
	if err != nil {
		return c, err
	}
	if nulls != 0 {
		if c.valid = valid; len(valid) < (c.n+7)/8 {
			return c, r.fail("column %s: its %d values have %d bytes of validity", name, c.n, len(valid))
		}
	}
	if bits := t.Kind.bits(); bits != 0 {
		if c.data, err = r.buffer(name); err == nil && len(c.data) < (c.n*bits+7)/8 {
			err = r.fail("column %s: its %d values have %d bytes", name, c.n, len(c.data))
		}
		return c, err
	}
	if c.offsets, err = r.buffer(name); err != nil {
		return c, err
	}
	limit := 0
	if t.Kind == List {
		child, err := r.column(*t.Elem, name+".element")
		if err != nil {
			return c, err
		}
		c.child, limit = &child, child.n
	} else {
		if c.data, err = r.buffer(name); err != nil {
			return c, err
		}
		limit = len(c.data)
	}
	return c, r.checkOffsets(&c, name, limit)
}

func (r *batchReader) checkOffsets(c *Column, name string, limit int) error {
	if c.n == 0 {
		return nil
	}
	width := 4
	if c.Type.wide {
		width = 8
	}
	if len(c.offsets) < (c.n+1)*width {
		return r.fail("column %s: its %d values have %d bytes of offsets", name, c.n, len(c.offsets))
	}
	last := uint64(0)
	for i := range c.n + 1 {
		at := uint64(le.Uint32(c.offsets[i*4:]))
		if c.Type.wide {
			at = le.Uint64(c.offsets[i*8:])
		}
		if at < last || at > uint64(limit) {
			return r.fail("column %s: value %d lies outside of the column", name, i)
		}
		last = at
	}
	return nil
}

// buffer gives the next buffer of the batch.
func (r *batchReader) buffer(name string) ([]byte, error) {
	if r.buffersLeft == 0 {
		return nil, r.fail("column %s is missing", name)
	}
	at, n := r.t.f.i64(r.buffers), r.t.f.i64(r.buffers+8)
	r.buffers, r.buffersLeft = r.buffers+16, r.buffersLeft-1
	if at < 0 || n < 0 || n > int64(len(r.body)) || at > int64(len(r.body))-n {
		return nil, r.fail("column %s: its bytes %d+%d lie outside of the batch", name, at, n)
	}
	return r.body[at : at+n : at+n], nil
}
