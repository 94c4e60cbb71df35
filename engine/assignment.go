package engine

import (
	"fmt"
	"iter"
)

// Assignment gives each row of an indexed data set a partition and a place in it.
type Assignment struct {
	// Order lists each index once: the rows of partition 0 in their order, then those of partition 1, …. If it is nil,
	// the rows keep the order 0, 1, 2, …, and it takes no memory.
	Order []int64
	// Ends[p] is the end of partition p in Order; it begins at the end of partition p-1.
	Ends []int
	// Seed, if known, is the seed of the random.Permutation of all rows from whose pieces Order is made. Engines on
	// other machines let their workers compute such an order instead of sending it. They also do so for an order made
	// of pieces of 0, 1, 2, ….
	Seed *uint64
}

// Rows returns the number of assigned rows.
func (a Assignment) Rows() int {
	if a.Order == nil && len(a.Ends) > 0 {
		return a.Ends[len(a.Ends)-1]
	}
	return len(a.Order)
}

// Index returns the index of the row at a place, counted over all partitions.
func (a Assignment) Index(place int) int64 {
	if a.Order == nil {
		return int64(place)
	}
	return a.Order[place]
}

// Places returns the beginning and end of partition p, counted over all partitions.
func (a Assignment) Places(p int) (from, to int) {
	if p > 0 {
		from = a.Ends[p-1]
	}
	return from, a.Ends[p]
}

// Partition yields the indices of partition p's rows, in their order.
func (a Assignment) Partition(p int) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		from, to := a.Places(p)
		for place := from; place < to; place++ {
			if !yield(a.Index(place)) {
				return
			}
		}
	}
}

// Validate fails if an index is listed twice or is missing, or if Ends do not divide Order into partitions.
func (a Assignment) Validate() error {
	last, rows := 0, a.Rows()
	for p, end := range a.Ends {
		if end < last || end > rows {
			return fmt.Errorf("assignment: partition %d ends at %d, the one before at %d, of %d rows", p, end, last, rows)
		}
		last = end
	}
	if last != rows {
		return fmt.Errorf("assignment: the %d partitions end at row %d of %d", len(a.Ends), last, rows)
	}
	seen := make([]bool, len(a.Order))
	for at, i := range a.Order {
		if i < 0 || i >= int64(len(a.Order)) {
			return fmt.Errorf("assignment: index %d at place %d is outside of 0 … %d, so another one is missing", i, at,
				len(a.Order)-1)
		}
		if seen[i] {
			return fmt.Errorf("assignment: index %d is assigned twice, so another one is missing", i)
		}
		seen[i] = true
	}
	return nil
}

// EvenEnds divides rows into partitions whose sizes differ by at most one, the larger ones first: Deeplearning4j's
// Balanced.
func EvenEnds(rows, partitions int) []int {
	ends := make([]int, partitions)
	at := 0
	for p := range ends {
		at += rows / partitions
		if p < rows%partitions {
			at++
		}
		ends[p] = at
	}
	return ends
}
