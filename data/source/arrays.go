package source

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/npy"
)

// Arrays are arrays in files, whose rows are read in pieces: see [ArraysOf].
type Arrays struct {
	npyArrays
	parts []*npy.Part // of the inputs, and of the labels
	files []string
}

// ArraysByWorkers reports whether the workers of a cluster read the rows of the named arrays: all files are at URLs,
// and none is an archive.
func ArraysByWorkers(n Name, o Options) bool {
	if n.Kind != "npy" {
		return false
	}
	c, err := npyOf(n)
	if err != nil || c.archive {
		return false
	}
	for _, file := range c.forModel(o).paths() {
		if !strings.Contains(file, "://") {
			return false
		}
	}
	return true
}

// ArrayFiles returns the files of the named arrays: those of the inputs, followed by that of the labels, if there is
// one.
func ArrayFiles(n Name, o Options) ([]string, error) {
	c, err := npyOf(n)
	if err != nil {
		return nil, err
	}
	return c.forModel(o).paths(), nil
}

// paths returns the files of arrays that are in no archive.
func (o npyOptions) paths() []string {
	if o.labels == "" {
		return o.files
	}
	return append(o.files[:len(o.files):len(o.files)], o.labels)
}

// ArraysOf returns the named arrays, without their rows. heads are the beginnings of the files, up to npy.HeadBytes
// each. classes is their number if no setting says it and the labels were looked through; 0 otherwise.
func ArraysOf(n Name, o Options, classes int, heads [][]byte) (*Arrays, error) {
	c, err := npyOf(n)
	if err != nil {
		return nil, err
	}
	a := &Arrays{npyArrays: npyArrays{o: c.forModel(o)}}
	a.files = a.o.paths()
	if len(heads) != len(a.files) {
		return nil, fmt.Errorf("%d heads of %d files", len(heads), len(a.files))
	}
	if a.found = classes; classes > 0 {
		a.o.classes = classes
	}
	for i, head := range heads {
		part, err := npy.ReadHead(head)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.files[i], err)
		}
		a.parts = append(a.parts, part)
	}
	for i, part := range a.parts {
		a.set(i, part.Empty())
	}
	_, err = a.compare()
	return a, err
}

// set sets the reader of a file.
func (a *npyArrays) set(i int, r *npy.Reader) {
	if i == len(a.o.files) {
		a.label, a.labels = a.o.labels, r
		return
	}
	a.paths, a.inputs = append(a.paths, a.o.files[i]), append(a.inputs, r)
}

// Rows returns the number of rows.
func (a *Arrays) Rows() int { return a.rows }

// Heads returns the heads without what ReadHead does not need.
func (a *Arrays) Heads(heads [][]byte) [][]byte {
	short := make([][]byte, len(heads))
	for i, head := range heads {
		short[i] = head[:a.parts[i].Head()]
	}
	return short
}

// NeedsClasses reports whether the labels have to be looked through for the number of classes.
func (a *Arrays) NeedsClasses() bool { return a.labels != nil && a.classified() && a.o.classes == 0 }

// Cut returns the bytes of a file that have the rows from … to-1: those up to one place before another, or up to the
// end of the file if that is negative.
func (a *Arrays) Cut(file, from, to int) (begin, end int64) { return a.parts[file].Cut(from, to) }

// arraysBatch is the number of rows that are read at a time.
const arraysBatch = 256

// Each calls do with the examples of the rows from … to-1, some at a time. pieces are the bytes of Cut.
func (a *Arrays) Each(from, to int, pieces [][]byte, do func(*data.MultiDataSet) error) error {
	r := &npyArrays{o: a.o, rows: to, at: from}
	if len(pieces) != len(a.parts) {
		return fmt.Errorf("%d pieces of %d files", len(pieces), len(a.parts))
	}
	for i, part := range a.parts {
		in, err := part.Reader(pieces[i], from, to)
		if err != nil {
			return fmt.Errorf("%s: %w", a.files[i], err)
		}
		r.set(i, in)
	}
	for {
		m, err := r.next(arraysBatch)
		if errors.Is(err, io.EOF) && r.at == to {
			return nil
		}
		if err == nil {
			err = do(m)
		}
		if err != nil {
			return err
		}
	}
}

// Classes returns the number of classes that labels of the rows from … to-1 have. piece is the bytes of Cut.
func (a *Arrays) Classes(from, to int, piece []byte) (int, error) {
	labels, err := a.parts[len(a.parts)-1].Reader(piece, from, to)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", a.label, err)
	}
	rows, err := labels.Rows(to - from)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", a.label, err)
	}
	return a.classesOf(rows, from)
}
