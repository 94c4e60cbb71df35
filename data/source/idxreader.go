package source

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/tensor"
)

// idxReader reads an array of bytes in the IDX format, gzipped or not, from its first element to its last. Offsets in
// its errors are those of the unpacked bytes.
type idxReader struct {
	in    io.Reader
	shape tensor.Shape
	start int64 // offset of the elements
	got   int   // number of elements read
	sized bool  // the file's size shows that it has all elements
}

// newIDXReader reads the header. size is the file's size, or -1.
func newIDXReader(file io.Reader, size int64) (*idxReader, error) {
	bad := func(offset int64, format string, args ...any) (*idxReader, error) {
		return nil, &dl4j.FormatError{Offset: offset, Err: fmt.Errorf(format, args...)}
	}
	b := bufio.NewReaderSize(file, 64<<10)
	var in io.Reader = b
	if magic, _ := b.Peek(2); bytes.Equal(magic, gzipMagic) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return bad(0, "damaged gzip file: %v", err)
		}
		in, size = z, -1
	}
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return bad(0, "not an IDX file: %v", endOf(err))
	}
	if head[0] != 0 || head[1] != 0 || head[3] == 0 || head[3] > 8 {
		return bad(0, "not an IDX file: it starts with % x", head)
	}
	if head[2] != 8 {
		return bad(2, "an IDX file of type %#x: only unsigned bytes (0x8) can be read", head[2])
	}
	shape := make(tensor.Shape, head[3])
	for i := range shape {
		var b [4]byte
		if _, err := io.ReadFull(in, b[:]); err != nil {
			return bad(int64(4+4*i), "damaged IDX file: %v", endOf(err))
		}
		shape[i] = int(binary.BigEndian.Uint32(b[:]))
	}
	start := int64(4 + 4*len(shape))
	n, err := shape.CheckedSize(1 << 40)
	if err != nil {
		return bad(4, "damaged IDX file: %v", err)
	}
	if size >= 0 && int64(n) != size-start {
		return bad(4, "damaged IDX file: an array of shape %v takes %d bytes, and %d follow", shape, n, size-start)
	}
	return &idxReader{in: in, shape: shape, start: start, sized: size >= 0}, nil
}

// read reads the next elements.
func (r *idxReader) read(to []byte) error {
	n, err := io.ReadFull(r.in, to)
	r.got += n
	switch err {
	case nil:
		return nil
	case io.EOF, io.ErrUnexpectedEOF:
		return &dl4j.FormatError{Offset: r.start + int64(r.got),
			Err: fmt.Errorf("damaged IDX file: an array of shape %v takes %d bytes, and %d follow", r.shape, r.shape.Size(),
				r.got)}
	}
	return &dl4j.FormatError{Offset: r.start + int64(r.got), Err: fmt.Errorf("damaged file: %w", err)}
}

// all reads all elements. If the file's size does not confirm their number, the memory grows as they are read.
func (r *idxReader) all() (idxArray, error) {
	n := r.shape.Size()
	if err := checkup.Fits(int64(n)); err != nil {
		return idxArray{}, &dl4j.FormatError{Offset: 4, Err: fmt.Errorf("an array of shape %v: %w", r.shape, err)}
	}
	most := 1 << 20
	if r.sized {
		most = n
	}
	b := make([]byte, 0, min(n, most))
	for len(b) < n {
		if len(b) == cap(b) {
			b = append(make([]byte, 0, min(n, 2*cap(b))), b...)
		}
		if err := r.read(b[len(b):cap(b)]); err != nil {
			return idxArray{}, err
		}
		b = b[:cap(b)]
	}
	return idxArray{r.shape, b}, r.end()
}

// end checks that nothing follows the elements. In a gzip file, this also checks the checksum.
func (r *idxReader) end() error {
	n := r.shape.Size()
	switch _, err := io.ReadFull(r.in, make([]byte, 1)); err {
	case io.EOF:
		return nil
	case nil:
		return &dl4j.FormatError{Offset: r.start + int64(n),
			Err: fmt.Errorf("damaged IDX file: an array of shape %v takes %d bytes, and more follow", r.shape, n)}
	default:
		return &dl4j.FormatError{Offset: r.start + int64(n), Err: fmt.Errorf("damaged file: %w", endOf(err))}
	}
}

type idxArray struct {
	shape tensor.Shape
	bytes []byte
}

// readIDX reads an array of bytes. size is the file's size, or -1.
func readIDX(file io.Reader, size int64) (idxArray, error) {
	r, err := newIDXReader(file, size)
	if err != nil {
		return idxArray{}, err
	}
	return r.all()
}

func endOf(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("the file ends too early")
	}
	return err
}
