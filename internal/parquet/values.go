package parquet

import "slices"

// values are numbers or bytes of one physical type; the slices of others are empty.
type values struct {
	i32   []int32 // of BOOLEAN, too
	i64   []int64
	f32   []float32
	f64   []float64
	bytes [][]byte // of INT96 and FIXED_LEN_BYTE_ARRAY, too: they share the page's bytes
	// entries are the places of values in their dictionary, if noted is set. Other values have none. The last pending
	// ones are not yet among the values.
	entries []int32
	noted   bool
	dict    *values
	pending int
}

func (v *values) reset() {
	v.i32, v.i64, v.f32, v.f64, v.bytes = v.i32[:0], v.i64[:0], v.f32[:0], v.f64[:0], v.bytes[:0]
	v.entries, v.pending = v.entries[:0], 0
}

// resolve adds the values of pending entries.
func (v *values) resolve() {
	if v.pending > 0 {
		v.gather(v.dict, v.entries[len(v.entries)-v.pending:])
		v.pending = 0
	}
}

// gather appends entries of a dictionary.
func (v *values) gather(dict *values, at []int32) {
	gather(&v.i32, dict.i32, at)
	gather(&v.i64, dict.i64, at)
	gather(&v.f32, dict.f32, at)
	gather(&v.f64, dict.f64, at)
	gather(&v.bytes, dict.bytes, at)
}

// decoder reads the values of a page.
type decoder interface {
	// decode appends the next n values.
	decode(n int, to *values) error
}

// extend appends n elements, and returns them.
func extend[S ~[]T, T any](s *S, n int) []T {
	*s = slices.Grow(*s, n)[:len(*s)+n]
	return (*s)[len(*s)-n:]
}

// plain are values as they are, one after the other.
type plain struct {
	b        []byte
	physical int
	length   int
	bit      int // of BOOLEANs
}

func (p *plain) take(n, width int) ([]byte, error) {
	if n > len(p.b)/width {
		return nil, errShort
	}
	b := p.b[:n*width]
	p.b = p.b[n*width:]
	return b, nil
}

func (p *plain) decode(n int, to *values) error {
	switch p.physical {
	case physicalBoolean:
		return p.booleans(n, to)
	case physicalBytes:
		return p.texts(n, to)
	}
	width := p.width()
	b, err := p.take(n, width)
	if err != nil {
		return err
	}
	switch p.physical {
	case physicalInt32:
		integers(extend(&to.i32, n), b)
	case physicalInt64:
		longs(extend(&to.i64, n), b)
	case physicalFloat:
		floats(extend(&to.f32, n), b)
	case physicalDouble:
		doubles(extend(&to.f64, n), b)
	default:
		for i, out := 0, extend(&to.bytes, n); i < len(out); i++ {
			out[i], b = b[:width:width], b[width:]
		}
	}
	return nil
}

// width is the number of bytes of a value, where all have the same.
func (p *plain) width() int {
	switch p.physical {
	case physicalInt32, physicalFloat:
		return 4
	case physicalInt64, physicalDouble:
		return 8
	case physicalInt96:
		return 12
	}
	return p.length
}

func (p *plain) booleans(n int, to *values) error {
	if n > len(p.b)*8-p.bit {
		return errShort
	}
	for i, out := 0, extend(&to.i32, n); i < len(out); i++ {
		out[i] = int32(p.b[p.bit>>3] >> (p.bit & 7) & 1)
		p.bit++
	}
	return nil
}

func (p *plain) texts(n int, to *values) error {
	if n > len(p.b)/4 {
		return errShort
	}
	for i, out := 0, extend(&to.bytes, n); i < len(out); i++ {
		if len(p.b) < 4 {
			return errShort
		}
		size := int(le.Uint32(p.b))
		if p.b = p.b[4:]; size > len(p.b) {
			return errShort
		}
		out[i], p.b = p.b[:size:size], p.b[size:]
	}
	return nil
}

// indexed are values of a dictionary.
type indexed struct {
	at    hybrid
	dict  *values
	size  int
	batch [1024]int32
}

func (d *indexed) decode(n int, to *values) error {
	if to.noted {
		if to.dict != d.dict {
			to.resolve()
			to.dict = d.dict
		}
		if err := d.read(extend(&to.entries, n)); err != nil {
			return err
		}
		to.pending += n
		return nil
	}
	for n > 0 {
		k := min(n, len(d.batch))
		at := d.batch[:k]
		if err := d.read(at); err != nil {
			return err
		}
		to.gather(d.dict, at)
		n -= k
	}
	return nil
}

// read reads entries.
func (d *indexed) read(at []int32) error {
	if err := readHybrid(&d.at, at); err != nil {
		return err
	}
	for _, e := range at {
		if uint(uint32(e)) >= uint(d.size) {
			return errIndex
		}
	}
	return nil
}

func gather[T any](to *[]T, dict []T, at []int32) {
	if len(dict) == 0 {
		return
	}
	for i, out := 0, extend(to, len(at)); i < len(out); i++ {
		out[i] = dict[at[i]]
	}
}

// runs are BOOLEANs in runs.
type runs struct {
	at    hybrid
	batch [256]uint32
}

func (r *runs) decode(n int, to *values) error {
	for n > 0 {
		k := min(n, len(r.batch))
		if err := r.at.read(r.batch[:k]); err != nil {
			return err
		}
		for i, out := 0, extend(&to.i32, k); i < k; i++ {
			out[i] = int32(r.batch[i] & 1)
		}
		n -= k
	}
	return nil
}

// split are numbers whose first bytes are stored together, then their second bytes, and so on (BYTE_STREAM_SPLIT).
type split struct {
	b              []byte
	physical, size int // bytes of a value
	at             int
}

func (s *split) decode(n int, to *values) error {
	count := len(s.b) / s.size
	if n > count-s.at {
		return errShort
	}
	whole := make([]byte, n*s.size)
	for k := range s.size {
		for i, b := range s.b[k*count+s.at:][:n] {
			whole[i*s.size+k] = b
		}
	}
	s.at += n
	return (&plain{b: whole, physical: s.physical, length: s.size}).decode(n, to)
}
