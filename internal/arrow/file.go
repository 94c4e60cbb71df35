package arrow

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dl4go/dl4go/pipeline"
)

// magic begins and ends a file; a stream has none.
const magic = "ARROW1"

// Error is a problem of a file.
type Error struct {
	Path    string
	Row     int64  // from 1; 0 if it is not about a row
	Column  string // empty if it is not about a column
	Problem string
}

func (e *Error) Error() string {
	s := e.Path + ": "
	if e.Row > 0 {
		s += fmt.Sprintf("row %d: ", e.Row)
	}
	if e.Column != "" {
		s += fmt.Sprintf("column %q: ", e.Column)
	}
	return s + e.Problem
}

// File is a file in Arrow's IPC format, or a stream in a file.
type File struct {
	Columns []FileColumn
	path    string
	in      storedFile
	from    int64 // the first message
	end     int64 // behind the last message
}

// FileColumn is a column of a File. If it has a Problem, it can't be read.
type FileColumn struct {
	Name    string
	Type    pipeline.ColumnType
	Rank    int // of arrays
	Problem string
	of      Type
}

// storedFile is an input that is read on demand.
type storedFile struct{ in io.ReaderAt }

func (s storedFile) part(at, n int64) ([]byte, error) {
	b := make([]byte, n)
	if read, err := s.in.ReadAt(b, at); int64(read) < n {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

// Open reads the schema of a file of size bytes. The path is for messages. Errors are *[Error]s, or those of in.
func Open(path string, in io.ReaderAt, size int64) (*File, error) {
	f := &File{path: path, in: storedFile{in}, end: size}
	if err := f.ends(size); err != nil {
		return nil, err
	}
	r := f.messages()
	m, err := r.message()
	switch {
	case err != nil:
	case m.header.pos == 0 || m.kind != headerSchema:
		err = r.fail("it does not begin with a schema")
	default:
		err = r.readSchema(m.header)
	}
	if err != nil {
		return nil, f.named(err)
	}
	for _, field := range r.schema {
		f.Columns = append(f.Columns, columnOf(field))
	}
	return f, nil
}

// ends finds the first and the last message.
func (f *File) ends(size int64) error {
	if size < int64(len(magic)) {
		return f.errorf("it is no Arrow file: it has %d bytes", size)
	}
	head, err := f.in.part(0, int64(len(magic)))
	if err != nil {
		return err
	}
	switch {
	case bytes.HasPrefix(head, []byte("FEA1")):
		return f.errorf("it is Feather in version 1, which no program writes any more; write it again as version 2")
	case string(head) != magic:
		return nil // a stream
	}
	tail := []byte("0000")
	if size >= 22 {
		if tail, err = f.in.part(size-10, 10); err != nil {
			return err
		}
	}
	footer := int64(le.Uint32(tail))
	if string(tail[4:]) != magic || footer > size-22 {
		return f.errorf("its end is missing, so it was not written to the end or is cut off; write it again")
	}
	f.from, f.end = 8, size-10-footer
	return nil
}

// messages returns a reader of the messages, at the first one.
func (f *File) messages() *reader { return &reader{in: f.in, next: f.from, end: f.end} }

func (f *File) errorf(format string, args ...any) error {
	return &Error{Path: f.path, Problem: fmt.Sprintf(format, args...)}
}

// named adds the file's name to an error of a message.
func (f *File) named(err error) error {
	var format *FormatError
	if errors.As(err, &format) {
		return f.errorf("message at byte %d: %s", format.Offset, format.Reason)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return f.errorf("it ends too early")
	}
	return err
}

// columnOf returns the form in which a column is read.
func columnOf(f Field) FileColumn {
	c := FileColumn{Name: f.Name, of: f.Type}
	t := f.Type
	for (t.Kind == List || t.Kind == FixedList) && c.Rank < maxDepth {
		c.Rank, t = c.Rank+1, *t.Elem
	}
	if t.Kind == Dictionary && c.Rank == 0 {
		t = *t.Elem
	}
	kind, ok := columnTypes[t.Kind]
	switch {
	case t.Kind == Other:
		c.Problem = "is of type " + t.name
	case !ok:
		c.Problem = "is of type " + f.Type.String()
	case c.Rank > 0 && !numeric(kind):
		c.Problem = "has lists of " + t.String()
	case c.Rank > 0:
		kind = pipeline.ArrayType
	}
	if c.Type = kind; t.Kind == Time && t.size == 8 && c.Rank == 0 {
		c.Type = pipeline.LongType
	}
	return c
}

var columnTypes = map[Kind]pipeline.ColumnType{Null: pipeline.DoubleType, Bool: pipeline.BooleanType,
	Int8: pipeline.IntegerType, Int16: pipeline.IntegerType, Int32: pipeline.IntegerType, Int64: pipeline.LongType,
	Uint8: pipeline.IntegerType, Uint16: pipeline.IntegerType, Uint32: pipeline.LongType, Uint64: pipeline.LongType,
	Float16: pipeline.FloatType, Float32: pipeline.FloatType, Float64: pipeline.DoubleType,
	Decimal: pipeline.DoubleType, String: pipeline.StringType, Binary: pipeline.BytesType,
	FixedBinary: pipeline.BytesType, Date: pipeline.TimeType, Timestamp: pipeline.TimeType, Time: pipeline.IntegerType,
	Duration: pipeline.LongType}

func numeric(t pipeline.ColumnType) bool {
	return slices.Contains([]pipeline.ColumnType{pipeline.DoubleType, pipeline.FloatType, pipeline.IntegerType,
		pipeline.LongType, pipeline.BooleanType}, t)
}

// Reader returns a reader of the columns with these indices.
func (f *File) Reader(columns []int) (*FileReader, error) {
	return &FileReader{file: f, messages: f.messages(), columns: slices.Clip(columns)}, nil
}

// FileReader reads the rows of a File, some at a time.
type FileReader struct {
	file     *File
	messages *reader
	columns  []int
	batch    *Batch
	at       int   // the first row of batch that Next has returned
	rows     int   // their number
	first    int64 // the number of the first in the file
	before   int64 // rows before batch
}

// Next reads up to n rows, and returns their number; 0 at the end. Rows are counted from 0 among them.
func (r *FileReader) Next(n int) (int, error) {
	r.at += r.rows
	r.rows = 0
	for r.batch == nil || r.at == r.batch.Rows {
		if err := r.next(); err != nil {
			return 0, err
		}
		if r.batch == nil {
			return 0, nil
		}
	}
	r.rows = min(n, r.batch.Rows-r.at)
	r.first = r.before + int64(r.at)
	return r.rows, nil
}

// next reads the next batch; batch is nil at the end.
func (r *FileReader) next() error {
	if r.batch != nil {
		r.before += int64(r.batch.Rows)
	}
	r.batch, r.at = nil, 0
	for {
		m, err := r.messages.message()
		if err == nil && m.header.pos == 0 {
			return nil
		}
		switch {
		case err != nil:
		case m.kind == headerSchema && r.messages.schema == nil:
			err = r.messages.readSchema(m.header)
		case m.kind == headerDictionary:
			err = r.messages.readDictionary(m)
		case m.kind == headerRecordBatch:
			if r.batch, err = r.messages.readBatch(m, r.columns); err == nil {
				return nil
			}
		default:
			err = r.messages.fail("a message of kind %d", m.kind)
		}
		if err != nil {
			r.batch = nil
			return r.file.named(err)
		}
	}
}

// First returns the number of the first row that Next has read, from 0.
func (r *FileReader) First() int64 { return r.first }
