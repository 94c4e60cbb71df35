// Package source opens data by name: "csv:FILE?label=species", for example. There are kinds of data for CSV, JSON
// lines, Parquet, Arrow, NumPy, LIBSVM and IDX files, pictures, texts, saved DataSets, and the embedded digits. [Open]
// returns a [Source], [OpenStream] reads examples once, and [OpenRows] returns raw rows. A program adds a kind of its
// own by [Register]: see [Kind].
package source

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// Source is data that can be read many times, and always in the same order. It consists of objects: single examples, or
// the minibatches of saved DataSets, one for each file. It is safe for concurrent use.
//
// A Source may implement more interfaces:
//
//   - [Table], for single examples in memory;
//   - [Picker], for single examples that can be read in any order, and [Sized], for data outside this process's memory;
//   - [Files], for files that workers read themselves, and [Sampled], for data that is not on this machine;
//   - distributed.Spreader, for data that distributes its own examples;
//   - [io.Closer], for data to close after use.
//
// A Source may also have the method of [ObjectRows].
type Source interface {
	// Info describes the data.
	Info() Info
	// Objects returns the number of objects.
	Objects() int
	// Object reads object i: a saved minibatch, or one example. The result belongs to the caller.
	Object(i int) (*data.MultiDataSet, error)
}

// Table is a Source in memory. Each of its objects is one example. Reading it cannot fail.
type Table interface {
	Source
	// Examples returns the examples at the given indices, in that order, as a new minibatch.
	Examples(indices []int) *data.MultiDataSet
	// Range returns the examples [from, to) as a new minibatch.
	Range(from, to int) *data.MultiDataSet
}

// ObjectRows returns a row for each example of object i, for [data.DecodeRow]. If the source has a method
// ObjectRows(i int) ([][]byte, error), it calls that: rows of pixels then take fewer bytes than those of
// [data.ExampleRows].
func ObjectRows(s Source, i int) ([][]byte, error) {
	if of, ok := s.(interface {
		ObjectRows(i int) ([][]byte, error)
	}); ok {
		return of.ObjectRows(i)
	}
	m, err := s.Object(i)
	if err != nil {
		return nil, err
	}
	return data.ExampleRows(m), nil
}

// Sized is a Source whose examples are not in this process's memory.
type Sized interface {
	Source
	// Bytes returns the size of the examples, if it is known.
	Bytes() int64
}

// Files is a Source of files. Each file is an object.
type Files interface {
	Source
	// Paths returns the files. The slice belongs to the source.
	Paths() []string
	// Reader returns the name by which workers read the files.
	Reader() Name
}

// Sampled is a Source that is not on this machine, and whose examples were examined when it was opened.
type Sampled interface {
	Source
	// Samples returns some examples: one for each combination of shapes.
	Samples() []Sample
}

// Sample is an example, and the file that it comes from, if any.
type Sample struct {
	Example *data.MultiDataSet
	From    string
}

// Size returns the approximate size of a source's examples in bytes, and whether they are in this process's memory.
func Size(s Source) (bytes int64, inMemory bool) {
	if of, ok := s.(*Stored); ok {
		return of.rows.Bytes() / int64(max(1, of.rows.Len())) * int64(of.Objects()), of.InMemory()
	}
	if sized, ok := s.(Sized); ok {
		return sized.Bytes(), false
	}
	return s.Info().Bytes(), true
}

// Info describes a source's examples.
type Info struct {
	Name       string         // the source as the user named it
	Examples   int            // number of examples
	Features   []tensor.Shape // of one example, one shape for each array: [784]; -1 stands for an extent that varies
	Labels     []tensor.Shape // of one example, one shape for each array: [10]; empty if there are no labels
	Image      *Image         // if the first features are an image, as a flat row or as [channels, height, width]
	Classes    int            // of the first labels if they are known to be one-hot; otherwise 0
	LabelNames []string       // of the classes; nil if they have no names
	// ClassesFound is true if no setting said that labels are classes: this and the classes were found in the data.
	ClassesFound bool
	Schema       *data.Schema // the names of columns and classes; nil if there are none
	Unused       []string     // columns that are neither features nor labels nor the key
	Task         Task         // of data from a pipeline; empty if unknown
	Words        int          // number of different tokens, if features are numbers of tokens
	Categories   []Category   // feature columns that a network embeds, in order
	Filtered     int          // rows that a pipeline dropped
	Weighted     bool         // each example has a weight
	Notes        []string     // notes on the rows for people; complete after all rows were read
}

// Bytes returns the memory that the examples take as arrays. If extents vary, it is a lower bound.
func (i Info) Bytes() int64 {
	row := 0
	for _, shape := range slices.Concat(i.Features, i.Labels) {
		n := 4
		for _, extent := range shape {
			n *= max(1, extent)
		}
		row += n
	}
	return int64(row) * int64(i.Examples)
}

// OutputNames returns the names of the classes, or of a pipeline's columns of numbers or labels, or nil if they have
// none.
func (i Info) OutputNames() []string {
	if i.LabelNames == nil && i.Task != "" && i.Schema != nil {
		return i.Schema.Labels
	}
	return i.LabelNames
}

// Category is a column of features that holds the numbers of categories, 0 to Count-1.
type Category struct {
	Name   string
	Column int // index among the features
	Count  int
}

// Image is the size of an image.
type Image struct{ Height, Width, Channels int }

// SpecError means that a text does not name data for Open. Mistakes in files are other errors.
type SpecError struct{ Problem string }

func (e *SpecError) Error() string { return e.Problem }

func specf(format string, args ...any) error { return &SpecError{fmt.Sprintf(format, args...)} }

// MismatchError means that data has other columns or classes than the model for which it is opened.
type MismatchError struct{ Err error }

func (e *MismatchError) Error() string { return e.Err.Error() }
func (e *MismatchError) Unwrap() error { return e.Err }

// ColumnsError, in a MismatchError, means that a table does not have the columns that a pipeline takes by name. Taking
// columns by position can't help.
type ColumnsError struct{ Err error }

func (e *ColumnsError) Error() string { return e.Err.Error() }
func (e *ColumnsError) Unwrap() error { return e.Err }

// classNames returns the classes' names, or their numbers if they have no names.
func classNames(names []string, n int) []string {
	if names == nil && n <= maxClasses {
		return data.ClassNumbers(n)
	}
	return names
}

// Open opens data on this machine by its name: csv:FILE?label=species, for example. [Kinds] lists the kinds. These are
// built in:
//
//	digits | digits:train | digits:test    the embedded digits (see Digits)
//	idx:IMAGES,LABELS[?classes=N]          IDX files as MNIST's, gzipped or not (see OpenIDX)
//	csv:FILE?label=COLUMN&…                a CSV file (see OpenCSV)
//	jsonl:FILE?label=COLUMN&…              JSON lines
//	libsvm:FILE?features=N&classes=N&…     a file in LIBSVM's format (see OpenLibSVM)
//	dl4j:FILE-OR-DIRECTORY                 saved DataSets and MultiDataSets (see OpenSaved)
//
// Package distributed adds sql:QUERY, for an engine that has tables. An invalid name is a SpecError.
func Open(ctx context.Context, text string) (Source, error) {
	n, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("data source %w", err)
	}
	return OpenName(ctx, n, Options{})
}

// OpenName is [Open] for a parsed name, with options such as the names that a model knows. It returns a
// [storage.ChangedError] if a file changes while it is read; so do later reads of the source. See [storage.Watched] for
// several sources of the same files.
func OpenName(ctx context.Context, n Name, o Options) (Source, error) {
	ctx = storage.Watched(ctx)
	err := n.Check(o)
	if err != nil {
		return nil, fmt.Errorf("data source %s: %w", n, err)
	}
	if err := CheckPipeline(n, o); err != nil {
		return nil, fmt.Errorf("data source %s: %w", n, err)
	}
	k, _ := KindOf(n.Kind)
	var s Source
	if o.Preparation != nil {
		s, err = o.Preparation.prepare(ctx, n, o)
	} else {
		s, err = openKind(ctx, k, n, o)
	}
	changed := storage.Unchanged(ctx)
	if err == nil {
		if err = CheckClasses(s, o.As); err == nil && changed == nil {
			return s, nil
		}
		if c, ok := s.(io.Closer); ok {
			c.Close()
		}
	}
	return nil, fmt.Errorf("data source %s: %w", n, cmp.Or(changed, err))
}

// openKind opens data without a pipeline.
func openKind(ctx context.Context, k Kind, n Name, o Options) (Source, error) {
	if of, ok := k.(roomy); ok && o.Room != nil && !Streams(n, o) {
		return of.openIn(ctx, n, o)
	}
	if o.Room == nil || !Streams(n, o) {
		return k.Open(ctx, n, o)
	}
	examples, err := examplesOf(ctx, k, n, o)
	if err != nil {
		return nil, err
	}
	defer examples.Close()
	return o.Room.storeStream(examples, n.String())
}

// CheckClasses returns a MismatchError if the classes of data are not those of a schema, in the same order.
func CheckClasses(s Source, as *data.Schema) error {
	if err := as.SameClasses(s.Info().LabelNames); err != nil {
		return &MismatchError{err}
	}
	return nil
}
