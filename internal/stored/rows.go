package stored

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

// layout describes where rows are in a file.
type layout struct {
	Rows   int
	Stride int64 // the length of each row; 0 if lengths differ
	Ends   int64 // the start of the table of ends, if lengths differ
	Form   *form `json:",omitempty"` // nil: the file has the rows in full
	Bucket int   `json:",omitempty"` // the rows of a bucket of a shuffled file; 0: the rows are in order
}

// length is the number of bytes of a row in full, of a file whose rows have a form or are in buckets.
func (l *layout) length() int {
	if l.Form != nil {
		return len(l.Form.Row)
	}
	return int(l.Stride)
}

// ErrClosed is the error of reading rows after Close.
var ErrClosed = errors.New("the stored examples are closed")

// Rows are the rows of a file. They are safe for concurrent use: Close waits until nobody reads.
type Rows struct {
	using  sync.RWMutex // held while the file, or memory of it, is in use
	layout layout
	file   *os.File
	dir    string // of a file on disk that this process has written
	path   string
	memory bool   // the file is in memory
	mapped []byte // its content then; nil if mapping failed
	own    bool   // this process has written the file
	bytes  int64
	ahead  ahead
	bucket bucket
}

// Len returns the number of rows.
func (r *Rows) Len() int { return r.layout.Rows }

// Bytes returns the total size of the rows.
func (r *Rows) Bytes() int64 { return r.bytes }

// InMemory reports whether the rows take memory, and not disk.
func (r *Rows) InMemory() bool { return r.memory }

// place returns where a row is.
func (r *Rows) place(i int) (from, to int64, err error) {
	l := r.layout
	if l.Stride > 0 {
		return int64(i) * l.Stride, int64(i+1) * l.Stride, nil
	}
	var both [16]byte
	ends, at := both[:], l.Ends+8*int64(i-1)
	if i == 0 {
		ends, at = both[8:], l.Ends
	}
	if err := r.read(ends, at); err != nil {
		return 0, 0, err
	}
	return int64(binary.LittleEndian.Uint64(both[:])), int64(binary.LittleEndian.Uint64(both[8:])), nil
}

// within returns bytes of the mapping.
func (r *Rows) within(from, to int64) ([]byte, error) {
	if from < 0 || from > to || to > int64(len(r.mapped)) {
		return nil, io.ErrUnexpectedEOF
	}
	return r.mapped[from:to:to], nil
}

// read fills b from the file.
func (r *Rows) read(b []byte, at int64) error {
	if r.mapped != nil {
		from, err := r.within(at, at+int64(len(b)))
		copy(b, from)
		return err
	}
	_, err := r.file.ReadAt(b, at)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // the end of the file is never the end of the rows
	}
	return err
}

// At returns a row's bytes, which are read-only and stay valid.
func (r *Rows) At(i int) ([]byte, error) {
	r.using.RLock()
	defer r.using.RUnlock()
	if r.layout.Bucket > 0 || r.layout.Form != nil {
		return r.append(nil, i)
	}
	row, err := r.row(i)
	if err == nil && r.mapped != nil {
		row = slices.Clone(row)
	}
	return row, err
}

// AppendTo appends a row's bytes to b.
func (r *Rows) AppendTo(b []byte, i int) ([]byte, error) {
	r.using.RLock()
	defer r.using.RUnlock()
	if r.layout.Bucket > 0 || r.layout.Form != nil {
		return r.append(b, i)
	}
	row, err := r.row(i)
	return append(b, row...), err
}

// View calls use with the bytes of n rows, which are read-only and valid until it returns. at returns the number of the
// k-th row. If there is an error, use is not called.
func (r *Rows) View(n int, at func(k int) int, use func(rows [][]byte) error) error {
	r.using.RLock()
	defer r.using.RUnlock()
	l := &r.layout
	rows, block := make([][]byte, n), []byte(nil)
	if l.Bucket > 0 || l.Form != nil {
		block = make([]byte, 0, n*l.length())
	}
	for k := range rows {
		var err error
		if block == nil {
			rows[k], err = r.row(at(k))
		} else {
			from := len(block)
			block, err = r.append(block, at(k))
			rows[k] = block[from:]
		}
		if err != nil {
			return err
		}
	}
	return use(rows)
}

// append appends a row in full. The caller holds using.
func (r *Rows) append(to []byte, i int) (_ []byte, err error) {
	l := &r.layout
	var row []byte
	switch {
	case l.Bucket == 0:
		row, err = r.row(i)
	case r.file == nil:
		err = ErrClosed
	default:
		r.bucket.mu.Lock()
		defer r.bucket.mu.Unlock()
		if row, err = r.bucket.row(r, i); err != nil {
			err = fmt.Errorf("row %d of the stored examples: %w", i, err)
		}
	}
	if err != nil {
		return to, err
	}
	to = slices.Grow(to, l.length())
	if l.Form == nil {
		return append(to, row...), nil
	}
	return l.Form.expand(to, row), nil
}

// row returns a row's bytes in a file in order, in the mapping if there is one. The caller holds using.
func (r *Rows) row(i int) (b []byte, err error) {
	if r.file == nil {
		return nil, ErrClosed
	}
	from, to, err := r.place(i)
	switch l := r.layout; {
	case err != nil:
	case r.mapped != nil:
		b, err = r.within(from, to)
	case !r.memory && l.Stride > 0:
		b, err = r.ahead.row(r, from, to, int64(l.Rows)*l.Stride)
	default:
		b = make([]byte, to-from)
		err = r.read(b, from)
	}
	if err != nil {
		return nil, fmt.Errorf("row %d of the stored examples: %w", i, err)
	}
	return b, nil
}

// Soon asks the system to read a row ahead.
func (r *Rows) Soon(i int) {
	r.using.RLock()
	defer r.using.RUnlock()
	if r.file == nil {
		return
	}
	if l := &r.layout; !r.memory && l.Stride > 0 && l.Bucket == 0 {
		soon(r.file, int64(i)*l.Stride, l.Stride)
	}
}

// Close closes the file, when nobody reads it any more. If this process has written it, the rows are gone.
func (r *Rows) Close() error {
	r.using.Lock()
	defer r.using.Unlock()
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	if r.mapped != nil {
		unmap(r.mapped)
		r.mapped = nil
	}
	if r.own {
		remove(r.file)
	}
	r.file = nil
	return err
}
