package engine

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/dl4go/dl4go/internal/random"
)

// Assignment gives each row of an indexed data set a partition and a place in it.
type Assignment struct {
	// Order lists each index once: the rows of partition 0 in their order, then those of partition 1, …. If it is nil,
	// Pieces describe it.
	Order []int64
	// Pieces, if Order is nil, are ranges of a known order. One after the other, they are the order of the rows. Nil means
	// the whole known order.
	Pieces []Piece
	// Seed is the seed of the known order, a random permutation of all rows. Nil means the order 0, 1, 2, …. If Order is
	// set, too, a Seed says that Order consists of pieces of this permutation. Engines on other machines can then let
	// their workers compute the order, instead of sending it.
	Seed *uint64
	// Ends[p] is the end of partition p in the order; it begins at the end of partition p-1.
	Ends []int
}

// Piece is the places From … To-1 of an order.
type Piece struct{ From, To int }

// Rows returns the number of assigned rows.
func (a Assignment) Rows() int {
	if a.Order == nil && len(a.Ends) > 0 {
		return a.Ends[len(a.Ends)-1]
	}
	return len(a.Order)
}

// Listed returns the assignment with Order, unless the order is 0, 1, 2, …: then Order stays nil. Order takes 8 bytes
// for each row.
func (a Assignment) Listed() Assignment {
	if a.Order != nil {
		return a
	}
	n := a.Rows()
	switch {
	case inOrder(a.Pieces) && a.Seed == nil:
		a.Pieces = nil
	case inOrder(a.Pieces):
		a.Order = make([]int64, n)
		random.Permute(*a.Seed, a.Order)
	case a.Seed == nil:
		a.Order = a.pieces(nil)
	default:
		known := make([]uint32, n)
		random.Permute(*a.Seed, known)
		a.Order = a.pieces(known)
	}
	return a
}

// pieces lists the pieces of a known order; nil: 0, 1, 2, ….
func (a Assignment) pieces(known []uint32) []int64 {
	order := make([]int64, 0, a.Rows())
	for _, p := range a.Pieces {
		for k := p.From; k < p.To; k++ {
			if known == nil {
				order = append(order, int64(k))
			} else {
				order = append(order, int64(known[k]))
			}
		}
	}
	return order
}

// inOrder reports whether pieces follow each other.
func inOrder(pieces []Piece) bool {
	for i, p := range pieces {
		if i > 0 && p.From != pieces[i-1].To || i == 0 && p.From > 0 {
			return false
		}
	}
	return true
}

// Index returns the index of the row at a place, counted over all partitions. The assignment must be
// [Assignment.Listed].
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

// Partition yields the indices of partition p's rows, in their order. The assignment must be [Assignment.Listed].
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

// Validate fails if an index is listed twice or is missing, or if Ends do not divide the order into partitions.
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
	if a.Order == nil {
		return a.validatePieces()
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

// validatePieces fails unless each place of the known order is in one piece.
func (a Assignment) validatePieces() error {
	if a.Pieces == nil {
		return nil
	}
	if a.Seed != nil && a.Rows() > math.MaxUint32 {
		return fmt.Errorf("assignment: %d rows are in the order of a seed, which can have %d", a.Rows(),
			uint32(math.MaxUint32))
	}
	sorted := slices.SortedFunc(slices.Values(a.Pieces), func(p, q Piece) int { return cmp.Compare(p.From, q.From) })
	at := 0
	for _, p := range sorted {
		if p.From == p.To {
			continue
		}
		if p.From != at || p.To < p.From {
			return fmt.Errorf("assignment: a piece has the places %d … %d, and the pieces before it end at %d", p.From,
				p.To-1, at)
		}
		at = p.To
	}
	if at != a.Rows() {
		return fmt.Errorf("assignment: the pieces end at place %d of %d", at, a.Rows())
	}
	return nil
}

// EvenEnds returns the ends of partitions that divide a number of rows evenly. Their sizes differ by at most one, and
// the larger ones come first (Deeplearning4j: Balanced).
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
