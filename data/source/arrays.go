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
	parts  []*npy.Part // of the inputs, and of the labels
	files  []string    // with the arrays' names in a .npz
	places []ArrayPlace
	packed []bool // whether a file of idx: data is gzipped
}

// ArraysByWorkers reports whether the workers of a cluster read the rows of the named arrays: all files are at URLs.
func ArraysByWorkers(n Name, o Options) bool {
	if n.Kind != "npy" && n.Kind != "idx" {
		return false
	}
	c, err := arraysOf(n)
	if err != nil {
		return false
	}
	for _, file := range c.forModel(o).paths() {
		if !strings.Contains(file, "://") {
			return false
		}
	}
	return true
}

// ArrayFiles returns the files of the named arrays: an archive, or those of the inputs, followed by that of the labels,
// if there is one.
func ArrayFiles(n Name, o Options) ([]string, error) {
	c, err := arraysOf(n)
	if err != nil {
		return nil, err
	}
	return c.forModel(o).paths(), nil
}

// paths returns the files of arrays.
func (o npyOptions) paths() []string {
	if o.archive || o.labels == "" {
		return o.files
	}
	return append(o.files[:len(o.files):len(o.files)], o.labels)
}

// ArraysOf returns the named arrays, without their rows. heads has the first 16 KiB of each file or, for an archive,
// the results of [ArrayPlace.Head] for places. classes is the number of classes, if no setting says it and the labels
// were looked through; otherwise it is 0.
func ArraysOf(n Name, o Options, classes int, heads [][]byte, places []ArrayPlace) (*Arrays, error) {
	c, err := arraysOf(n)
	if err != nil {
		return nil, err
	}
	a := &Arrays{npyArrays: npyArrays{o: c.forModel(o)}, places: places}
	a.files = a.o.paths()
	if c.archive {
		a.files = archivedNames(c.files[0], places)
	}
	if len(heads) != len(a.files) {
		return nil, fmt.Errorf("%d heads of %d files", len(heads), len(a.files))
	}
	if a.found = classes; classes > 0 {
		a.o.classes = classes
	}
	for i, head := range heads {
		if err := a.addHead(a.files[i], head); err != nil {
			return nil, err
		}
	}
	if c.pixels {
		if err := a.checkPixels(); err != nil {
			return nil, err
		}
	}
	for i, part := range a.parts {
		a.set(a, i, part.Empty())
	}
	_, err = a.compare()
	return a, err
}

// addHead adds the layout of a file.
func (a *Arrays) addHead(path string, head []byte) error {
	part, packed, err := (*npy.Part)(nil), false, error(nil)
	if a.o.pixels {
		part, packed, err = idxPart(path, head)
	} else if part, err = npy.ReadHead(head); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	a.parts, a.packed = append(a.parts, part), append(a.packed, packed)
	return err
}

// set sets the reader of a file of other arrays.
func (a *npyArrays) set(of *Arrays, i int, r *npy.Reader) {
	if i == of.labelAt() {
		a.label, a.labels = of.files[i], r
		return
	}
	a.paths, a.inputs = append(a.paths, of.files[i]), append(a.inputs, r)
}

// labelAt returns the number of the labels among the files; -1 if there are none.
func (a *Arrays) labelAt() int {
	last := len(a.files) - 1
	if n := len(a.places); n > 0 && a.places[n-1].Label || n == 0 && a.o.labels != "" {
		return last
	}
	return -1
}

// Rows returns the number of rows.
func (a *Arrays) Rows() int { return a.rows }

// Heads returns the heads, cut off after the header of each array.
func (a *Arrays) Heads(heads [][]byte) [][]byte {
	short := make([][]byte, len(heads))
	for i, head := range heads {
		n := a.parts[i].Head()
		if a.packed[i] {
			n = min(len(head), idxHeadBytes)
		}
		short[i] = head[:n]
	}
	return short
}

// NeedsClasses reports whether the labels must be looked through to find the number of classes.
func (a *Arrays) NeedsClasses() bool { return a.labels != nil && a.classified() && a.o.classes == 0 }

// Cut returns the range of bytes of a file that holds the rows from … to-1. If end is negative, the range goes on to
// the end of the file.
func (a *Arrays) Cut(file, from, to int) (begin, end int64) {
	if a.packed[file] {
		return 0, -1
	}
	begin, end = a.parts[file].Cut(from, to)
	if a.places == nil {
		return begin, end
	}
	return a.places[file].cut(begin, end)
}

// reader reads the rows from … to-1 of a file out of the bytes of Cut.
func (a *Arrays) reader(file, from, to int, piece []byte) (r *npy.Reader, err error) {
	part := a.parts[file]
	begin, end := part.Cut(from, to)
	switch {
	case a.packed[file]:
		piece, err = unzipped(piece, begin, end, int64(part.Head()+part.Shape().Size()))
	case a.places != nil:
		piece, err = a.places[file].unpack(piece, begin, end)
	}
	if err == nil {
		r, err = part.Reader(piece, from, to)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.files[file], err)
	}
	return r, nil
}

// arraysBatch is the number of rows that are read at a time.
const arraysBatch = 256

// Each calls do with the examples of the rows from … to-1, some at a time. pieces has the bytes of [Arrays.Cut] for
// each file.
func (a *Arrays) Each(from, to int, pieces [][]byte, do func(*data.MultiDataSet) error) error {
	r := &npyArrays{o: a.o, rows: to, at: from}
	if len(pieces) != len(a.parts) {
		return fmt.Errorf("%d pieces of %d files", len(pieces), len(a.parts))
	}
	for i, piece := range pieces {
		in, err := a.reader(i, from, to, piece)
		if err != nil {
			return err
		}
		r.set(a, i, in)
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

// Classes returns the number of classes among the labels of the rows from … to-1. piece has the bytes of [Arrays.Cut].
func (a *Arrays) Classes(from, to int, piece []byte) (int, error) {
	labels, err := a.reader(len(a.parts)-1, from, to, piece)
	if err != nil {
		return 0, err
	}
	rows, err := labels.Rows(to - from)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", a.label, err)
	}
	return a.classesOf(rows, from)
}
