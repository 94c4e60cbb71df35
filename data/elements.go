package data

import "encoding/binary"

// Span is a range of bytes: From, …, To-1.
type Span struct{ From, To int }

// Elements returns the ranges of a row that hold the elements of its arrays: numbers, pixels, or a class. Rows that
// have arrays of the same shapes, the same names and the same key differ only there. It returns nil if there are none,
// or if the row is damaged.
func Elements(row []byte) []Span {
	r := rowReader{b: row}
	head := r.take(2)
	if r.err != nil || head[0] != rowMagic || head[1] < rowVersion || head[1] > rowCompact {
		return nil
	}
	r.compact = head[1] == rowCompact
	lists := 4
	if head[1] >= rowWeighted {
		lists++
	}
	var spans []Span
	for range lists {
		n, ok := r.count()
		for i := 0; i < n && ok && r.err == nil; i++ {
			if size := r.skipHead(); size > 0 {
				at := len(row) - len(r.b)
				r.take(size)
				spans = append(spans, Span{at, at + size})
			}
		}
	}
	if r.err != nil {
		return nil
	}
	return spans
}

// skipHead goes to an array's elements, and returns their number of bytes.
func (r *rowReader) skipHead() int {
	kind := byte(compactFloats)
	if r.compact {
		kind = r.take(1)[0]
	}
	if kind == compactClass {
		r.take(4)
		return 4
	}
	rank, ok := r.count()
	if !ok {
		return 0
	}
	size := 4
	if kind == compactPixels {
		size = 1
	}
	for range rank {
		if size *= int(binary.LittleEndian.Uint32(r.take(4))); size > len(r.b) || r.err != nil {
			return len(r.b) + 1 // an error
		}
	}
	if kind == compactPixels {
		r.take(4)
	}
	return size
}
