// Package npy writes NumPy's .npy files (format version 1.0), and reads those of numbers.
package npy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/dl4go/dl4go/tensor"
)

const magic = "\x93NUMPY"

// header returns the bytes before the elements of a file of float32 in C order, padded so that the elements start at a
// multiple of 64 bytes.
func header(shape tensor.Shape, length int) ([]byte, error) {
	dims := strings.Trim(shape.String(), "[]")
	if len(shape) == 1 {
		dims += ","
	}
	text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", dims)
	if length == 0 {
		length = (len(magic) + 4 + len(text) + 1 + 63) / 64 * 64
	}
	pad := length - (len(magic) + 4 + len(text) + 1)
	if pad < 0 || length-len(magic)-4 > math.MaxUint16 {
		return nil, fmt.Errorf("the shape %v is too long for a .npy file", shape)
	}
	b := append([]byte(magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(length-len(magic)-4))
	b = append(b, text...)
	b = append(b, strings.Repeat(" ", pad)...)
	return append(b, '\n'), nil
}

func writeElements(w *bufio.Writer, x []float32) {
	var b [4]byte
	for _, v := range x {
		binary.LittleEndian.PutUint32(b[:], math.Float32bits(v))
		w.Write(b[:])
	}
}

// Writer writes an array row by row. The number of rows is put in the header at the end.
type Writer struct {
	out    io.WriteSeeker
	w      *bufio.Writer
	row    tensor.Shape
	rows   int
	length int // of the header
}

// maxRows stands for any number of rows when space is reserved for the header.
const maxRows = math.MaxInt64

// NewWriter starts an array [rows, row…] at the beginning of out.
func NewWriter(out io.WriteSeeker, row ...int) (*Writer, error) {
	w := &Writer{out: out, w: bufio.NewWriterSize(out, 64<<10), row: row}
	h, err := header(append(tensor.Shape{maxRows}, row...), 0)
	if err != nil {
		return nil, err
	}
	w.length = len(h)
	_, err = w.w.Write(h)
	return w, err
}

// Rows writes the rows of a, whose shape after the first dimension must be the writer's.
func (w *Writer) Rows(a *tensor.Dense) error {
	if len(a.Shape) == 0 || !a.Shape[1:].Equal(w.row) {
		return fmt.Errorf("rows of shape %v in an array of rows of shape %v", a.Shape, w.row)
	}
	w.rows += a.Shape[0]
	writeElements(w.w, a.Data)
	return w.w.Flush()
}

// Close writes the header with the number of rows. It does not close the file.
func (w *Writer) Close() error {
	if err := w.w.Flush(); err != nil {
		return err
	}
	h, err := header(append(tensor.Shape{w.rows}, w.row...), w.length)
	if err != nil {
		return err
	}
	if _, err := w.out.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := w.out.Write(h); err != nil {
		return err
	}
	_, err = w.out.Seek(0, io.SeekEnd)
	return err
}
