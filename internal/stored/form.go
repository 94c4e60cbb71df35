package stored

import (
	"bytes"
	"fmt"

	"github.com/dl4go/dl4go/data"
)

// form is what all rows of a file have in common. The file has only the elements of their arrays, which is much less if
// rows are short.
type form struct {
	Row  []byte      // one of the rows
	Open []data.Span // where the rows may differ from it
}

// formOf returns the form of a row, or nil if its elements are nearly all of it.
func formOf(row []byte) *form {
	f := &form{bytes.Clone(row), data.Elements(row)}
	if n := f.size(); n == 0 || 10*n > 9*len(row) {
		return nil
	}
	return f
}

// size is the number of bytes of a packed row.
func (f *form) size() (n int) {
	for _, s := range f.Open {
		n += s.To - s.From
	}
	return n
}

// pack appends a row's elements. It returns false if the row has another form.
func (f *form) pack(to, row []byte) ([]byte, bool) {
	if len(row) != len(f.Row) {
		return to, false
	}
	at := 0
	for _, s := range f.Open {
		if !bytes.Equal(row[at:s.From], f.Row[at:s.From]) {
			return to, false
		}
		to = append(to, row[s.From:s.To]...)
		at = s.To
	}
	return to, bytes.Equal(row[at:], f.Row[at:])
}

// expand appends the row with these elements.
func (f *form) expand(to, packed []byte) []byte {
	from := len(to)
	to = append(to, f.Row...)
	for _, s := range f.Open {
		packed = packed[copy(to[from+s.From:from+s.To], packed):]
	}
	return to
}

// check fails if rows can't be in a file like this.
func (l *layout) check() error {
	f, at := l.Form, 0
	if l.Bucket != 0 && (l.Stride <= 0 || l.Stride > longestRow || l.Bucket < 0 ||
		l.Bucket > bucketRows(l.Rows, int(l.Stride), bucketBytes)) {
		return errReference
	}
	if f == nil {
		return nil
	}
	for _, s := range f.Open {
		if s.From < at || s.To < s.From || s.To > len(f.Row) {
			return errReference
		}
		at = s.To
	}
	if l.Stride != int64(f.size()) {
		return errReference
	}
	return nil
}

// unpack writes all rows in full, because the next one has another form.
func (w *Writer) unpack() error {
	if err := w.flush(); err != nil {
		return err
	}
	before, l := w.rows.file, w.rows.layout
	w.rows.file, w.rows.layout, w.at, w.full = nil, layout{}, 0, true
	defer func() {
		before.Close()
		remove(before)
	}()
	if err := w.open(); err != nil {
		return err
	}
	block, row := make([]byte, max(1, writeBytes/l.Stride)*l.Stride), []byte(nil)
	for from := 0; from < l.Rows; {
		n := min(l.Rows-from, len(block)/int(l.Stride))
		if _, err := before.ReadAt(block[:n*int(l.Stride)], int64(from)*l.Stride); err != nil {
			return fmt.Errorf("the stored examples from %d on: %w", from, err)
		}
		for k := range n {
			row = l.Form.expand(row[:0], block[int64(k)*l.Stride:int64(k+1)*l.Stride])
			if err := w.Add(row); err != nil {
				return err
			}
		}
		from += n
	}
	return nil
}

// Recode gives all rows the form of another row, in place. change turns the elements of a row into those of the new
// one; nil: they are the same. It returns false, and does nothing, unless both forms have as many bytes of elements.
func (r *Rows) Recode(like []byte, change func(elements []byte) error) (bool, error) {
	r.using.Lock()
	defer r.using.Unlock()
	l := &r.layout
	f := formOf(like)
	switch {
	case r.file == nil:
		return false, ErrClosed
	case f == nil || l.Form == nil || l.Bucket > 0 || f.size() != l.Form.size():
		return false, nil
	}
	block := make([]byte, max(1, writeBytes/l.Stride)*l.Stride)
	for from := int64(0); change != nil && from < r.bytes; from += int64(len(block)) {
		b := block[:min(int64(len(block)), r.bytes-from)]
		err := r.read(b, from)
		for at := int64(0); at < int64(len(b)) && err == nil; at += l.Stride {
			err = change(b[at : at+l.Stride])
		}
		if err == nil {
			_, err = r.file.WriteAt(b, from)
		}
		if err != nil {
			return false, err
		}
	}
	l.Form, r.ahead.block = f, nil
	return true, nil
}
