package data

import (
	"fmt"
	"io"
)

// Iterator returns minibatches one after another, and io.EOF at the end. After an error it returns the same error
// again. Only one goroutine may use it at a time. The minibatches belong to the caller, unless the implementation says
// otherwise.
type Iterator interface {
	Next() (*MultiDataSet, error)
}

// sliceIterator iterates over a list of data sets.
type sliceIterator struct{ rest []*MultiDataSet }

// Of returns an iterator over the data sets. The minibatches are the given ones, not copies.
func Of(sets ...*MultiDataSet) Iterator { return &sliceIterator{sets} }

func (s *sliceIterator) Next() (*MultiDataSet, error) {
	if len(s.rest) == 0 {
		return nil, io.EOF
	}
	m := s.rest[0]
	s.rest = s.rest[1:]
	return m, nil
}

// Batches returns m's examples in minibatches of size examples; the last one may be smaller. They share m's memory. If
// [MultiDataSet.Validate] refuses m, the first Next returns the error.
func (m *MultiDataSet) Batches(size int) Iterator { return Rebatch(Of(m), size) }

// Rebatch returns the same examples in the same order in minibatches of size examples; the last one may be smaller. A
// minibatch whose examples all come from one given minibatch shares its memory. Next fails if the size is below 1, and
// for a data set that [MultiDataSet.Validate] refuses.
func Rebatch(it Iterator, size int) Iterator { return &rebatch{it: it, size: size} }

type rebatch struct {
	it   Iterator
	size int
	rest *MultiDataSet // the rest of the last one; nil if there is none
	err  error
}

func (r *rebatch) Next() (*MultiDataSet, error) {
	if r.size < 1 {
		return nil, fmt.Errorf("minibatches of %d examples: the size must be positive", r.size)
	}
	var parts []*MultiDataSet
	for n := 0; n < r.size; {
		if r.rest == nil && r.err == nil {
			if r.rest, r.err = r.it.Next(); r.err == nil {
				r.err = r.rest.Validate()
			}
		}
		if r.err != nil {
			break
		}
		have := r.rest.Examples()
		if take := r.size - n; take < have {
			parts = append(parts, r.rest.Slice(0, take))
			r.rest = r.rest.Slice(take, have)
			n += take
			continue
		}
		if have > 0 {
			parts = append(parts, r.rest)
		}
		r.rest = nil
		n += have
	}
	if r.err != nil && r.err != io.EOF {
		return nil, r.err
	}
	if len(parts) == 0 {
		return nil, io.EOF
	}
	m, err := Merge(parts)
	if err != nil {
		r.err = err
	}
	return m, err
}
