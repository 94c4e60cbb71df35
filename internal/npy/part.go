package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/dl4go/dl4go/tensor"
)

// HeadBytes is how much of a file [ReadHead] needs at most.
const HeadBytes = 16 << 10

// Part is the layout of an array in a file of which only pieces are read.
type Part struct {
	layout
	data int64 // the place of the first element
}

// ReadHead reads the header from the beginning of a file.
func ReadHead(head []byte) (*Part, error) {
	text, data, err := headerText(bytes.NewReader(head), int64(len(head)))
	if err != nil {
		return nil, err
	}
	h, err := parseHeader(text)
	if err != nil {
		return nil, err
	}
	if _, err := h.shape.CheckedSize(math.MaxInt / h.each); err != nil {
		return nil, err
	}
	return &Part{h, data}, nil
}

// Bytes returns the layout of an array of unsigned bytes, the first of which is at a place of the file.
func Bytes(shape tensor.Shape, data int64) *Part {
	return &Part{layout{shape: shape, kind: "u1", each: 1, order: binary.LittleEndian}, data}
}

// Head returns the number of bytes before the elements.
func (p *Part) Head() int { return int(p.data) }

// Cut returns the bytes of the rows from … to-1: those up to one place before another, or up to the end of the file if
// that is negative. An array in Fortran order has the rows in all of its bytes.
func (p *Part) Cut(from, to int) (begin, end int64) {
	last := len(p.shape) == 0 || to == p.shape[0]
	row := int64(p.rowSize() * p.each)
	switch {
	case p.fortran:
		return p.data, -1
	case last:
		return p.data + int64(from)*row, -1
	}
	return p.data + int64(from)*row, p.data + int64(to)*row
}

// Empty returns a Reader without rows, which knows the shape and the type.
func (p *Part) Empty() *Reader {
	return &Reader{layout: p.layout, in: bytes.NewReader(nil), row: p.rowSize()}
}

// Reader reads the rows from … to-1 out of the bytes of Cut.
func (p *Part) Reader(piece []byte, from, to int) (*Reader, error) {
	row := p.rowSize()
	h := p.layout
	if !p.fortran && len(h.shape) > 0 {
		h.shape = h.shape.Clone()
		h.shape[0] = to - from
	}
	if err := h.fits(int64(len(piece))); err != nil {
		return nil, fmt.Errorf("rows %d to %d: %w", from+1, to, err)
	}
	return &Reader{layout: p.layout, in: bytes.NewReader(piece), row: row, at: from * row}, nil
}
