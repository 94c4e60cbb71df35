package engine

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Cell is a value of a table's row: text, or numbers in an array of any rank. A single number has rank 0.
type Cell struct {
	Text    []byte // nil for NULL
	Shape   []int  // nil in a cell of text
	Numbers []float32
}

// A row of cells in bytes. A text cell is 't', the text's length + 1 as a varint, or 0 for NULL, and the text. A number
// cell is 'n', the rank (u8), the extents as varints, and the numbers as little-endian float32.
const (
	textCell   = 't'
	numberCell = 'n'
)

// AppendText appends a text cell to a row of cells. A nil text means NULL.
func AppendText(row, text []byte) []byte {
	row = append(row, textCell)
	if text == nil {
		return append(row, 0)
	}
	return append(binary.AppendUvarint(row, uint64(len(text))+1), text...)
}

// AppendNumbers appends a number cell to a row of cells. The length of numbers is the product of the extents.
func AppendNumbers(row []byte, shape []int, numbers []float32) []byte {
	row = append(row, numberCell, byte(len(shape)))
	for _, n := range shape {
		row = binary.AppendUvarint(row, uint64(n))
	}
	for _, x := range numbers {
		row = binary.LittleEndian.AppendUint32(row, math.Float32bits(x))
	}
	return row
}

// Cells reads a row of cells. Text shares the row's bytes.
func Cells(row []byte) ([]Cell, error) {
	var cells []Cell
	for r := (cellReader{left: row}); len(r.left) > 0; {
		cell := r.cell()
		if r.failed {
			return nil, Permanent(fmt.Errorf("byte %d of a row of %d: it does not hold a table's cells", len(row)-len(r.left),
				len(row)))
		}
		cells = append(cells, cell)
	}
	return cells, nil
}

type cellReader struct {
	left   []byte
	failed bool
}

func (r *cellReader) cell() (c Cell) {
	switch head := r.take(1); head[0] {
	case textCell:
		if n := r.varint(); n > 0 {
			c.Text = r.take(n - 1)
		}
	case numberCell:
		size := uint64(1)
		c.Shape = make([]int, r.take(1)[0])
		for i := range c.Shape {
			n := r.varint()
			if size *= n; n > uint64(len(r.left)) || size > uint64(len(r.left)) {
				r.failed = true
				return c
			}
			c.Shape[i] = int(n)
		}
		b := r.take(4 * size)
		if r.failed {
			return c
		}
		c.Numbers = make([]float32, size)
		for i := range c.Numbers {
			c.Numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	default:
		r.failed = true
	}
	return c
}

// take returns the next n bytes, or a zero after the end.
func (r *cellReader) take(n uint64) []byte {
	if r.failed = r.failed || n > uint64(len(r.left)); r.failed {
		return []byte{0}
	}
	b := r.left[:n:n]
	r.left = r.left[n:]
	return b
}

func (r *cellReader) varint() uint64 {
	n, used := binary.Uvarint(r.left)
	if r.failed = r.failed || used <= 0; r.failed {
		return 0
	}
	r.left = r.left[used:]
	return n
}
