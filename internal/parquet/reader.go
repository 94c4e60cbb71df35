package parquet

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/dl4go/dl4go/pipeline"
)

// Reader reads some columns, a few rows at a time. It is for one goroutine.
type Reader struct {
	file    *File
	columns []columnReader
	group   int   // that comes
	left    int64 // rows of the group before it
	first   int64 // the row that Next began with
	next    int64
	rows    int

	removes      func([]pipeline.Extent) bool // nil: all groups are read
	passed       int64
	passedGroups int
}

// columnReader holds the rows of a column that were read.
type columnReader struct {
	Column
	leaves []leafReader
	cells  cellBuffers
}

// leafReader has what was read of a leaf.
type leafReader struct {
	chunk
	values values
	texts  texts // instead of values, for texts
	levels [1024]uint32
	pos    places // of leaves without lists
	// What follows is for leaves in lists. reps and defs are the levels of entries, from is the first entry of each
	// row, and one more, and start its first value.
	reps, defs  []uint8
	from, start []int32
}

// buffers is about how many bytes of the file all columns of a Reader hold.
const buffers = 64 << 20

// Reader begins to read the columns of these places. A column with a Problem is an error.
func (f *File) Reader(columns []int) (*Reader, error) {
	r := &Reader{file: f}
	shared := &codec{}
	for _, i := range columns {
		c := f.Columns[i]
		if c.Problem != "" {
			return nil, &Error{Path: f.path, Column: c.Name,
				Problem: c.Problem + ", which can't be read: leave it out, or write its parts as columns"}
		}
		column := columnReader{Column: c}
		for _, l := range c.leaves {
			text := c.form == scalar && c.Type == pipeline.StringType && l.physical == physicalBytes
			column.leaves = append(column.leaves, leafReader{chunk: chunk{leaf: l, codec: shared, text: text},
				values: values{noted: c.hasNumbers()}})
		}
		r.columns = append(r.columns, column)
	}
	return r, nil
}

// Next reads the next rows: n of them, or fewer at the end of a row group. At the end of the file it returns 0.
func (r *Reader) Next(n int) (rows int, err error) {
	defer rescue(r.file.path, &err)
	r.passed = 0
	for r.left == 0 {
		if r.group == len(r.file.groups) {
			r.release()
			return 0, nil
		}
		g := r.file.groups[r.group]
		r.group++
		if g.rows == 0 {
			continue
		}
		if r.removes != nil && r.passes(g) {
			r.next += g.rows
			r.passed += g.rows
			r.passedGroups++
			continue
		}
		r.left = g.rows
		buffer := min(max(buffers/max(len(r.columns), 1), 16<<10), 1<<20)
		for i := range r.columns {
			for k := range r.columns[i].leaves {
				l := &r.columns[i].leaves[k]
				l.open(r.file.in, g.chunks[l.chunk.chunk], buffer)
				l.reset()
			}
		}
	}
	n = int(min(int64(n), r.left))
	r.left -= int64(n)
	r.first, r.next = r.next, r.next+int64(n)
	for i := range r.columns {
		c := &r.columns[i]
		for k := range c.leaves {
			if err := c.leaves[k].read(n, r.left == 0); err != nil {
				return 0, &Error{Path: r.file.path, Column: c.Name, Row: 0, Problem: fmt.Sprintf("row group %d: %v", r.group-1,
					err)}
			}
		}
	}
	r.rows = n
	return n, nil
}

// release gives the memory of all columns back.
func (r *Reader) release() {
	for i := range r.columns {
		for k := range r.columns[i].leaves {
			r.columns[i].leaves[k].release()
		}
	}
}

// First is the number of the first row that Next read, counted from 0.
func (r *Reader) First() int64 { return r.first }

func (l *leafReader) reset() {
	l.values.reset()
	l.texts.reset()
	l.pos.reset(0)
	l.reps, l.defs, l.from, l.start = l.reps[:0], l.defs[:0], l.from[:0], l.start[:0]
}

// read reads the next n rows. After the last ones of a row group no value may be left.
func (l *leafReader) read(n int, last bool) error {
	var err error
	if l.maxRep == 0 {
		err = l.scalars(n)
	} else {
		err = l.lists(n)
	}
	if err == nil && last && (l.page > 0 || l.entries > 0) {
		err = errors.New("there are more values than rows")
	}
	return err
}

func (l *leafReader) scalars(n int) error {
	l.values.reset()
	l.texts.reset()
	l.pos.reset(n)
	for read := 0; read < n; {
		if l.page == 0 {
			if err := l.next(); err != nil {
				return err
			}
		}
		k := min(n-read, l.page)
		present := k
		if l.maxDef > 0 {
			var err error
			if k, present, err = l.definitions(min(k, len(l.levels)), read); err != nil {
				return err
			}
		}
		if err := l.decode(present); err != nil {
			return err
		}
		read += k
		l.page -= k
	}
	return nil
}

// decode reads the next n values of the page.
func (l *leafReader) decode(n int) error {
	switch {
	case !l.text:
		if _, ok := l.source.(*indexed); !ok {
			l.values.resolve()
		}
		return l.source.decode(n, &l.values)
	case n > 0:
		return l.textSource.decodeTexts(n, &l.texts)
	}
	return nil
}

// definitions reads the levels of up to k rows. It returns their number, and how many of them have a value. read is the
// number of rows that were read before.
func (l *leafReader) definitions(k, read int) (levels, present int, err error) {
	before, top := len(l.pos.nulls), uint32(l.maxDef)
	if level, ok := l.def.same(k); ok {
		if level > top {
			return 0, 0, errLevel
		}
		if level < top {
			for i, out := 0, extend(&l.pos.nulls, k); i < len(out); i++ {
				out[i] = int32(read + i)
			}
		}
		return k, k - (len(l.pos.nulls) - before), nil
	}
	if l.maxDef == 1 {
		err = l.definitionBits(k, read)
		return k, k - (len(l.pos.nulls) - before), err
	}
	part := l.levels[:k]
	if err := l.def.read(part); err != nil {
		return 0, 0, err
	}
	for i, level := range part {
		if level > top {
			return 0, 0, errLevel
		}
		if level < top {
			l.pos.nulls = append(l.pos.nulls, int32(read+i))
		}
	}
	return k, k - (len(l.pos.nulls) - before), nil
}

// definitionBits is definitions for levels of 0 and 1.
func (l *leafReader) definitionBits(k, read int) error {
	for at, end := read, read+k; at < end; {
		word, n, more, err := l.def.bits(end - at)
		if err != nil {
			return err
		}
		if more {
			return errLevel
		}
		for none := ^word & (1<<n - 1); none != 0; none &= none - 1 {
			l.pos.nulls = append(l.pos.nulls, int32(at+bits.TrailingZeros64(none)))
		}
		at += n
	}
	return nil
}
