package parquet

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/klauspost/compress/snappy"

	"github.com/dl4go/dl4go/pipeline"
)

// Writer writes a file with checksums and statistics. Each column has a page for every few thousand rows, compressed
// with Snappy. Texts and numbers that repeat are in a dictionary. Columns may be null. Times are timestamps in
// milliseconds in UTC. Arrays are lists of doubles, without their shape. A Writer is for one goroutine.
type Writer struct {
	// GroupRows is the largest number of rows in a row group. NewWriter sets it.
	GroupRows int

	to      io.Writer
	schema  *pipeline.Schema
	columns []columnWriter
	at      int64 // bytes written
	rows    int   // of the group
	total   int64
	groups  []writtenGroup
	numbers numberTable
}

// columnWriter has the values of a column that are not written.
type columnWriter struct {
	pipeline.Column
	physical   int
	values     []byte
	bools      []bool
	defs, reps []byte
}

type writtenGroup struct {
	chunks []writtenChunk
	rows   int
	bytes  int64
}

type writtenChunk struct {
	at, data    int64 // of the first page, which may have a dictionary, and of the page of data
	plain, size int
	values      int
	nulls       int
	low, high   []byte // nil where they are not told
}

// Limits of a row group: its rows, and its bytes.
const (
	groupRows  = 64 << 10
	groupBytes = 64 << 20
)

// NewWriter begins a file. The schema is one of rows.
func NewWriter(to io.Writer, schema *pipeline.Schema) (*Writer, error) {
	if schema.Sequence {
		return nil, fmt.Errorf("the pipeline gives sequences, and a row of Parquet is one row: write a .jsonl file")
	}
	if len(schema.Columns) == 0 {
		return nil, fmt.Errorf("there are no columns to write")
	}
	w := &Writer{GroupRows: groupRows, to: to, schema: schema}
	for _, c := range schema.Columns {
		w.columns = append(w.columns, columnWriter{Column: c, physical: physicalOf(c.Type())})
	}
	return w, w.write([]byte(magic))
}

func physicalOf(t pipeline.ColumnType) int {
	switch t {
	case pipeline.BooleanType:
		return physicalBoolean
	case pipeline.IntegerType:
		return physicalInt32
	case pipeline.LongType, pipeline.TimeType:
		return physicalInt64
	case pipeline.FloatType:
		return physicalFloat
	case pipeline.DoubleType, pipeline.ArrayType:
		return physicalDouble
	}
	return physicalBytes
}

func (w *Writer) write(b []byte) error {
	n, err := w.to.Write(b)
	w.at += int64(n)
	return err
}

// Write takes a row. A value that its column can't have is an error.
func (w *Writer) Write(row pipeline.Row) error {
	size := 0
	for i, v := range row {
		c := &w.columns[i]
		if err := c.add(v); err != nil {
			return fmt.Errorf("column %q: %w", c.Title(), err)
		}
		size += len(c.values)
	}
	if w.rows++; w.rows >= w.GroupRows || size > groupBytes {
		return w.flush()
	}
	return nil
}

// add takes a value. Levels are those of an optional field, or of an optional list.
func (c *columnWriter) add(v pipeline.Value) (err error) {
	if c.Type() == pipeline.ArrayType {
		return c.addArray(v)
	}
	if v.IsNull() {
		c.defs = append(c.defs, 0)
		return nil
	}
	if c.physical != physicalBytes {
		if v, err = c.Convert(v); err != nil {
			return err
		}
	}
	var n int64
	var x float64
	var y float32
	switch c.physical {
	case physicalBoolean:
		n, err = v.Long()
		c.bools = append(c.bools, n != 0)
	case physicalInt32:
		n, err = v.Long()
		c.values = le.AppendUint32(c.values, uint32(int32(n)))
	case physicalInt64:
		n, err = v.Long()
		c.values = le.AppendUint64(c.values, uint64(n))
	case physicalFloat:
		y, err = v.Float()
		c.values = le.AppendUint32(c.values, math.Float32bits(y))
	case physicalDouble:
		x, err = v.Double()
		c.values = le.AppendUint64(c.values, math.Float64bits(x))
	default:
		text := v.String()
		if len(text) > groupBytes {
			return fmt.Errorf("a text of %d bytes is too long for a page", len(text))
		}
		c.values = append(le.AppendUint32(c.values, uint32(len(text))), text...)
	}
	c.defs = append(c.defs, 1)
	return err
}

func (c *columnWriter) addArray(v pipeline.Value) error {
	a := v.Array()
	switch {
	case v.IsNull():
		c.defs, c.reps = append(c.defs, 0), append(c.reps, 0)
		return nil
	case a == nil:
		return fmt.Errorf("%.60q is not an array", v.String())
	case len(a.Data) == 0:
		c.defs, c.reps = append(c.defs, 1), append(c.reps, 0)
	case len(a.Data) > groupBytes/8:
		return fmt.Errorf("an array of %d numbers is too large for a page", len(a.Data))
	}
	for i, x := range a.Data {
		c.defs, c.reps = append(c.defs, 2), append(c.reps, byte(min(i, 1)))
		c.values = le.AppendUint64(c.values, math.Float64bits(x))
	}
	return nil
}

// flush writes a row group.
func (w *Writer) flush() error {
	if w.rows == 0 {
		return nil
	}
	g := writtenGroup{rows: w.rows}
	for i := range w.columns {
		c := &w.columns[i]
		chunk := writtenChunk{at: w.at, values: len(c.defs)}
		if c.Type() != pipeline.ArrayType {
			chunk.nulls = bytes.Count(c.defs, []byte{0})
			chunk.low, chunk.high = c.bounds()
		}
		if err := w.pages(c, &chunk); err != nil {
			return err
		}
		g.chunks = append(g.chunks, chunk)
		g.bytes += int64(chunk.plain)
		c.values, c.bools, c.defs, c.reps = c.values[:0], c.bools[:0], c.defs[:0], c.reps[:0]
	}
	w.total += int64(w.rows)
	w.groups, w.rows = append(w.groups, g), 0
	return nil
}

// pages writes the pages of a column.
func (w *Writer) pages(c *columnWriter, chunk *writtenChunk) error {
	values := c.values
	dictionary, entries, n := c.dictionary(&w.numbers)
	if n > 0 {
		values = entries
		if err := w.page(chunk, dictionary, func(plain int, packed []byte) []byte {
			return dictionaryHeader(n, plain, packed)
		}); err != nil {
			return err
		}
	}
	chunk.data = w.at
	return w.page(chunk, c.page(values), func(plain int, packed []byte) []byte {
		return pageHeaderBytes(len(c.defs), plain, packed, n > 0)
	})
}

// page writes a page behind its header.
func (w *Writer) page(chunk *writtenChunk, page []byte, header func(plain int, packed []byte) []byte) error {
	packed := snappy.Encode(nil, page)
	head := header(len(page), packed)
	chunk.plain += len(head) + len(page)
	chunk.size += len(head) + len(packed)
	if err := w.write(head); err != nil {
		return err
	}
	return w.write(packed)
}

// page is the bytes of a page: levels, then values.
func (c *columnWriter) page(values []byte) []byte {
	var b []byte
	width := 1
	if c.Type() == pipeline.ArrayType {
		b, width = appendLevels(b, c.reps, 1), 2
	}
	b = appendLevels(b, c.defs, width)
	if c.physical == physicalBoolean {
		bits := make([]byte, (len(c.bools)+7)/8)
		for i, x := range c.bools {
			if x {
				bits[i/8] |= 1 << (i % 8)
			}
		}
		return append(b, bits...)
	}
	return append(b, values...)
}

// appendLevels appends levels of the given bits after their length: as one run if they are all the same, else packed.
func appendLevels(b, levels []byte, width int) []byte {
	at := len(b)
	b = append(b, 0, 0, 0, 0)
	same := true
	for _, l := range levels {
		same = same && l == levels[0]
	}
	if same {
		b = append(appendUvarint(b, uint64(len(levels))<<1), levels[0])
	} else {
		groups := (len(levels) + 7) / 8
		b = appendUvarint(b, uint64(groups)<<1|1)
		bits := make([]byte, groups*width)
		for i, l := range levels {
			bits[i*width/8] |= l << (i * width % 8)
		}
		b = append(b, bits...)
	}
	le.PutUint32(b[at:], uint32(len(b)-at-4))
	return b
}

func pageHeaderBytes(values, plain int, packed []byte, indexed bool) []byte {
	t := &thriftWriter{}
	t.pageHeader(pageData, plain, packed)
	t.structure(5)
	t.i32(1, values)
	if indexed {
		t.i32(2, encodingDictionary)
	} else {
		t.i32(2, encodingPlain)
	}
	t.i32(3, encodingRLE)
	t.i32(4, encodingRLE)
	t.end()
	t.end()
	return t.b
}

func dictionaryHeader(values, plain int, packed []byte) []byte {
	t := &thriftWriter{}
	t.pageHeader(pageDictionary, plain, packed)
	t.structure(7)
	t.i32(1, values)
	t.i32(2, encodingPlain)
	t.end()
	t.end()
	return t.b
}

// pageHeader begins the header of a page of a kind.
func (t *thriftWriter) pageHeader(kind, plain int, packed []byte) {
	t.begin()
	t.i32(1, kind)
	t.i32(2, plain)
	t.i32(3, len(packed))
	t.i32(4, int(int32(crc32.ChecksumIEEE(packed))))
}

// Finish writes the last rows and the footer.
func (w *Writer) Finish() error {
	if err := w.flush(); err != nil {
		return err
	}
	footer := w.footer()
	footer = le.AppendUint32(footer, uint32(len(footer)))
	return w.write(append(footer, magic...))
}
