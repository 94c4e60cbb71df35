package engine

import "fmt"

// Assignment says, of every row of an indexed data set, in which partition it goes and where it stands there.
type Assignment struct {
	// Order holds each index 0 … len(Order)-1 once: partition 0's rows in their order, then partition 1's, ….
	Order []int64
	// Ends[p] is where partition p ends in Order; it begins where partition p-1 ends.
	Ends []int
	// Seed, if it is known, is that of the random.Permutation of all rows of which Order is made, in pieces. Engines
	// on other machines have their workers compute such an order, and one that is made of pieces of 0, 1, 2, …: they
	// send no row of it.
	Seed *uint64
}

// Partition is the part of Order that goes to partition p.
func (a Assignment) Partition(p int) []int64 {
	from := 0
	if p > 0 {
		from = a.Ends[p-1]
	}
	return a.Order[from:a.Ends[p]]
}

// Validate fails where an index is listed twice or is missing, or where the partitions do not cut up Order.
func (a Assignment) Validate() error {
	last := 0
	for p, end := range a.Ends {
		if end < last || end > len(a.Order) {
			return fmt.Errorf("assignment: partition %d ends at %d, the one before at %d, of %d rows", p, end, last, len(a.Order))
		}
		last = end
	}
	if last != len(a.Order) {
		return fmt.Errorf("assignment: the %d partitions end at row %d of %d", len(a.Ends), last, len(a.Order))
	}
	seen := make([]bool, len(a.Order))
	for at, i := range a.Order {
		if i < 0 || i >= int64(len(a.Order)) {
			return fmt.Errorf("assignment: index %d at place %d is outside of 0 … %d, so another one is missing", i, at, len(a.Order)-1)
		}
		if seen[i] {
			return fmt.Errorf("assignment: index %d is assigned twice, so another one is missing", i)
		}
		seen[i] = true
	}
	return nil
}

// EvenEnds cuts rows into partitions whose sizes differ by at most one, the larger ones first: Deeplearning4j's
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
