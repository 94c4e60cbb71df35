// Package npy reads and writes NumPy's .npy files (format version 1.0; versions 2 and 3 are read too).
package npy

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/tensor"
)

const magic = "\x93NUMPY"

// header is what stands before the elements of a file of float32 in C order, padded so that they start at a multiple
// of 64 bytes.
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

// Write writes a.
func Write(out io.Writer, a *tensor.Dense) error {
	h, err := header(a.Shape, 0)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	w.Write(h)
	writeElements(w, a.Data)
	return w.Flush()
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

// maxRows stands for any number of rows when room is made for the header.
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

var (
	descrField = regexp.MustCompile(`'descr':\s*'([<>|=]?[a-z?]\d*)'`)
	orderField = regexp.MustCompile(`'fortran_order':\s*(True|False)`)
	shapeField = regexp.MustCompile(`'shape':\s*\(([\d,\s]*)\)`)
)

// element types that are read, without the mark of the byte order.
var types = map[string]struct {
	size   int
	decode func(order binary.ByteOrder, b []byte) float32
}{
	"f4": {4, func(o binary.ByteOrder, b []byte) float32 { return math.Float32frombits(o.Uint32(b)) }},
	"f8": {8, func(o binary.ByteOrder, b []byte) float32 { return float32(math.Float64frombits(o.Uint64(b))) }},
	"i4": {4, func(o binary.ByteOrder, b []byte) float32 { return float32(int32(o.Uint32(b))) }},
	"i8": {8, func(o binary.ByteOrder, b []byte) float32 { return float32(int64(o.Uint64(b))) }},
	"u1": {1, func(_ binary.ByteOrder, b []byte) float32 { return float32(b[0]) }},
	"b1": {1, func(_ binary.ByteOrder, b []byte) float32 { return float32(min(b[0], 1)) }},
}

// Read reads an array of f4, f8, i4, i8, u1 or bool elements, of either byte order and in C or Fortran order, as
// float32 in C order.
func Read(in io.Reader) (*tensor.Dense, error) {
	r := bufio.NewReader(in)
	text, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	descr, order, dims := descrField.FindStringSubmatch(text), orderField.FindStringSubmatch(text), shapeField.FindStringSubmatch(text)
	if descr == nil || order == nil || dims == nil {
		return nil, fmt.Errorf("not a .npy file of numbers: its header is %.200q", text)
	}
	name := strings.TrimLeft(descr[1], "<>|=")
	t, ok := types[name]
	if !ok {
		return nil, fmt.Errorf("a .npy file of the type %s: f4, f8, i4, i8, u1 and b1 can be read", descr[1])
	}
	var bytes binary.ByteOrder = binary.LittleEndian
	if descr[1][0] == '>' {
		bytes = binary.BigEndian
	}
	var shape tensor.Shape
	for _, s := range strings.Split(dims[1], ",") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		d, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("a .npy file with the extent %s", s)
		}
		shape = append(shape, int(d))
	}
	n, err := shape.CheckedSize(math.MaxInt32)
	if err != nil {
		return nil, fmt.Errorf("a .npy file: %w", err)
	}
	a := &tensor.Dense{Shape: shape}
	b := make([]byte, t.size)
	for range n {
		if _, err := io.ReadFull(r, b); err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				return nil, fmt.Errorf("a .npy file of shape %v ends after %d elements", shape, len(a.Data))
			}
			return nil, err
		}
		a.Data = append(a.Data, t.decode(bytes, b)) // memory grows with what is there
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return nil, errors.New("a .npy file that goes on after its elements")
	}
	if order[1] == "True" {
		a.Data = fromFortran(a)
	}
	return a, nil
}

func readHeader(r io.Reader) (string, error) {
	var start [8]byte
	if _, err := io.ReadFull(r, start[:]); err != nil || string(start[:6]) != magic {
		return "", errors.New("not a .npy file")
	}
	var size [4]byte
	n := 2
	if start[6] > 1 {
		n = 4
	}
	if start[6] < 1 || start[6] > 3 {
		return "", fmt.Errorf("a .npy file of version %d", start[6])
	}
	if _, err := io.ReadFull(r, size[:n]); err != nil {
		return "", errors.New("a .npy file that ends in its header")
	}
	length := binary.LittleEndian.Uint32(size[:])
	if length > 1<<16 {
		return "", fmt.Errorf("a .npy file with a header of %d bytes", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return "", errors.New("a .npy file that ends in its header")
	}
	return string(text), nil
}

func fromFortran(a *tensor.Dense) []float32 {
	out := make([]float32, len(a.Data))
	for i := range out {
		// i counts in C order; at is the place of the same element in Fortran order.
		at, stride := 0, len(out)
		rest := i
		for d := len(a.Shape) - 1; d >= 0; d-- {
			stride /= a.Shape[d]
			at += rest % a.Shape[d] * stride
			rest /= a.Shape[d]
		}
		out[i] = a.Data[at]
	}
	return out
}
