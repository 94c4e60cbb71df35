package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/stored"
)

// Room limits the memory for examples. If they need more, they go to a file on disk.
type Room struct {
	// Memory is the number of bytes of examples that may stay in memory.
	Memory int64
	// Moved, unless nil, is called when examples move to a directory on disk.
	Moved func(dir string)
	// Parted fills in [Stored.Origins], for a caller that selects rows afterwards.
	Parted bool
}

// Picker is a Source whose single examples can be read in any order. Unlike those of a [Table], they may be on disk,
// where reading can fail.
type Picker interface {
	Source
	// Pick returns the examples at the given indices, in that order, as a new minibatch.
	Pick(indices []int) (*data.MultiDataSet, error)
}

// Single reports whether the objects of a source are single examples that can be read in any order: it is a [Table] or
// a [Picker].
func Single(s Source) bool {
	switch s.(type) {
	case Table, Picker:
		return true
	}
	return false
}

// Stored is a Picker whose examples are in a file of this process, in memory or on disk; see [Options.Room]. Other
// processes of this machine can read it, too. Close removes the file. It waits for reads in progress, and later ones
// fail.
type Stored struct {
	// Read is the number of raw rows from which the examples were made. Origins are these rows. They are nil unless
	// Room.Parted is set, and if a pipeline makes examples from several rows.
	Read    int
	Origins *Origins

	info Info
	rows *stored.Rows
	at   *chosen // numbers of the examples' rows; nil: all rows
}

// Info describes the examples.
func (s *Stored) Info() Info { return s.info }

// Objects returns the number of examples.
func (s *Stored) Objects() int { return s.info.Examples }

// Bytes returns the size of the examples in bytes. It is approximate for a Subset of examples that differ in length.
func (s *Stored) Bytes() int64 {
	if s.at == nil {
		return s.rows.Bytes()
	}
	return int64(float64(s.rows.Bytes()) / float64(max(1, s.rows.Len())) * float64(s.at.n))
}

// InMemory reports whether the file is in memory.
func (s *Stored) InMemory() bool { return s.rows.InMemory() }

// Object returns an example.
func (s *Stored) Object(i int) (*data.MultiDataSet, error) {
	if i < 0 || i >= s.info.Examples {
		return nil, fmt.Errorf("%s has no example %d: there are %d", s.info.Name, i, s.info.Examples)
	}
	return s.Pick([]int{i})
}

// ObjectRows returns an example's row, which is read-only.
func (s *Stored) ObjectRows(i int) ([][]byte, error) {
	if i < 0 || i >= s.info.Examples {
		return nil, fmt.Errorf("%s has no example %d: there are %d", s.info.Name, i, s.info.Examples)
	}
	row, err := s.rows.At(s.row(i))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.info.Name, err)
	}
	return [][]byte{row}, nil
}

// Pick returns the examples at the given indices.
func (s *Stored) Pick(indices []int) (m *data.MultiDataSet, err error) {
	if !inOrder(indices) {
		for _, i := range indices {
			s.rows.Soon(s.row(i))
		}
	}
	at := func(k int) int { return s.row(indices[k]) }
	err = s.rows.View(len(indices), at, func(rows [][]byte) (err error) {
		m, err = data.DecodeRows(rows)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.info.Name, err)
	}
	return m, nil
}

// inOrder reports whether indices follow each other.
func inOrder(indices []int) bool {
	for k, i := range indices {
		if i != indices[0]+k {
			return false
		}
	}
	return true
}

// Order is an order of examples, for [Stored.Shuffle].
type Order interface {
	// Len returns the number of places.
	Len() int
	// Each calls yield with the place and the index of each example, in any sequence. It may keep temporary files in the
	// directory meanwhile.
	Each(ctx context.Context, dir string, yield func(place, index int) error) error
}

// Shuffles reports whether [Stored.Shuffle] is much faster than [Stored.Pick] for reading n of the examples in another
// order. That is so if they are many, short, all of one length, and on disk.
func (s *Stored) Shuffles(n int) bool { return s.rows.Shuffles(n) }

// ShuffledMemory returns about the number of bytes of memory in which a reader puts shuffled examples in order.
func (s *Stored) ShuffledMemory() int64 { return stored.BucketBytes(s.Bytes()) }

// Shuffle returns the examples of an order in another file in the same directory. That takes time and space in
// proportion to their size, and some tens of MB of memory for any number of them. Read them in order: a reader needs
// [Stored.ShuffledMemory]. The caller must close the result.
func (s *Stored) Shuffle(ctx context.Context, o Order) (*Stored, error) {
	if s.at != nil {
		o = orderOfSome{o, s.at}
	}
	rows, err := s.rows.Shuffle(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.info.Name, err)
	}
	of := &Stored{info: s.info, rows: rows}
	of.info.Examples = o.Len()
	return of, nil
}

// orderOfSome is an order of some rows.
type orderOfSome struct {
	Order
	at *chosen // the rows
}

func (o orderOfSome) Each(ctx context.Context, dir string, yield func(place, number int) error) error {
	return o.Order.Each(ctx, dir, func(place, index int) error { return yield(place, o.at.at(index)) })
}

func (s *Stored) row(i int) int {
	if s.at == nil {
		return i
	}
	return s.at.at(i)
}

// Subset returns the examples at n indices, in that order, as data of this name. Both share the file. The subset takes
// about a bit of memory for each example of the file. If indices don't ascend, it takes four bytes for each of them.
func (s *Stored) Subset(name string, n int, indices iter.Seq[int]) *Stored {
	of := &Stored{info: s.info, rows: s.rows}
	of.at = chosenOf(s.rows.Len(), n, func(yield func(row int) bool) {
		for i := range indices {
			if !yield(s.row(i)) {
				return
			}
		}
	})
	of.info.Name, of.info.Examples = name, of.at.n
	return of
}

// Reference returns a row that stands for examples, for workers on this machine: those from … to-1, or as many others
// if order is not nil. Workers read them from the file, and apply the normalizer, unless it is nil.
func (s *Stored) Reference(by data.Normalizer, order iter.Seq[int64], from, to int) ([]byte, error) {
	var normal []byte
	if by != nil {
		var b bytes.Buffer
		if err := data.WriteNormalizer(&b, by); err != nil {
			return nil, err
		}
		normal = b.Bytes()
	}
	if s.at == nil {
		return s.rows.Reference(normal, order, from, to)
	}
	rows := func(yield func(row int64) bool) {
		if order == nil {
			order = indices(from, to)
		}
		for i := range order {
			if !yield(int64(s.at.at(int(i)))) {
				return
			}
		}
	}
	return s.rows.Reference(normal, rows, from, to)
}

// indices yields from … to-1.
func indices(from, to int) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i := from; i < to; i++ {
			if !yield(int64(i)) {
				return
			}
		}
	}
}

// Close removes the file.
func (s *Stored) Close() error { return s.rows.Close() }

// newWriter creates a file.
func (r *Room) newWriter() (*stored.Writer, error) {
	return stored.NewWriter(stored.Options{Memory: r.Memory, Moved: r.Moved})
}

// storeExamples writes each example of a minibatch. An error has the example's number among all.
func storeExamples(to *stored.Writer, m *data.MultiDataSet) error {
	if err := m.Validate(); err != nil {
		return err
	}
	err := m.CheckFinite()
	if value := (*data.ValueError)(nil); errors.As(err, &value) {
		value.Example += to.Len()
	}
	if err != nil {
		return err
	}
	rows := data.ClassRows(m)
	if rows == nil {
		rows = data.ExampleRows(m)
	}
	for _, row := range rows {
		if err := to.Add(row); err != nil {
			return err
		}
	}
	return nil
}

// storeCompact returns a function that stores one example with each call.
func storeCompact(w *stored.Writer, appendRow func(b []byte) ([]byte, error)) func() error {
	var row []byte
	return func() (err error) {
		if row, err = appendRow(row[:0]); err == nil {
			err = w.Add(row)
		}
		return err
	}
}

// storeStream stores the examples of a stream.
func (r *Room) storeStream(examples Examples, name string) (s *Stored, err error) {
	w, err := r.newWriter()
	if err != nil {
		return nil, err
	}
	s = &Stored{}
	next := func() error {
		m, err := examples.Next()
		if err == nil {
			err = storeExamples(w, m)
		}
		return err
	}
	if of, ok := examples.(interface {
		rowsOf() func(b []byte) ([]byte, error)
	}); ok && of.rowsOf() != nil {
		next = storeCompact(w, of.rowsOf())
	}
	for err == nil {
		err = next()
	}
	if s.rows, err = finish(w, err); err != nil {
		return nil, err
	}
	s.info = examples.Info()
	s.info.Name, s.info.Examples, s.Read = name, s.rows.Len(), s.rows.Len()
	return s, nil
}
