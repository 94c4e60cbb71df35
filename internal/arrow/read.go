package arrow

import (
	"fmt"
	"slices"
)

// The numbers of Arrow's messages (Message.fbs).
const (
	headerSchema      = 1
	headerDictionary  = 2
	headerRecordBatch = 3
)

// Read calls each with every batch of a stream, and stops at its first error. The batches share the stream's bytes.
func Read(stream []byte, each func(*Batch) error) error {
	r := reader{in: memory(stream), end: int64(len(stream)), strict: true}
	for {
		m, err := r.message()
		if err != nil || m.header.pos == 0 {
			return err
		}
		switch m.kind {
		case headerSchema:
			err = r.readSchema(m.header)
		case headerRecordBatch:
			var b *Batch
			if b, err = r.readBatch(m, nil); err == nil {
				err = each(b)
			}
		default:
			err = r.fail("a message of kind %d", m.kind)
		}
		if err != nil {
			return err
		}
	}
}

// input is the bytes of a stream.
type input interface {
	// part returns n bytes, which must exist. The caller must not change them.
	part(at, n int64) ([]byte, error)
}

// memory is a stream in memory.
type memory []byte

func (m memory) part(at, n int64) ([]byte, error) { return m[at : at+n : at+n], nil }

type reader struct {
	in           input
	end          int64 // of the stream
	at           int64 // the next message
	next         int64
	strict       bool // refuse what Spark Connect does not send
	schema       Schema
	spare        int // number of bytes of the metadata that no field has used
	dictionaries map[int64]*dictionary
	codec        codec
}

func (r *reader) fail(format string, args ...any) error {
	return &FormatError{int(r.at), fmt.Sprintf(format, args...)}
}

// message is a message whose body has not been read yet.
type message struct {
	header   table
	kind     byte
	at, size int64 // of the body
}

// message reads the next message. At the end of the stream the header is the zero table.
func (r *reader) message() (m message, err error) {
	r.at = r.next
	rest := r.end - r.at
	if rest == 0 {
		return m, nil
	}
	var head []byte
	if rest >= 8 {
		if head, err = r.in.part(r.at, 8); err != nil {
			return m, err
		}
	}
	if rest < 8 || le.Uint32(head) != 0xFFFFFFFF {
		return m, r.fail("it does not begin as a message does")
	}
	n := int64(le.Uint32(head[4:]))
	if n == 0 {
		return m, nil
	}
	if rest -= 8; n > rest {
		return m, r.fail("its metadata have %d bytes, and %d are left", n, rest)
	}
	metadata, err := r.in.part(r.at+8, n)
	if err != nil {
		return m, err
	}
	f := &flatBuffer{b: metadata}
	rest -= n
	root := f.root()
	m = message{header: root.child(2), kind: root.byte(1), at: r.at + 8 + n, size: root.long(3)}
	if f.bad || m.header.pos == 0 {
		return m, r.fail("its metadata are damaged")
	}
	if m.size < 0 || m.size > rest {
		return m, r.fail("its body has %d bytes, and %d are left", m.size, rest)
	}
	r.next = m.at + m.size
	return m, nil
}

// batchReader takes a batch's nodes and buffers in the order of its columns.
type batchReader struct {
	*reader
	t              table
	m              message
	nodes, buffers int // positions of the next ones
	nodesLeft      int
	buffersLeft    int
	views          int // numbers of the buffers that views point to
	viewsLeft      int
	unread         bool  // the column is skipped
	spent          int64 // number of buffer bytes that were read
	compressed     bool
	kind           byte  // of the compression
	inflated       int64 // number of decompressed bytes that the batch may have
}

// readBatch reads the wanted columns of a batch, given by index; all if wanted is nil.
func (r *reader) readBatch(m message, wanted []int) (*Batch, error) {
	if r.schema == nil {
		return nil, r.fail("rows come before the schema")
	}
	br, rows, err := r.batch(m, m.header)
	if err != nil {
		return nil, err
	}
	b := &Batch{Schema: r.schema, Rows: rows}
	all := make([]Column, len(r.schema))
	for i, f := range r.schema {
		br.unread = wanted != nil && !slices.Contains(wanted, i)
		c, err := br.column(f.Type, f.Name)
		if err != nil {
			return nil, err
		}
		if c.n != b.Rows {
			return nil, r.fail("column %s has %d values in %d rows", f.Name, c.n, b.Rows)
		}
		all[i] = c
	}
	if wanted == nil {
		b.Columns = all
		return b, nil
	}
	for _, i := range wanted {
		b.Columns = append(b.Columns, all[i])
	}
	return b, nil
}

// batch begins to read a batch, or the values of a dictionary.
func (r *reader) batch(m message, t table) (*batchReader, int, error) {
	br := &batchReader{reader: r, t: t, m: m}
	if c := t.child(3); c.pos != 0 {
		if r.strict {
			return nil, 0, r.fail("the rows are compressed: set spark.sql.execution.arrow.compression.codec to none")
		}
		br.compressed, br.kind, br.inflated = true, c.byte(0), inflated(m.size)
	}
	length := t.long(0)
	br.nodes, br.nodesLeft = t.vector(1, 16)
	br.buffers, br.buffersLeft = t.vector(2, 16)
	br.views, br.viewsLeft = t.vector(4, 8)
	if t.f.bad || length < 0 || length > 1<<31-1 || !r.strict && length > maxRows(m.size) {
		return nil, 0, r.fail("the batch's metadata are damaged")
	}
	return br, int(length), nil
}

// maxRows limits the number of rows of a batch by its size in bytes. Columns of nulls have no bytes.
func maxRows(size int64) int64 { return 1<<20 + 8192*size }

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
	if t.Kind == Other {
		return c, r.pass(t, name)
	}
	valid, err := r.buffer(name)
	if err != nil {
		return c, err
	}
	if nulls != 0 {
		if c.valid = valid; !r.unread && len(valid) < (c.n+7)/8 {
			return c, r.fail("column %s: its %d values have %d bytes of validity", name, c.n, len(valid))
		}
	}
	switch {
	case t.Kind == Dictionary:
		return c, r.indices(&c, name)
	case t.Kind == FixedList:
		return c, r.fixedList(&c, name)
	case t.view:
		return c, r.viewed(&c, name)
	case t.bits() != 0 || t.Kind == FixedBinary:
		c.data, err = r.values(c.n, t.bits(), name)
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
	if r.unread {
		return c, nil
	}
	return c, r.checkOffsets(&c, name, limit)
}

// values reads n values of the given number of bits.
func (r *batchReader) values(n, bits int, name string) ([]byte, error) {
	b, err := r.buffer(name)
	if err == nil && !r.unread && len(b) < (n*bits+7)/8 {
		err = r.fail("column %s: its %d values have %d bytes", name, n, len(b))
	}
	return b, err
}

// pass skips a column.
func (r *batchReader) pass(t Type, name string) error {
	was := r.unread
	r.unread = true
	defer func() { r.unread = was }()
	for range t.buffers {
		if _, err := r.buffer(name); err != nil {
			return err
		}
	}
	for _, child := range t.children {
		if _, err := r.column(child, name); err != nil {
			return err
		}
	}
	return nil
}

// fixedList reads lists of a fixed length.
func (r *batchReader) fixedList(c *Column, name string) error {
	child, err := r.column(*c.Type.Elem, name+".element")
	if err == nil && child.n < c.n*c.Type.size {
		err = r.fail("column %s: its %d lists of %d have %d elements", name, c.n, c.Type.size, child.n)
	}
	c.child = &child
	return err
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

// buffer returns the next buffer of the batch; nil if the column is skipped.
func (r *batchReader) buffer(name string) ([]byte, error) {
	if r.buffersLeft == 0 {
		return nil, r.fail("column %s is missing", name)
	}
	at, n := r.t.f.i64(r.buffers), r.t.f.i64(r.buffers+8)
	r.buffers, r.buffersLeft = r.buffers+16, r.buffersLeft-1
	if at < 0 || n < 0 || n > r.m.size || at > r.m.size-n {
		return nil, r.fail("column %s: its bytes %d+%d lie outside of the batch", name, at, n)
	}
	if r.unread {
		return nil, nil
	}
	if r.spent += n; !r.strict && r.spent > r.m.size {
		return nil, r.fail("column %s: its bytes %d+%d are those of another one", name, at, n)
	}
	b, err := r.in.part(r.m.at+at, n)
	if err == nil && r.compressed && n > 0 {
		return r.decompress(b, name)
	}
	return b, err
}
