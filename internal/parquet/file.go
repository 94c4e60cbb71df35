// Package parquet reads and writes Parquet files: typed columns, lists of numbers, and Spark ML's vectors. It decodes
// column by column, with no memory that the file's size does not justify. Nothing in a file makes it panic.
package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/internal/checkup"
)

// Error is a mistake in a file, with its place.
type Error struct {
	Path    string
	Row     int64  // counted from 1; 0 if the trouble is no row's
	Column  string // empty if it is no column's
	Problem string
}

func (e *Error) Error() string {
	text := e.Path
	if e.Row > 0 {
		text += fmt.Sprintf(": row %d", e.Row)
	}
	if e.Column != "" {
		text += fmt.Sprintf(": column %q", e.Column)
	}
	return text + ": " + e.Problem
}

// File is a file whose footer was read.
type File struct {
	// Columns are those of the table, in order.
	Columns []Column
	// Rows is how many there are.
	Rows int64

	path   string
	in     io.ReaderAt
	groups []rowGroup
	// ordered says for each leaf whether its statistics have the order of its type.
	ordered []bool
}

const magic = "PAR1"

// Open reads the footer of a file of size bytes. The path is for messages. The file is used as long as the File.
func Open(path string, in io.ReaderAt, size int64) (f *File, err error) {
	defer rescue(path, &err)
	footer, err := readFooter(in, size)
	if err != nil {
		return nil, named(path, err)
	}
	m, ok := readMetadata(footer)
	if !ok || len(m.schema) == 0 {
		return nil, &Error{Path: path, Problem: "its footer is damaged"}
	}
	root, leaves, err := tree(m.schema)
	if err != nil {
		return nil, named(path, err)
	}
	if m.rows > maxRows(size) {
		return nil, &Error{Path: path, Problem: fmt.Sprintf("its %d bytes claim to have %d rows: the file is damaged",
			size, m.rows)}
	}
	f = &File{Rows: m.rows, path: path, in: in, groups: m.groups, ordered: m.ordered}
	all := make([]leaf, leaves)
	for _, n := range root.fields {
		c := columnOf(n)
		for _, l := range c.leaves {
			all[l.chunk] = l
		}
		f.Columns = append(f.Columns, c)
	}
	return f, f.check(all, size-int64(len(footer))-8)
}

// maxRows bounds the rows of a file by its bytes. Rows that are all alike take almost no room, but each page of them
// has a header.
func maxRows(size int64) int64 { return 1<<20 + 4096*size }

// tailBytes are read at once: most footers are in them.
const tailBytes = 64 << 10

// readFooter reads the metadata at the end of a file.
func readFooter(in io.ReaderAt, size int64) ([]byte, error) {
	const none = "it is no Parquet file, or its end is missing"
	if size < 12 {
		return nil, errors.New(none)
	}
	tail := make([]byte, min(size, tailBytes))
	if _, err := in.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return nil, err
	}
	tail, end := tail[:len(tail)-8], tail[len(tail)-8:]
	if string(end[4:]) == "PARE" {
		return nil, fmt.Errorf("it is encrypted: write it without encryption")
	}
	n := int64(le.Uint32(end))
	if string(end[4:]) != magic {
		return nil, errors.New(none)
	}
	if n > size-12 {
		return nil, fmt.Errorf("its footer claims %d bytes, and the file has %d", n, size)
	}
	if n <= int64(len(tail)) {
		return tail[int64(len(tail))-n:], nil
	}
	if err := checkup.Fits(8 * n); err != nil {
		return nil, err
	}
	footer := make([]byte, n)
	if _, err := in.ReadAt(footer, size-8-n); err != nil && err != io.EOF {
		return nil, err
	}
	return footer, nil
}

// check compares the row groups with the schema, and with the bytes of the file that are before the footer.
func (f *File) check(leaves []leaf, size int64) error {
	rows := int64(0)
	for i, g := range f.groups {
		if len(g.chunks) != len(leaves) || g.rows < 0 || g.rows > f.Rows-rows {
			return &Error{Path: f.path, Problem: fmt.Sprintf("its footer is damaged at row group %d", i)}
		}
		rows += g.rows
		for k, m := range g.chunks {
			l := leaves[k]
			from := m.data
			if m.dictionary > 0 {
				from = min(from, m.dictionary)
			}
			switch {
			case l.name == "" || g.rows == 0: // of a column that is not read
			case m.elsewhere:
				return &Error{Path: f.path, Problem: fmt.Sprintf("column %q lies in another file: name the files of the data",
					l.name)}
			case m.encrypted:
				return &Error{Path: f.path, Problem: fmt.Sprintf("column %q is encrypted: write it without encryption", l.name)}
			case m.physical != l.physical, from < 4, m.size < 0, from > size, m.size > size-from, m.values < 0,
				l.maxRep == 0 && m.values != g.rows, m.values < g.rows:
				return &Error{Path: f.path, Problem: fmt.Sprintf("its footer is damaged at row group %d, field %q", i, l.name)}
			}
		}
	}
	if rows != f.Rows || f.Rows > 0 && len(leaves) == 0 {
		return &Error{Path: f.path,
			Problem: fmt.Sprintf("its footer says that there are %d rows, and its row groups have %d", f.Rows, rows)}
	}
	return nil
}

// named gives an error the file's name.
func named(path string, err error) error {
	if e, ok := err.(*Error); ok {
		return e
	}
	return fmt.Errorf("%s: %w", path, err)
}

// rescue makes an error of a panic: of a library that decompresses, say.
func rescue(path string, err *error) {
	if p := recover(); p != nil {
		*err = &Error{Path: path, Problem: fmt.Sprintf("it is damaged (%v)", p)}
	}
}
