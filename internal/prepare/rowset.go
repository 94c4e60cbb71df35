package prepare

import "math/bits"

// rowSet is a set of rows. It takes a bit for each row of the data.
type rowSet struct {
	words []uint64
	n     int
}

// newRowSet returns an empty set of rows, of data with so many.
func newRowSet(of int) *rowSet { return &rowSet{words: make([]uint64, (of+63)/64)} }

// add puts a row in that is not there.
func (s *rowSet) add(row int) {
	s.words[row/64] |= 1 << (row % 64)
	s.n++
}

// others returns the rows below of that are not in the set.
func (s *rowSet) others(of int) *rowSet {
	o := &rowSet{words: make([]uint64, len(s.words)), n: of - s.n}
	for i, w := range s.words {
		o.words[i] = ^w
	}
	if rest := of % 64; rest > 0 {
		o.words[len(o.words)-1] &= 1<<rest - 1
	}
	return o
}

// of returns the rows of a sample whose places in it are in the set. A nil sample has all rows.
func (s *rowSet) of(sample *rowSet) *rowSet {
	if sample == nil {
		return s
	}
	rows, place := &rowSet{words: make([]uint64, len(sample.words))}, 0
	for row := range sample.all {
		if s.has(place) {
			rows.add(row)
		}
		place++
	}
	return rows
}

// size returns the number of rows in the set. A nil set is empty.
func (s *rowSet) size() int {
	if s == nil {
		return 0
	}
	return s.n
}

// bytes returns the memory that the set takes.
func (s *rowSet) bytes() int64 {
	if s == nil {
		return 0
	}
	return 8 * int64(len(s.words))
}

// has reports whether a row is in the set.
func (s *rowSet) has(row int) bool {
	return s != nil && row/64 < len(s.words) && s.words[row/64]>>(row%64)&1 == 1
}

// all yields the rows in ascending order.
func (s *rowSet) all(yield func(row int) bool) {
	for i, w := range s.words {
		for ; w != 0; w &= w - 1 {
			if !yield(64*i + bits.TrailingZeros64(w)) {
				return
			}
		}
	}
}
