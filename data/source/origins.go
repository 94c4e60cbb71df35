package source

import (
	"iter"
	"math/bits"
)

// Origins are the raw rows from which examples were made: each from one row, in the order of the rows. It takes a bit
// for each raw row.
type Origins struct{ words []uint64 }

// add appends the row of the next example.
func (o *Origins) add(row int) {
	for row/64 >= len(o.words) {
		o.words = append(o.words, 0)
	}
	o.words[row/64] |= 1 << (row % 64)
}

// All yields the index of each example with that of its row.
func (o *Origins) All() iter.Seq2[int, int] {
	return func(yield func(example, row int) bool) {
		example := 0
		for i, w := range o.words {
			for ; w != 0; w &= w - 1 {
				if !yield(example, 64*i+bits.TrailingZeros64(w)) {
					return
				}
				example++
			}
		}
	}
}
