package source

import (
	"iter"
	"math/bits"
)

// Origins says from which raw row each example was made, if each was made from one row, in the order of the rows. It
// takes one bit of memory for each raw row.
type Origins struct{ words []uint64 }

// add appends the row of the next example.
func (o *Origins) add(row int) {
	for row/64 >= len(o.words) {
		o.words = append(o.words, 0)
	}
	o.words[row/64] |= 1 << (row % 64)
}

// All yields the index of each example, and that of its raw row.
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
