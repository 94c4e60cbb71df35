package arrow

import "encoding/binary"

// Arrow's metadata are FlatBuffers: tables whose fields are found through a vtable, with offsets for everything. Here
// is the part of that format that is needed: reading with every offset checked, and writing without regard for size.

var le = binary.LittleEndian

// flatBuffer is metadata that is being read. An offset that leads outside sets bad, and reads as zero.
type flatBuffer struct {
	b   []byte
	bad bool
}

// table is a position in a flatBuffer. The zero position is no table.
type table struct {
	f   *flatBuffer
	pos int
}

func (f *flatBuffer) has(pos, n int) bool {
	if pos < 0 || n < 0 || pos > len(f.b)-n {
		f.bad = true
		return false
	}
	return true
}

func (f *flatBuffer) u16(pos int) int {
	if !f.has(pos, 2) {
		return 0
	}
	return int(le.Uint16(f.b[pos:]))
}

func (f *flatBuffer) i32(pos int) int {
	if !f.has(pos, 4) {
		return 0
	}
	return int(int32(le.Uint32(f.b[pos:])))
}

func (f *flatBuffer) i64(pos int) int64 {
	if !f.has(pos, 8) {
		return 0
	}
	return int64(le.Uint64(f.b[pos:]))
}

// follow returns the position to which the unsigned offset at pos points.
func (f *flatBuffer) follow(pos int) int {
	if !f.has(pos, 4) {
		return 0
	}
	return pos + int(le.Uint32(f.b[pos:]))
}

func (f *flatBuffer) root() table { return table{f, f.follow(0)} }

// field returns the position of a table's field, or 0 if the table omits it.
func (t table) field(i int) int {
	if t.pos == 0 {
		return 0
	}
	vtable := t.pos - t.f.i32(t.pos)
	if size := t.f.u16(vtable); t.f.bad || 4+2*i+2 > size {
		return 0
	}
	at := t.f.u16(vtable + 4 + 2*i)
	if at == 0 {
		return 0
	}
	return t.pos + at
}

func (t table) byte(i int) byte {
	pos := t.field(i)
	if pos == 0 || !t.f.has(pos, 1) {
		return 0
	}
	return t.f.b[pos]
}

func (t table) short(i int) int { return t.shortOr(i, 0) }

// shortOr returns a field, or the default if the table omits it.
func (t table) shortOr(i, usual int) int {
	if pos := t.field(i); pos != 0 {
		return t.f.u16(pos)
	}
	return usual
}

func (t table) intOr(i, usual int) int {
	if pos := t.field(i); pos != 0 {
		return t.f.i32(pos)
	}
	return usual
}

func (t table) int(i int) int {
	if pos := t.field(i); pos != 0 {
		return t.f.i32(pos)
	}
	return 0
}

func (t table) long(i int) int64 {
	if pos := t.field(i); pos != 0 {
		return t.f.i64(pos)
	}
	return 0
}

func (t table) child(i int) table {
	if pos := t.field(i); pos != 0 {
		return table{t.f, t.f.follow(pos)}
	}
	return table{f: t.f}
}

// vector returns where the elements of a vector begin, and their number.
func (t table) vector(i, size int) (pos, n int) {
	at := t.field(i)
	if at == 0 {
		return 0, 0
	}
	at = t.f.follow(at)
	n = t.f.i32(at)
	if t.f.bad || n < 0 || n > len(t.f.b)/size || !t.f.has(at+4, n*size) {
		t.f.bad = true
		return 0, 0
	}
	return at + 4, n
}

func (t table) string(i int) string {
	pos, n := t.vector(i, 1)
	return string(t.f.b[pos : pos+n])
}

// flatWriter builds metadata from its end to its start. Objects are known by their distance from the end.
type flatWriter struct{ b []byte }

func (w *flatWriter) prepend(b ...byte) {
	w.b = append(append(make([]byte, 0, len(b)+len(w.b)), b...), w.b...)
}

// align pads so that after n more bytes the length is a multiple of 8.
func (w *flatWriter) align(n int) {
	for (len(w.b)+n)%8 != 0 {
		w.prepend(0)
	}
}

// slot is a table's field: an offset if object is set, otherwise a scalar. Every slot takes 8 bytes.
type slot struct {
	scalar uint64
	object int
	absent bool
}

func scalar(v uint64) slot   { return slot{scalar: v} }
func object(at int) slot     { return slot{object: at} }
func (s slot) present() bool { return !s.absent }

func (w *flatWriter) table(slots ...slot) int {
	w.align(0)
	size := 8 + 8*len(slots)
	at := len(w.b) + size
	body := make([]byte, size)
	vtable := make([]byte, 4+2*len(slots))
	le.PutUint16(vtable, uint16(len(vtable)))
	le.PutUint16(vtable[2:], uint16(size))
	le.PutUint32(body, uint32(len(vtable)))
	for i, s := range slots {
		pos := 8 + 8*i
		switch {
		case s.object != 0:
			le.PutUint32(body[pos:], uint32(at-pos-s.object))
		default:
			le.PutUint64(body[pos:], s.scalar)
		}
		if s.present() {
			le.PutUint16(vtable[4+2*i:], uint16(pos))
		}
	}
	w.prepend(body...)
	w.prepend(vtable...)
	return at
}

func (w *flatWriter) string(s string) int {
	w.align(4 + len(s) + 1)
	w.prepend(0)
	w.prepend([]byte(s)...)
	return w.count(len(s))
}

func (w *flatWriter) count(n int) int {
	w.prepend(le.AppendUint32(nil, uint32(n))...)
	return len(w.b)
}

// tables writes a vector of offsets to tables.
func (w *flatWriter) tables(objects []int) int {
	w.align(4 + 4*len(objects))
	at := len(w.b) + 4*len(objects)
	var b []byte
	for i, o := range objects {
		b = le.AppendUint32(b, uint32(at-4*i-o))
	}
	w.prepend(b...)
	return w.count(len(objects))
}

// pairs writes a vector of structs of two longs.
func (w *flatWriter) pairs(values [][2]int64) int {
	w.align(0)
	var b []byte
	for _, v := range values {
		b = le.AppendUint64(le.AppendUint64(b, uint64(v[0])), uint64(v[1]))
	}
	w.prepend(b...)
	return w.count(len(values))
}

// finish returns the buffer. Its length is a multiple of 8.
func (w *flatWriter) finish(root int) []byte {
	w.align(4)
	w.prepend(le.AppendUint32(nil, uint32(len(w.b)+4-root))...)
	return w.b
}
