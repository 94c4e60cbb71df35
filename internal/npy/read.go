package npy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// ReadFile reads an array of booleans, integers or floats of 2, 4 or 8 bytes as float32, in either order and either
// byte order. A float that float32 can't hold is an error. Errors name the file, which may be a pipe.
func ReadFile(ctx context.Context, path string) (*tensor.Dense, error) {
	f, err := storage.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, size := bufio.NewReaderSize(f, 64<<10), f.Size()
	if b, _ := r.Peek(len(magic)); size == 0 && string(b) == magic { // a pipe: its size is known only at its end
		all, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		r, size = bufio.NewReader(bytes.NewReader(all)), int64(len(all))
	}
	a, err := read(r, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

var headerParts = regexp.MustCompile(`^\{\s*'descr':\s*'([<>|=])([a-z])(\d+)',\s*'fortran_order':\s*(True|False),\s*'shape':\s*\(([\d, ]*)\),?\s*\}\s*$`)

// read reads a file of size bytes.
func read(r io.Reader, size int64) (*tensor.Dense, error) {
	rows, err := NewReader(r, size)
	if err != nil {
		return nil, err
	}
	return rows.all()
}

// layout describes an array.
type layout struct {
	shape   tensor.Shape
	kind    string // "f4"
	each    int    // bytes of an element
	order   binary.ByteOrder
	fortran bool
}

// readHeader reads the bytes before the elements of a file of size bytes.
func readHeader(r io.Reader, size int64) (h layout, err error) {
	text, at, err := headerText(r, size)
	if err != nil {
		return h, err
	}
	if h, err = parseHeader(text); err != nil {
		return h, err
	}
	return h, h.fits(size - at)
}

// headerText reads the text of the header. The elements begin at a place in the file.
func headerText(r io.Reader, size int64) (text []byte, data int64, err error) {
	start := make([]byte, len(magic)+4)
	if _, err := io.ReadFull(r, start); err != nil || string(start[:len(magic)]) != magic {
		return nil, 0, fmt.Errorf("it is no .npy file")
	}
	length, at := int64(binary.LittleEndian.Uint16(start[len(magic)+2:])), int64(len(start))
	if version := start[len(magic)]; version == 2 || version == 3 {
		more := make([]byte, 2)
		if _, err := io.ReadFull(r, more); err != nil {
			return nil, 0, err
		}
		length |= int64(binary.LittleEndian.Uint16(more)) << 16
		at += 2
	} else if version != 1 {
		return nil, 0, fmt.Errorf("its format has the version %d, not 1 to 3", version)
	}
	if length > size-at || length > 1<<20 {
		return nil, 0, fmt.Errorf("its header of %d bytes is not all there", length)
	}
	text = make([]byte, length)
	_, err = io.ReadFull(r, text)
	return text, at + length, err
}

// parseHeader reads the text of the header.
func parseHeader(text []byte) (h layout, err error) {
	m := headerParts.FindSubmatch(text)
	if m == nil {
		return h, fmt.Errorf("its header is %q: an array of numbers is expected", bytes.TrimSpace(text))
	}
	h.kind = string(m[2]) + string(m[3])
	if h.each = widths[h.kind]; h.each == 0 {
		return h, fmt.Errorf("its elements are of type %s%s%s: booleans, integers and floats of 2, 4 or 8 bytes are read",
			m[1], m[2], m[3])
	}
	h.shape = tensor.Shape{}
	for s := range strings.SplitSeq(strings.ReplaceAll(string(m[5]), " ", ""), ",") {
		if s == "" {
			continue
		}
		n, err := strconv.Atoi(s)
		if err != nil {
			return h, fmt.Errorf("its shape (%s) has an extent that is not a number of elements", m[5])
		}
		h.shape = append(h.shape, n)
	}
	if len(h.shape) > 1 && h.shape[0] > 0 && slices.Contains(h.shape, 0) {
		return h, fmt.Errorf("it is an array %v, whose rows are empty", h.shape)
	}
	h.order = binary.LittleEndian
	if m[1][0] == '>' {
		h.order = binary.BigEndian
	}
	h.fortran = string(m[4]) == "True" && len(h.shape) > 1
	return h, nil
}

// fits fails unless size bytes are what the elements have.
func (h layout) fits(size int64) error {
	n, err := h.shape.CheckedSize(int(size / int64(h.each)))
	if err != nil || int64(n)*int64(h.each) != size {
		return fmt.Errorf("%d bytes follow its header, which is not what an array %v of elements of %d bytes has", size,
			h.shape, h.each)
	}
	return nil
}

// rowSize returns the number of elements of a row.
func (h layout) rowSize() int {
	n := 1
	for _, extent := range h.shape[min(1, len(h.shape)):] {
		n *= extent
	}
	return n
}

// Reader reads an array row by row. An array in Fortran order is in memory after the first row.
type Reader struct {
	layout
	in    io.Reader
	at    int // number of elements read
	row   int // number of elements of a row
	whole *tensor.Dense
	buf   []byte
}

// NewReader starts to read an array from a file of size bytes.
func NewReader(in io.Reader, size int64) (*Reader, error) {
	h, err := readHeader(in, size)
	if err != nil {
		return nil, err
	}
	return &Reader{layout: h, in: in, row: h.rowSize()}, nil
}

// Shape returns the shape of the array.
func (h layout) Shape() tensor.Shape { return h.shape }

// Integers reports whether the elements are integers or booleans.
func (h layout) Integers() bool { return h.kind[0] != 'f' }

// Rows returns the next rows, up to n; io.EOF after the last one.
func (r *Reader) Rows(n int) (*tensor.Dense, error) {
	if len(r.shape) == 0 {
		return nil, fmt.Errorf("it is one number, and has no rows")
	}
	at := r.at / max(r.row, 1)
	n = min(n, r.shape[0]-at)
	if n <= 0 {
		return nil, io.EOF
	}
	shape := r.shape.Clone()
	shape[0] = n
	if !r.fortran {
		a := tensor.New(shape...)
		return a, r.read(a.Data)
	}
	if r.whole == nil {
		r.at = 0
		whole, err := r.all()
		if err != nil {
			return nil, err
		}
		r.whole = whole
	}
	r.at = (at + n) * r.row
	return r.whole.Slice(at, at+n).Clone(), nil
}

// all reads the whole array.
func (r *Reader) all() (*tensor.Dense, error) {
	n := r.shape.Size()
	if err := checkup.Fits(4 * int64(n)); err != nil {
		return nil, err
	}
	if !r.fortran {
		a := tensor.New(r.shape...)
		return a, r.read(a.Data)
	}
	a, part := tensor.New(r.shape...), make([]float32, 4096)
	for i := 0; i < n; i += len(part) {
		part = part[:min(len(part), n-i)]
		if err := r.read(part); err != nil {
			return nil, err
		}
		for k, x := range part {
			a.Data[rowMajor(r.shape, i+k)] = x
		}
	}
	return a, nil
}

// read reads elements in the file's order.
func (r *Reader) read(to []float32) error {
	const piece = 16 << 10
	for len(to) > 0 {
		n := min(len(to), piece)
		r.buf = slices.Grow(r.buf[:0], n*r.each)[:n*r.each]
		if _, err := io.ReadFull(r.in, r.buf); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		if bad := decode(r.kind, r.order, r.buf, to[:n]); bad >= 0 {
			at := r.at + bad
			if r.fortran {
				at = rowMajor(r.shape, at)
			}
			return fmt.Errorf("its element %d is %g, for which float32 has no place", at, float64At(r.order, r.buf, bad))
		}
		r.at += n
		to = to[n:]
	}
	return nil
}

// rowMajor returns the index in C order of the i-th element in Fortran order.
func rowMajor(shape tensor.Shape, i int) int {
	at, stride := 0, shape.Size()
	for _, n := range shape {
		stride /= n
		at += i % n * stride
		i /= n
	}
	return at
}
