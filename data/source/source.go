// Package source opens data by name: the embedded digits, IDX files, CSV and LIBSVM files, saved DataSets, and what
// programs add. A kind of data is one value behind one interface, [Kind]; [Register] adds one.
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

// Source is data that can be read many times and always in the same order. It consists of objects: the minibatches of
// saved DataSets, one a file, or the single examples of a table. It is safe for concurrent use.
//
// A Source may be more: a [Table], [Sized], [Files], [Sampled], an io.Closer, or a distributed.Spreader.
type Source interface {
	// Info describes the data.
	Info() Info
	// Objects is the number of objects.
	Objects() int
	// Object reads object i: a saved minibatch, or one example. The result belongs to the caller.
	Object(i int) (*data.MultiDataSet, error)
}

// Table is a Source in memory. Each of its objects is one example. Reading it cannot fail.
type Table interface {
	Source
	// Examples gives the examples of the given indices, in that order, as a new minibatch.
	Examples(indices []int) *data.MultiDataSet
	// Range gives the examples [from, to) as a new minibatch.
	Range(from, to int) *data.MultiDataSet
}

// ObjectRows gives a row for each example of object i, as [data.DecodeRow] reads them: in fewer bytes than those of
// [data.ExampleRows] if the source keeps pixels. A Source with a method of this form has it asked.
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

// Sized is a Source whose examples do not lie in this process's memory.
type Sized interface {
	Source
	// Bytes is how many there are, as far as is known.
	Bytes() int64
}

// Files is a Source of files. Each file is an object.
type Files interface {
	Source
	// Paths are the files. The slice is the source's own.
	Paths() []string
	// Reader says how workers read them.
	Reader() Name
}

// Sampled is a Source that does not lie on this machine. Its examples were looked through when it was opened.
type Sampled interface {
	Source
	// Samples are examples that stand for all: one of each kind of shapes.
	Samples() []Sample
}

// Sample is an example, and the file that it is from; empty if there is none.
type Sample struct {
	Example *data.MultiDataSet
	From    string
}

// Size is about how many bytes a source's examples take, and whether they take them of this process's memory.
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
	Examples   int            // in all
	Features   []tensor.Shape // of one example, an array each: [784]; a -1 stands for an extent that varies
	Labels     []tensor.Shape // likewise: [10]; empty where there are no labels
	Image      *Image         // if the first features are an image, as a flat row or as [channels, height, width]
	Classes    int            // of the first labels where they are one-hot; 0 if they are not, or not known to be
	LabelNames []string       // of the classes; nil if they have no names
	// ClassesFound: that labels are classes, and which, was found in the data, as nobody said it.
	ClassesFound bool
	Schema       *data.Schema // the names of columns and classes; nil if there are none
	Unused       []string     // columns that are neither features nor labels nor the key
	Task         Task         // of data that a pipeline made; empty if nobody said it
	Words        int          // of features that are numbers of tokens: how many there are
	Categories   []Category   // columns of the features that a network embeds, in their order
	Filtered     int          // rows that a pipeline dropped
	Weighted     bool         // the examples have weights of their own
	Notes        []string     // notes on the rows for people, after all were read
}

// Bytes is the memory that the examples take as arrays, at the least where extents vary.
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

// OutputNames are the names of the classes, or of the columns of numbers and labels that a pipeline made; nil if they
// have none.
func (i Info) OutputNames() []string {
	if i.LabelNames == nil && i.Task != "" && i.Schema != nil {
		return i.Schema.Labels
	}
	return i.LabelNames
}

// Category is a column of features that holds the numbers of categories, 0 to Count-1.
type Category struct {
	Name   string
	Column int // of the features, from 0
	Count  int
}

// Image is the size of an image.
type Image struct{ Height, Width, Channels int }

// SpecError means that a text does not name data for Open. Mistakes in a file are other errors.
type SpecError struct{ Problem string }

func (e *SpecError) Error() string { return e.Problem }

func specf(format string, args ...any) error { return &SpecError{fmt.Sprintf(format, args...)} }

// MismatchError means that data has other columns or classes than the model that it is opened for.
type MismatchError struct{ Err error }

func (e *MismatchError) Error() string { return e.Err.Error() }
func (e *MismatchError) Unwrap() error { return e.Err }

// classNames are the classes' names, or numbers where they have none.
func classNames(names []string, n int) []string {
	if names == nil && n <= maxClasses {
		return data.ClassNumbers(n)
	}
	return names
}

// Open opens data by its name, on this machine: csv:FILE?label=species, for example. [Kinds] lists the kinds. These are
// built in:
//
//	digits | digits:train | digits:test    the embedded digits (see Digits)
//	idx:IMAGES,LABELS[?classes=N]          IDX files as MNIST's, gzipped or not (see OpenIDX)
//	csv:FILE?label=COLUMN&classes=N&…      a CSV file (see OpenCSV)
//	jsonl:FILE?label=COLUMN&classes=N&…    JSON lines
//	libsvm:FILE?features=N&classes=N&…     a file in LIBSVM's format (see OpenLibSVM)
//	dl4j:FILE-OR-DIRECTORY                 saved DataSets and MultiDataSets (see OpenSaved)
//
// Package distributed adds sql:QUERY, for an engine that has tables. A name that makes no sense is a SpecError.
func Open(text string) (Source, error) {
	n, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("data source %w", err)
	}
	return OpenName(context.Background(), n, Options{})
}

// OpenName is [Open] of a parsed name, for example for a model. It fails with a [storage.ChangedError] if a file
// changes while it is read, and so does reading the source later. See [storage.Watched] for several sources of the
// same files.
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

// CheckClasses fails with a MismatchError where the classes of data are not those of a schema, in the same order.
func CheckClasses(s Source, as *data.Schema) error {
	if err := as.SameClasses(s.Info().LabelNames); err != nil {
		return &MismatchError{err}
	}
	return nil
}
