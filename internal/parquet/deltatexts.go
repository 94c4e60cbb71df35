package parquet

// lengths are the numbers of a block that other bytes follow. They are read when they are needed: a few bytes may be
// many of them.
type lengths struct {
	*deltas
	part []uint64 // read, and not used
}

// newLengths begins a block, and returns the bytes after it.
func newLengths(b []byte) (l lengths, rest []byte, err error) {
	d, err := newDeltas(b)
	if err != nil {
		return l, nil, err
	}
	rest, err = d.after()
	return lengths{deltas: d}, rest, err
}

// after returns the bytes after the block. It reads no numbers.
func (d deltas) after() ([]byte, error) {
	for d.left--; d.left > 0; d.left -= d.mini {
		if err := d.next(); err != nil {
			return nil, err
		}
	}
	return d.b, nil
}

// count is how many numbers are not used.
func (l *lengths) count() int {
	if l.deltas == nil {
		return 0
	}
	return len(l.part) + l.left
}

// ready makes some numbers ready in part, up to n and one at least. There must be n of them.
func (l *lengths) ready(n int) (int, error) {
	if len(l.part) == 0 {
		var err error
		if l.part, err = l.read(l.left); err != nil {
			return 0, err
		}
	}
	return min(n, len(l.part)), nil
}

// deltaTexts are texts whose lengths are stored together (DELTA_LENGTH_BYTE_ARRAY), and which may share a prefix with
// the text before (DELTA_BYTE_ARRAY).
type deltaTexts struct {
	prefixes lengths // without deltas where there are none
	lengths  lengths
	b        []byte
	last     []byte
	budget   int // bytes that prefixes may still have
}

func newDeltaTexts(b []byte, shared bool) (d *deltaTexts, err error) {
	d = &deltaTexts{budget: inflated(len(b))}
	if shared {
		if d.prefixes, b, err = newLengths(b); err != nil {
			return nil, err
		}
	}
	if d.lengths, d.b, err = newLengths(b); err == nil && shared && d.lengths.left != d.prefixes.left {
		err = errDelta
	}
	return d, err
}

func (d *deltaTexts) decode(n int, to *values) error {
	if n > d.lengths.count() {
		return errShort
	}
	for n > 0 {
		k, err := d.lengths.ready(n)
		if err == nil && d.prefixes.deltas != nil {
			k, err = d.prefixes.ready(k)
		}
		if err != nil {
			return err
		}
		if err := d.some(k, to); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// some decodes n texts. Their lengths must be ready.
func (d *deltaTexts) some(n int, to *values) error {
	for i, size := range d.lengths.part[:n] {
		if size > uint64(len(d.b)) {
			return errShort
		}
		text := d.b[:size:size]
		d.b = d.b[size:]
		if d.prefixes.deltas != nil {
			shared := d.prefixes.part[i]
			if d.budget -= int(min(shared, 1<<40)); shared > uint64(len(d.last)) || d.budget < 0 {
				return errDelta
			}
			if shared > 0 {
				text = append(d.last[:shared:shared], text...)
			}
			d.last = text
		}
		to.bytes = append(to.bytes, text)
	}
	d.lengths.part = d.lengths.part[n:]
	if d.prefixes.deltas != nil {
		d.prefixes.part = d.prefixes.part[n:]
	}
	return nil
}
