package arrow

const metadataV5 = 4

// Write returns the batch as a stream, which ends with an empty batch. Spark's reader releases a batch's memory when
// it reads the next one. Up to Spark 4.1.3, the server never releases that of the last batch.
func Write(b *Batch) []byte {
	out := appendMessage(nil, headerSchema, schemaHeader(b.Schema), nil)
	out = appendBatch(out, b.Rows, b.Columns)
	if b.Rows > 0 {
		none := make([]Column, len(b.Columns))
		for i := range none {
			none[i] = b.Columns[i].without()
		}
		out = appendBatch(out, 0, none)
	}
	return append(out, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0)
}

func appendBatch(out []byte, rows int, columns []Column) []byte {
	var w batchWriter
	for i := range columns {
		w.column(&columns[i])
	}
	header := func(f *flatWriter) int {
		buffers := f.pairs(w.buffers)
		nodes := f.pairs(w.nodes)
		return f.table(scalar(uint64(rows)), object(nodes), object(buffers))
	}
	return appendMessage(out, headerRecordBatch, header, w.body)
}

// without returns a column of the same type without values.
func (c *Column) without() Column {
	none := Column{Type: c.Type}
	if c.Type.bits() == 0 && c.Type.Kind != Null {
		none.offsets = make([]byte, 8)
		if !c.Type.wide {
			none.offsets = none.offsets[:4]
		}
	}
	if c.child != nil {
		child := c.child.without()
		none.child = &child
	}
	return none
}

func appendMessage(out []byte, kind byte, header func(*flatWriter) int, body []byte) []byte {
	var f flatWriter
	at := header(&f)
	metadata := f.finish(f.table(scalar(metadataV5), scalar(uint64(kind)), object(at), scalar(uint64(len(body)))))
	out = le.AppendUint32(out, 0xFFFFFFFF)
	out = le.AppendUint32(out, uint32(len(metadata)))
	return append(append(out, metadata...), body...)
}

func schemaHeader(s Schema) func(*flatWriter) int {
	return func(w *flatWriter) int {
		fields := make([]int, len(s))
		for i, f := range s {
			fields[i] = writeField(w, f)
		}
		return w.table(scalar(0), object(w.tables(fields)))
	}
}

func writeField(w *flatWriter, f Field) int {
	children := []int{}
	number, params := 0, []slot{}
	switch f.Type.Kind {
	case Null:
		number = typeNull
	case Bool:
		number = typeBool
	case String:
		number = typeUtf8
		if f.Type.wide {
			number = typeLargeUtf8
		}
	case Binary:
		number = typeBinary
		if f.Type.wide {
			number = typeLargeBinary
		}
	case Float32, Float64:
		number, params = typeFloat, []slot{scalar(uint64(f.Type.bits() / 32))}
	case List:
		number = typeList
		children = append(children, writeField(w, Field{Name: "element", Type: *f.Type.Elem, Nullable: true}))
	default:
		number, params = typeInt, []slot{scalar(uint64(f.Type.bits())), scalar(1)}
	}
	nullable := uint64(0)
	if f.Nullable {
		nullable = 1
	}
	kids := w.tables(children)
	typ := w.table(params...)
	name := w.string(f.Name)
	return w.table(object(name), scalar(nullable), scalar(uint64(number)), object(typ), slot{absent: true}, object(kids))
}

type batchWriter struct {
	nodes, buffers [][2]int64
	body           []byte
}

func (w *batchWriter) column(c *Column) {
	nulls := int64(0)
	for i := range c.n {
		if c.IsNull(i) {
			nulls++
		}
	}
	w.nodes = append(w.nodes, [2]int64{int64(c.n), nulls})
	if c.Type.Kind == Null {
		return
	}
	w.buffer(c.valid)
	if c.Type.bits() == 0 {
		w.buffer(c.offsets)
	}
	if c.child != nil {
		w.column(c.child)
		return
	}
	w.buffer(c.data)
}

// buffer appends a buffer to the body. Buffers begin at multiples of 8.
func (w *batchWriter) buffer(b []byte) {
	w.buffers = append(w.buffers, [2]int64{int64(len(w.body)), int64(len(b))})
	w.body = append(w.body, b...)
	for len(w.body)%8 != 0 {
		w.body = append(w.body, 0)
	}
}
