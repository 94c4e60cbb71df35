package parquet

import "encoding/binary"

// deltas reads DELTA_BINARY_PACKED numbers. It takes no memory for numbers that are not read.
type deltas struct {
	b         []byte
	left      int // numbers
	mini      int // numbers of a miniblock
	minis     int // miniblocks of a block
	widths    []byte
	last, min uint64
	begun     bool

	packed []byte // of the miniblock
	skip   int
	width  int
	inMini int // numbers left in it
	batch  [256]uint64
}

func newDeltas(b []byte) (*deltas, error) {
	d := &deltas{b: b}
	block, ok1 := d.uvarint()
	minis, ok2 := d.uvarint()
	left, ok3 := d.uvarint()
	first, ok4 := d.uvarint()
	if !ok1 || !ok2 || !ok3 || !ok4 || block == 0 || block > 1<<20 || minis == 0 || block%minis != 0 || left > 1<<31 ||
		block/minis%8 != 0 {
		return nil, errDelta
	}
	d.left, d.minis, d.mini = int(left), int(minis), int(block/minis)
	d.last = zigzag(first)
	return d, nil
}

func zigzag(v uint64) uint64 { return v>>1 ^ -(v & 1) }

func (d *deltas) uvarint() (uint64, bool) {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		return 0, false
	}
	d.b = d.b[n:]
	return v, true
}

// read returns the next numbers, up to n and some hundred. They are valid until the next call.
func (d *deltas) read(n int) ([]uint64, error) {
	if n > d.left {
		return nil, errShort
	}
	if !d.begun {
		d.begun = true
		d.left--
		d.batch[0] = d.last
		return d.batch[:1], nil
	}
	if d.inMini == 0 {
		if err := d.next(); err != nil {
			return nil, err
		}
	}
	out := d.batch[:min(n, d.inMini, len(d.batch))]
	d.packed, d.skip = unpack(out, d.packed, d.skip, d.width)
	for i, v := range out {
		d.last += v + d.min
		out[i] = d.last
	}
	d.inMini -= len(out)
	d.left -= len(out)
	return out, nil
}

// next begins a miniblock.
func (d *deltas) next() error {
	if len(d.widths) == 0 {
		least, ok := d.uvarint()
		if !ok || len(d.b) < d.minis {
			return errDelta
		}
		d.min, d.widths, d.b = zigzag(least), d.b[:d.minis], d.b[d.minis:]
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	size := d.mini * d.width / 8
	if d.width > 64 {
		return errDelta
	}
	if size > len(d.b) { // some writers omit the end of the last one
		if size = len(d.b); size*8 < min(d.left, d.mini)*d.width {
			return errShort
		}
	}
	d.packed, d.b, d.skip, d.inMini = d.b[:size], d.b[size:], 0, d.mini
	return nil
}

// deltaInts are INT32s or INT64s.
type deltaInts struct {
	*deltas
	wide bool
}

func (d deltaInts) decode(n int, to *values) error {
	for n > 0 {
		part, err := d.read(n)
		if err != nil {
			return err
		}
		for _, v := range part {
			if d.wide {
				to.i64 = append(to.i64, int64(v))
			} else {
				to.i32 = append(to.i32, int32(v))
			}
		}
		n -= len(part)
	}
	return nil
}
