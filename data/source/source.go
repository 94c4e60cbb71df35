// Package source opens data by the names that the command line takes: the embedded digits, IDX files, CSV and LIBSVM
// files, and saved DataSets.
package source

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

// Source is data that can be read many times and always in the same order. It consists of objects: the minibatches of
// saved DataSets, one a file, or the single examples of a table. It is safe for concurrent use.
type Source interface {
	// Info tells what the data is like.
	Info() Info
	// Objects is the number of objects.
	Objects() int
	// Object reads object i: a saved minibatch, or one example. The result belongs to the caller.
	Object(i int) (*data.MultiDataSet, error)
}

// Table is a Source held in memory, each of whose objects is one example. Reading it cannot fail.
type Table interface {
	Source
	// Examples gives the examples of the given indices, in that order, as a new minibatch.
	Examples(indices []int) *data.MultiDataSet
	// Range gives the examples [from, to) as a new minibatch.
	Range(from, to int) *data.MultiDataSet
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

// Image is the size of an image.
type Image struct{ Height, Width, Channels int }

// SpecError says that a text does not name data as Open wants it; where a file is at fault, errors are others.
type SpecError struct{ Problem string }

func (e *SpecError) Error() string { return e.Problem }

func specf(format string, args ...any) error { return &SpecError{fmt.Sprintf(format, args...)} }

// MismatchError says that data has other columns or classes than the model that it is opened for.
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

// parseOptions gives the options behind a source's question mark, each of which may be given once.
func parseOptions(query string) (map[string]string, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, specf("options %q: %v", query, err)
	}
	options := map[string]string{}
	for k, v := range values {
		if len(v) > 1 {
			return nil, specf("the option %s is given %d times", k, len(v))
		}
		options[k] = v[0]
	}
	return options, nil
}

// Open opens the source that the text names:
//
//	digits | digits:train | digits:test    the embedded digits (see Digits)
//	idx:IMAGES,LABELS[?classes=N]          IDX files as MNIST's, gzipped or not (see OpenIDX)
//	csv:FILE?label=COLUMN&classes=N&…      a CSV file (see OpenCSV)
//	libsvm:FILE?features=N&classes=N&…     a file in LIBSVM's format (see OpenLibSVM)
//	dl4j:FILE-OR-DIRECTORY                 saved DataSets and MultiDataSets (see OpenSaved)
func Open(spec string) (Source, error) { return OpenAs(context.Background(), spec, nil) }

// OpenAs is Open of data for a model: its columns and classes are taken by the names that the schema has. Data
// whose names don't fit is refused with a MismatchError. Data without names is taken by position, but for CSV files
// without a header where columns have names. A nil schema takes all by position. The context governs
// the source's reads too, those of its files that are read later.
func OpenAs(ctx context.Context, spec string, as *data.Schema) (Source, error) {
	kind, rest, part := strings.Cut(spec, ":")
	var s Source
	var err error
	switch kind {
	case "digits":
		if s, err = Digits(rest); part && rest == "" {
			err = specf("a part is missing: digits:train or digits:test")
		}
	case "idx":
		s, err = openIDXSpec(ctx, rest)
	case "csv":
		s, err = openCSVSpec(ctx, rest, as)
	case "libsvm":
		s, err = openLibSVMSpec(ctx, rest, as)
	case "dl4j":
		s, err = openSaved(ctx, rest)
	default:
		return nil, specf("data source %q: a source is digits, digits:train, digits:test, idx:IMAGES,LABELS, "+
			"csv:FILE?label=COLUMN&classes=N, libsvm:FILE?features=N&classes=N or dl4j:FILE-OR-DIRECTORY", spec)
	}
	if err == nil {
		if e := as.SameClasses(s.Info().LabelNames); e != nil {
			err = &MismatchError{e}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("data source %s: %w", spec, err)
	}
	return s, nil
}
