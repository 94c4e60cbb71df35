package prepare

import (
	"iter"
	"math/bits"
)

// rowSet is a set of rows. It takes a bit for each row of the data.
type rowSet struct {
	words []uint64
	n     int
}

// setOf returns a set of rows, of data with so many. Each row is yielded once.
func setOf(of int, rows iter.Seq[uint32]) *rowSet {
	s := &rowSet{words: make([]uint64, (of+63)/64)}
	for row := range rows {
		s.words[row/64] |= 1 << (row % 64)
		s.n++
	}
	return s
}

// size returns the number of rows in the set. A nil set is empty.
func (s *rowSet) size() int {
	if s == nil {
		return 0
	}
	return s.n
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
