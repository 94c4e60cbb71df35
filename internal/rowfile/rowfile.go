// Package rowfile writes rows and sequences of a pipeline to files: CSV, JSON lines, Parquet. Each format has its own
// file in this package.
package rowfile

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

// Writer writes rows in one format. It is for one goroutine.
type Writer interface {
	// Write writes a row or, for a schema of sequences, a sequence. It does not keep the item.
	Write(pipeline.Item) error
	// Finish writes what follows the last row, and any buffered rows. Nothing may be written after it.
	Finish() error
}

// Options say how rows are written.
type Options struct {
	// Schema has the columns.
	Schema *pipeline.Schema
	// Arrays writes JSON lines as arrays in the schema's order, not as objects by the columns' names.
	Arrays bool
	// NoHeader omits the first line of CSV, which has the columns' names.
	NoHeader bool
}

// Format is a format of files.
type Format struct {
	Name    string   // "csv"
	Endings []string // of files: ".csv"
	// Arrays and Header report whether the format supports Options.Arrays and NoHeader.
	Arrays, Header bool
	// Lines reports whether the format may be written to standard output.
	Lines bool
	// New returns a writer. It refuses columns that the format can't express, by name.
	New func(to io.Writer, o Options) (Writer, error)
}

// Formats returns all formats.
func Formats() []Format { return []Format{csvFormat, jsonLinesFormat, parquetFormat} }

// Named returns the format of a name.
func Named(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("%q: there are %s", name, strings.Join(names, ", "))
}

// Of returns the format for a file's extension.
func Of(name string) (Format, error) {
	ending := strings.ToLower(path.Ext(name))
	var all []string
	for _, f := range Formats() {
		for _, e := range f.Endings {
			if e == ending {
				return f, nil
			}
			all = append(all, e)
		}
	}
	return Format{}, fmt.Errorf("%s: it must end in %s, or be - for standard output", name, strings.Join(all, ", "))
}

// File is a file of rows that is being written. It appears under its name with Commit.
type File struct {
	Writer
	to  *storage.Output
	buf *bufio.Writer
}

// Create starts to write a file. The context also governs Commit.
func Create(ctx context.Context, name string, f Format, o Options) (*File, error) {
	to, err := storage.Create(ctx, name)
	if err != nil {
		return nil, err
	}
	buf := bufio.NewWriterSize(to, 256<<10)
	w, err := f.New(buf, o)
	if err != nil {
		to.Close()
		return nil, err
	}
	return &File{w, to, buf}, nil
}

// Lines appends lines that another Writer, with the same options but without a header, has written.
func (f *File) Lines(b []byte) error {
	_, err := f.buf.Write(b)
	return err
}

// Commit finishes the file and makes it appear.
func (f *File) Commit() error {
	if err := f.Finish(); err != nil {
		return err
	}
	if err := f.buf.Flush(); err != nil {
		return err
	}
	return f.to.Commit()
}

// Close discards the file if it was not committed.
func (f *File) Close() error { return f.to.Close() }

// typed converts a value to its column's type. A text in a column of numbers becomes its number, and stays a text if
// it is none. In columns of text, all values except null become texts.
func typed(v pipeline.Value, c pipeline.Column) pipeline.Value {
	switch t := c.Type(); {
	case v.IsNull():
	case t == pipeline.StringType || t == pipeline.CategoricalType:
		if !v.IsText() && v.Kind() != pipeline.ArrayKind && v.Kind() != pipeline.BytesKind {
			return pipeline.Text(v.String())
		}
	case v.IsText():
		if converted, err := c.Convert(v); err == nil {
			return converted
		}
	}
	return v
}
