package threshold

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/dl4go/dl4go/internal/kernel"
	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/internal/parallel"
)

// Coder encodes, applies and clips vectors on threads of its own. It keeps scratch memory, at most an eighth of the
// longest residual's size, so only one goroutine at a time may use it. Any number of Encoders may share it.
type Coder struct {
	pool *parallel.Pool // nil: one thread
	set  *kernels.Set
	vec  *vector.Set
	work task

	starts  []int   // for each block of a search, the hits before it
	found   []int32 // for each block, the hits that are in its part of scratch
	seen    []int32 // for each block, the elements in which these were found
	scratch []int32
	removed []Removed // for each block
	waits   []waiting // for each block
	floats  []float32
	sample  []float32 // of a residual's magnitudes
	counts  []int     // values of each block
	addends []addend  // of the messages that are added
	cursors []int     // words or entries of each message that were added
	places  []int     // the next entry of each addend in each block
	streams []stream  // of a sum that is coded

	overflowed atomic.Bool // the norm of some block with its update is not finite
}

// NewCoder makes a coder with this number of threads, including the calling goroutine, and the best kernels of this
// machine. Below 2, it starts no thread. Close ends the threads.
func NewCoder(threads int) *Coder { return newCoder(threads, kernel.Best()) }

// NewCoderFor is NewCoder with the kernels of that name: "portable", "avx2", "avx512" or "neon". All give the same
// results. If this machine or build doesn't have them, the error lists those that it has.
func NewCoderFor(threads int, kernels string) (*Coder, error) {
	v, err := kernel.Parse(kernels)
	if err != nil {
		return nil, err
	}
	return newCoder(threads, v), nil
}

func newCoder(threads int, v kernel.Variant) *Coder {
	c := &Coder{set: kernels.For(v), vec: vector.For(v)}
	if threads > 1 {
		c.pool = parallel.New(threads)
	}
	return c
}

// Close ends the coder's threads. A coder of one thread needs no Close.
func (c *Coder) Close() {
	if c.pool != nil {
		c.pool.Close()
	}
}

// Add adds the message to the target, which has m.Length elements. The message must be valid.
func (c *Coder) Add(m *Message, target []float32) error { return c.apply(m, target, 1) }

// Subtract subtracts the message from the target, as an update moves parameters.
func (c *Coder) Subtract(m *Message, target []float32) error { return c.apply(m, target, -1) }

// SubtractAll subtracts messages one after the other. For scaled messages of Encoders, and their outliers, that follow
// each other, it takes less time than Subtract does: it reads the target once.
func (c *Coder) SubtractAll(all []*Message, target []float32) error {
	for _, m := range all {
		if len(target) != m.Length {
			return c.apply(m, target, -1) // an error
		}
	}
	for len(all) > 0 {
		n := alike(all)
		if n > 0 {
			c.addAlike(all[:n], target, -1)
		} else if err := c.apply(all[0], target, -1); err != nil {
			return err
		}
		all = all[max(1, n):]
	}
	return nil
}

func (c *Coder) apply(m *Message, target []float32, sign float32) error {
	if len(target) != m.Length {
		return fmt.Errorf("a message of %d parameters cannot be applied to %d: the networks differ", m.Length, len(target))
	}
	switch m.Form {
	case Sparse:
		c.addEntries(target, m.Entries, sign*m.Threshold)
	case Bitmap:
		c.addBitmap(target, m.Words, sign*m.Threshold)
	case Scaled:
		c.addScaled(m, target, sign)
	}
	return nil
}

// block is the number of elements in one part of a computation, and chunk the number of entries. They decide the order
// of additions, so they are the same for any number of threads. A block and its update fit in a second-level cache, so
// each is read from memory once.
const (
	block = 1 << 15
	chunk = 1 << 10
)

func blocksOf(n int) int { return (n + block - 1) / block }

// part returns the range of block i of n elements.
func part(i, n int) (from, to int) { return i * block, min(i*block+block, n) }

// task is a computation in parts. It is a field of the Coder, so that starting one allocates nothing.
type task struct {
	run     func(c *Coder, i int)
	coder   *Coder
	x, u    []float32
	words   []uint32
	entries []int32
	t       float32
	base    int

	multiples []int32
	bytes     []byte
	step      float32 // that values move
	times     float32 // of the update
	unchecked bool    // nobody has looked for an overflow in x
	above     float32 // of outliers
}

// Run computes part i.
func (t *task) Run(_, i int) { t.run(t.coder, i) }

// do runs n parts of a task.
func (c *Coder) do(n int, t task) {
	t.coder = c
	c.work = t
	if c.pool == nil {
		for i := range n {
			c.work.run(c, i)
		}
	} else {
		c.pool.Do(n, &c.work)
	}
	c.work = task{}
}

func (c *Coder) addEntries(x []float32, entries []int32, t float32) {
	c.do((len(entries)+chunk-1)/chunk, task{x: x, entries: entries, t: t, run: func(c *Coder, i int) {
		w := &c.work
		c.set.AddEntries(w.x, w.entries[i*chunk:min(i*chunk+chunk, len(w.entries))], w.t)
	}})
}

func (c *Coder) addBitmap(x []float32, words []uint32, t float32) {
	c.do(blocksOf(len(x)), task{x: x, words: words, t: t, run: func(c *Coder, i int) {
		w := &c.work
		from, to := part(i, len(w.x))
		c.set.AddBitmap(w.x[from:to], w.words[from/16:kernels.WordsOf(to)], w.t)
	}})
}

// accumulate computes x += times·u. The product is rounded, then the sum.
func (c *Coder) accumulate(x, u []float32, times float32) {
	c.do(blocksOf(len(x)), task{x: x, u: u, times: times, run: func(c *Coder, i int) {
		w := &c.work
		from, to := part(i, len(w.x))
		c.add(w.x[from:to], w.u[from:to], w.times)
	}})
}

// check notes an overflow in x.
func (c *Coder) check(x []float32) {
	c.do(blocksOf(len(x)), task{x: x, run: func(c *Coder, i int) {
		from, to := part(i, len(c.work.x))
		if overflows(c.vec, c.work.x[from:to]) {
			c.overflowed.Store(true)
		}
	}})
}

// overflows reports whether the norm of a piece of x is not finite.
func overflows(v *vector.Set, x []float32) bool {
	for from := 0; from < len(x); from += piece {
		if s := v.SumSquares(x[from:min(from+piece, len(x))]); s-s != 0 {
			return true
		}
	}
	return false
}

// grow returns s with n elements of any value.
func grow[T any](s []T, n int) []T {
	return slices.Grow(s[:0], n)[:n]
}
