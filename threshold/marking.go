package threshold

import (
	"math"
	"slices"

	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
)

// marking says how an update becomes words.
type marking struct {
	addition
	t, step float32 // the threshold; how far values move
	above   float32 // what is as large afterwards is an outlier
}

// encode adds the update to x, writes the words of the elements that reach t, and moves those by step. It returns their
// number. found and scratch then have the entries of each block's outliers, as many as there is room for,
// and seen has the elements in which these are all.
func (c *Coder) encode(words []uint32, x []float32, by marking) (values int) {
	n := blocksOf(len(x))
	c.counts, c.found, c.seen, c.scratch = grow(c.counts, n), grow(c.found, n), grow(c.seen, n), grow(c.scratch, n*room)
	c.do(n, task{words: words, x: x, u: by.update, times: by.times, unchecked: by.unchecked, t: by.t, step: by.step,
		above: by.above, run: encodeBlock})
	for _, k := range c.counts {
		values += k
	}
	return values
}

// encodeBlock is encode for a block.
func encodeBlock(c *Coder, i int) {
	w, found, values := &c.work, 0, 0
	outliers := c.scratch[i*room : (i+1)*room]
	from, end := part(i, len(w.x))
	searched := from
	for ; from < end; from += piece {
		to := min(from+piece, end)
		if w.u != nil {
			c.add(w.x[from:to], w.u[from:to], w.times)
		}
		words := w.words[from/16 : kernels.WordsOf(to)]
		n, largest := c.set.EncodeScaled(words, w.x[from:to], w.t, w.step)
		if w.unchecked && !small(largest) && w.overflowed(w.x[from:to], words) {
			c.overflowed.Store(true)
		}
		values += n
		if w.above > math.MaxFloat32 {
			searched = to
		} else if searched == from {
			more, seen := c.set.Find(outliers[found:], w.x[from:to], w.above, from)
			found, searched = found+more, from+seen
		}
	}
	c.counts[i], c.found[i], c.seen[i] = values, int32(found), int32(searched)
}

// add computes x += times·u for a block, and notes an overflow. Only pieces with large numbers need the sum of squares
// that tells whether there is one.
func (c *Coder) add(x, u []float32, times float32) {
	for from := 0; from < len(x); from += piece {
		to := min(from+piece, len(x))
		if small(c.set.AddTimes(x[from:to], u[from:to], times)) {
			continue
		}
		if s := c.vec.SumSquares(x[from:to]); s-s != 0 {
			c.overflowed.Store(true)
		}
	}
}

// small reports whether the norm of a piece is finite because of its largest magnitude alone.
func small(largest float32) bool {
	most := float64(largest)
	return most*most*piece < math.MaxFloat32/2
}

// overflowed reports whether the norm of a piece of large numbers was not finite before EncodeScaled took words out of
// it. The numbers of before are right up to a rounding.
func (w *task) overflowed(x []float32, words []uint32) bool {
	before := slices.Clone(x)
	w.coder.set.AddBitmap(before, words, w.step)
	return overflows(w.coder.vec, before)
}
