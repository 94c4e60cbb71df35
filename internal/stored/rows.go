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
	row, err := r.row(i)
	switch {
	case err != nil:
	case r.layout.Form != nil:
		row = r.layout.Form.expand(make([]byte, 0, len(r.layout.Form.Row)), row)
	case r.mapped != nil:
		row = slices.Clone(row)
	}
	return row, err
}

// View calls use with the bytes of n rows, which are read-only and valid until it returns. at returns the number of the
// k-th row. If there is an error, use is not called.
func (r *Rows) View(n int, at func(k int) int, use func(rows [][]byte) error) error {
	r.using.RLock()
	defer r.using.RUnlock()
	rows := make([][]byte, n)
	f, block := r.layout.Form, []byte(nil)
	if f != nil {
		block = make([]byte, 0, n*len(f.Row))
	}
	for k := range rows {
		row, err := r.row(at(k))
		if err != nil {
			return err
		}
		if f != nil {
			from := len(block)
			block = f.expand(block, row)
			row = block[from:]
		}
		rows[k] = row
	}
	return use(rows)
}

// row returns a row's bytes in the file, in the mapping if there is one. The caller holds using.
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
	if l := r.layout; !r.memory && l.Stride > 0 {
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
