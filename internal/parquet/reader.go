package parquet

import (
	"errors"
	"fmt"

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
	lists   int // leaves with lists
	numbers int // in arrays that Column has returned of these rows

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
			if l.maxRep > 0 {
				r.lists++
			}
		}
		r.columns = append(r.columns, column)
	}
	return r, nil
}

// Next reads the next rows: n of them, or fewer at the end of a row group and where rows have long lists. At the end of
// the file it returns 0.
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
	if rows, err = r.read(int(min(int64(n), r.left))); err != nil {
		return 0, err
	}
	r.first, r.next = r.next, r.next+int64(rows)
	r.rows, r.numbers = rows, 0
	return rows, nil
}

// read reads the next n rows of the row group, or fewer where they have long lists.
func (r *Reader) read(n int) (rows int, err error) {
	held := max(maxHeld/max(r.lists, 1), minHeld)
	err = r.eachLeaf(func(l *leafReader) (err error) {
		if l.maxRep > 0 {
			n, err = l.lists(n, held)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	r.left -= int64(n)
	return n, r.eachLeaf(func(l *leafReader) error {
		if l.maxRep > 0 {
			l.cut(n)
		} else if err := l.scalars(n); err != nil {
			return err
		}
		if r.left == 0 && (l.page > 0 || l.entries > 0) {
			return errors.New("there are more values than rows")
		}
		return nil
	})
}

// eachLeaf reads something of each leaf.
func (r *Reader) eachLeaf(read func(*leafReader) error) error {
	for i := range r.columns {
		c := &r.columns[i]
		for k := range c.leaves {
			if err := read(&c.leaves[k]); err != nil {
				return &Error{Path: r.file.path, Column: c.Name, Row: 0, Problem: fmt.Sprintf("row group %d: %v", r.group-1,
					err)}
			}
		}
	}
	return nil
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
