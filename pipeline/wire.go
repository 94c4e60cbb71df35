package pipeline

import (
	"encoding/binary"
	"errors"
	"math"
)

// The format of items between a driver and its workers, which run the same program. An item is 'r' and a row, or 's',
// the number of steps and their rows. A row is the number of values, followed by each value's kind and content: a text
// or bytes with their length before them, an integer as a varint, a number in 8 bytes, and for an array the rank, the
// extents and the numbers. Lengths are varints.
const (
	rowItem      = 'r'
	sequenceItem = 's'
)

// AppendItem appends an item in a binary format, which [ReadItem] reads.
func AppendItem(to []byte, i Item) []byte {
	if i.Sequence == nil {
		return appendRow(append(to, rowItem), i.Row)
	}
	to = binary.AppendUvarint(append(to, sequenceItem), uint64(len(i.Sequence)))
	for _, row := range i.Sequence {
		to = appendRow(to, row)
	}
	return to
}

func appendRow(to []byte, r Row) []byte {
	to = binary.AppendUvarint(to, uint64(len(r)))
	for _, v := range r {
		to = appendValue(to, v)
	}
	return to
}

func appendValue(to []byte, v Value) []byte {
	to = append(to, byte(v.kind))
	switch v.kind {
	case TextKind, BytesKind:
		return append(binary.AppendUvarint(to, uint64(len(v.text))), v.text...)
	case IntegerKind, LongKind, BooleanKind:
		return binary.AppendVarint(to, v.integer())
	case DoubleKind, FloatKind:
		return binary.LittleEndian.AppendUint64(to, v.bits)
	case ArrayKind:
		to = binary.AppendUvarint(to, uint64(len(v.array.Shape)))
		for _, n := range v.array.Shape {
			to = binary.AppendUvarint(to, uint64(n))
		}
		to = binary.AppendUvarint(to, uint64(len(v.array.Data)))
		for _, x := range v.array.Data {
			to = binary.LittleEndian.AppendUint64(to, math.Float64bits(x))
		}
	}
	return to
}

// errWire means that the bytes are not from AppendItem.
var errWire = errors.New("the bytes hold no row of a pipeline: driver and workers must be the same build")

// ReadItem reads exactly one item written by [AppendItem]. It takes no more memory than the bytes justify.
func ReadItem(b []byte) (i Item, err error) {
	r := wireReader{left: string(b)}
	switch r.byte() {
	case rowItem:
		i.Row = r.row()
	case sequenceItem:
		i.Sequence = make([]Row, 0, r.length(1))
		for n := cap(i.Sequence); n > 0; n-- {
			i.Sequence = append(i.Sequence, r.row())
		}
	default:
		return i, errWire
	}
	if r.failed || r.left != "" {
		return Item{}, errWire
	}
	return i, nil
}

// wireReader reads the parts of an item. Texts share the memory of the whole item.
type wireReader struct {
	left   string
	failed bool
}

func (r *wireReader) row() Row {
	row := make(Row, r.length(1))
	for k := range row {
		row[k] = r.value()
	}
	return row
}

func (r *wireReader) value() (v Value) {
	switch v.kind = ValueKind(r.byte()); v.kind {
	case NullKind:
	case TextKind, BytesKind:
		v.text = r.take(r.length(1))
	case IntegerKind, LongKind, BooleanKind:
		v.bits = uint64(r.varint())
	case DoubleKind, FloatKind:
		v.bits = r.word()
	case ArrayKind:
		v.array = &Array{Shape: make([]int, r.length(1))}
		for k := range v.array.Shape {
			v.array.Shape[k] = int(r.uvarint())
		}
		v.array.Data = make([]float64, r.length(8))
		for k := range v.array.Data {
			v.array.Data[k] = math.Float64frombits(r.word())
		}
	default:
		r.failed = true
	}
	return v
}

// take returns the next bytes, and none after the end.
func (r *wireReader) take(n int) string {
	if r.failed = r.failed || n > len(r.left); r.failed {
		return ""
	}
	s := r.left[:n]
	r.left = r.left[n:]
	return s
}

func (r *wireReader) byte() byte {
	if s := r.take(1); s != "" {
		return s[0]
	}
	return 0
}

func (r *wireReader) word() uint64 {
	s := r.take(8)
	if len(s) < 8 {
		return 0
	}
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 |
		uint64(s[6])<<48 | uint64(s[7])<<56
}

// length reads a number of things that take at least each bytes. It is never more than the remaining bytes allow.
func (r *wireReader) length(each int) int {
	n := r.uvarint()
	if r.failed = r.failed || n > uint64(len(r.left)/each); r.failed {
		return 0
	}
	return int(n)
}

func (r *wireReader) uvarint() (x uint64) {
	for shift := 0; shift < 64; shift += 7 {
		c := r.byte()
		x |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return x
		}
	}
	r.failed = true
	return 0
}

func (r *wireReader) varint() int64 {
	x := r.uvarint()
	return int64(x>>1) ^ -int64(x&1)
}
