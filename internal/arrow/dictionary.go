package arrow

// dictionary is the values that a Dictionary's indices refer to. They come in one or more parts.
type dictionary struct {
	of    Type
	parts []Column
	n     int
}

// find returns the part that has value i, and its index there.
func (d *dictionary) find(i int) (*Column, int) {
	for k := range d.parts {
		if i < d.parts[k].n {
			return &d.parts[k], i
		}
		i -= d.parts[k].n
	}
	return nil, 0
}

// readDictionary reads the values of a dictionary, or more of them.
func (r *reader) readDictionary(m message) error {
	id, rows := m.header.long(0), m.header.child(1)
	known, ok := r.dictionaries[id]
	if !ok || rows.pos == 0 {
		return r.fail("a dictionary of no column")
	}
	br, n, err := r.batch(m, rows)
	if err != nil {
		return err
	}
	c, err := br.column(known.of, "of a dictionary")
	if err != nil {
		return err
	}
	if c.n != n {
		return r.fail("a dictionary has %d values, and says %d", c.n, n)
	}
	next := &dictionary{of: known.of}
	if m.header.byte(2) != 0 {
		if next.n, next.parts = known.n, known.parts; len(next.parts) > maxParts {
			return r.fail("a dictionary has more than %d parts", maxParts)
		}
	}
	next.n, next.parts = next.n+c.n, append(next.parts[:len(next.parts):len(next.parts)], c)
	r.dictionaries[id] = next // batches that were already read keep their dictionary
	return nil
}

const maxParts = 1000

// indices reads the indices into a dictionary, and checks them.
func (r *batchReader) indices(c *Column, name string) (err error) {
	of := Of(c.Type.indices)
	if c.data, err = r.values(c.n, of.bits(), name); err != nil || r.unread {
		return err
	}
	c.values = r.dictionaries[c.Type.id]
	numbers := Column{Type: of, n: c.n, data: c.data}
	for i := range c.n {
		if c.IsNull(i) {
			continue
		}
		if k := numbers.Int(i); k < 0 || k >= int64(c.values.n) {
			return r.fail("column %s: value %d is number %d of a dictionary of %d values", name, i, k, c.values.n)
		}
	}
	return nil
}

// Resolve returns the column that holds a value, which may be a part of a dictionary, and the index there; nil if the
// value is null.
func (c *Column) Resolve(i int) (*Column, int) {
	for c != nil && c.Type.Kind == Dictionary && !c.IsNull(i) {
		numbers := Column{Type: Of(c.Type.indices), data: c.data}
		c, i = c.values.find(int(numbers.Int(i)))
	}
	if c == nil || c.IsNull(i) {
		return nil, 0
	}
	return c, i
}

// viewed reads strings or bytes from views. Short values are in the view itself; the view of a long one says where it
// is.
func (r *batchReader) viewed(c *Column, name string) (err error) {
	if c.offsets, err = r.values(c.n, 128, name); err != nil {
		return err
	}
	if r.viewsLeft == 0 {
		return r.fail("column %s: its batch does not say how many buffers it has", name)
	}
	count := r.t.f.i64(r.views)
	if r.views, r.viewsLeft = r.views+8, r.viewsLeft-1; count < 0 || count > int64(r.buffersLeft) {
		return r.fail("column %s has %d buffers, and %d are left", name, count, r.buffersLeft)
	}
	for range count {
		b, err := r.buffer(name)
		if err != nil {
			return err
		}
		c.parts = append(c.parts, b)
	}
	for i := 0; i < c.n && !r.unread; i++ {
		v := c.offsets[16*i:]
		n, part, at := int64(int32(le.Uint32(v))), int64(le.Uint32(v[8:])), int64(le.Uint32(v[12:]))
		if c.IsNull(i) || n >= 0 && n <= inView {
			continue
		}
		if n < 0 || part >= count || at+n > int64(len(c.parts[part])) {
			return r.fail("column %s: value %d lies outside of the column", name, i)
		}
	}
	return nil
}

// inView is the number of bytes that fit in a view.
const inView = 12

// viewed returns a value of a column of views.
func (c *Column) viewed(i int) []byte {
	v := c.offsets[16*i:]
	n := int(le.Uint32(v))
	if c.IsNull(i) {
		return nil
	}
	if n <= inView {
		return v[4 : 4+n : 4+n]
	}
	part, at := c.parts[le.Uint32(v[8:])], int(le.Uint32(v[12:]))
	return part[at : at+n : at+n]
}
