package analysis

import (
	"math"
	"math/bits"
	"slices"
)

// ExactDistinct is the number of distinct values of a column that are counted exactly. With more values, a sketch
// (HyperLogLog) estimates their number to about 1 %, and numbers with the same leading digits are counted together.
// Tables of more than 40 columns share 4,000,000 counts; each column has at least 1,000.
const ExactDistinct = 100_000

// exactFor returns the number of values that each column may count.
func exactFor(columns int) int {
	return min(ExactDistinct, max(1000, 4_000_000/max(columns, 1)))
}

// LeastExact is the number of distinct values of a column that are counted exactly even with little memory.
const LeastExact = 100

// countBytes is the approximate memory of a count: a number's entry in a table that is half full, and half of another
// entry before entries are merged. Texts are dropped when there are too many.
const countBytes = 96

// bounded returns how many values each column may count, and how many bytes their texts may have, if all columns share
// this memory.
func bounded(limit int, memory int64, columns int) (values, bytes int) {
	if memory <= 0 {
		return limit, textBytes
	}
	each := memory / int64(max(columns, 1))
	return min(limit, int(max(LeastExact, each/countBytes))), int(min(textBytes, max(LeastExact*8, each/4)))
}

// count is how often a value occurs in a column, and the label of its rows: 0 for none, mixed for several.
type count struct {
	n     int64
	label uint64
}

const mixed = math.MaxUint64

func (c *count) add(n int64, label uint64) {
	switch {
	case c.label == 0:
		c.label = label
	case label != 0 && label != c.label:
		c.label = mixed
	}
	c.n += n
}

// numbers counts numbers by value. If there are too many of them, it counts numbers together that agree in their
// leading bits, in as many bits as the limit allows. So its content depends on the numbers only, not on their order.
//
// Until [numbers.settle], it may exceed the limit by half, so that numbers are not merged all the time.
type numbers struct {
	limit  int
	shift  uint // number of low bits of the values that are dropped
	counts numberTable
	many   *distinct // nil while all values are counted exactly
	queue  []queued
	seen   int64 // so that the compiler does not remove flush's reads
}

// queued is a number to be counted later.
type queued struct {
	key, label uint64
	n          int64
}

// queueLength is the number of numbers that are counted at a time.
const queueLength = 256

func newNumbers(limit int) *numbers { return &numbers{limit: limit} }

// ordered maps numbers to integers with the same order; −0 is 0.
func ordered(x float64) uint64 {
	b := math.Float64bits(x + 0)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

func unordered(k uint64) float64 {
	if k>>63 != 0 {
		return math.Float64frombits(k &^ (1 << 63))
	}
	return math.Float64frombits(^k)
}

func (c *numbers) add(x float64, label uint64) {
	k := ordered(x)
	if c.many != nil {
		c.many.add(k)
	}
	c.put(k>>c.shift, 1, label)
}

// later counts a number n times, not later than the next flush.
func (c *numbers) later(x float64, n int64, label uint64) {
	if c.queue = append(c.queue, queued{ordered(x), label, n}); len(c.queue) == queueLength {
		c.flush()
	}
}

// expect makes room for the numbers among texts that were only counted, so that the table need not grow to it.
func (c *numbers) expect(t *textTable) {
	if c.counts.used > 0 {
		return
	}
	n := 0
	for e := range t.each {
		if e.number && e.waiting > 0 {
			n++
		}
	}
	if n > 0 {
		c.counts.reserve(min(n, c.limit+1))
	}
}

// flush counts the queued numbers. The table may be large, so it first reads all slots; their cache misses then
// overlap.
func (c *numbers) flush() {
	if slots := c.counts.slots; len(slots) > 1<<12 {
		mask := uint64(len(slots) - 1)
		for _, q := range c.queue {
			c.seen += slots[scramble(q.key>>c.shift)&mask].n
		}
	}
	for _, q := range c.queue {
		if c.many != nil {
			c.many.add(q.key)
		}
		c.put(q.key>>c.shift, q.n, q.label)
	}
	c.queue = c.queue[:0]
}

func (c *numbers) put(k uint64, n int64, label uint64) {
	c.counts.at(k).add(n, label)
	switch {
	case c.counts.used <= c.limit:
	case c.many == nil:
		c.many = newDistinct()
		c.eachKey(c.many.add)
	case c.counts.used > c.limit+c.limit/2:
		c.settle()
	}
}

// settle merges numbers until the counts are within the limit.
func (c *numbers) settle() {
	if c.counts.used > c.limit {
		c.coarsen()
	}
}

// coarsen drops as many bits as necessary.
func (c *numbers) coarsen() {
	keys := c.sortedKeys()
	var apart [65]int // number of neighbours whose highest differing bit this is
	for i := 1; i < len(keys); i++ {
		apart[bits.Len64(keys[i]^keys[i-1])]++
	}
	left, drop := len(keys), uint(0)
	for left > c.limit {
		drop++
		left -= apart[drop]
	}
	c.dropBits(drop)
}

func (c *numbers) dropBits(drop uint) {
	old := c.counts
	c.counts = numberTable{}
	c.shift += drop
	old.each(func(k uint64, v count) { c.counts.at(k>>drop).add(v.n, v.label) })
}

// keys returns the keys of the counts, in order.
func (c *numbers) keys() []uint64 {
	c.settle()
	return c.sortedKeys()
}

func (c *numbers) sortedKeys() []uint64 {
	keys := make([]uint64, 0, c.counts.used)
	c.eachKey(func(k uint64) { keys = append(keys, k) })
	slices.Sort(keys)
	return keys
}

func (c *numbers) merge(o *numbers) {
	exact := c.exact() && o.exact()
	if !exact {
		c.many = mergeDistinct(c.many, o.many, c.eachKey, o.eachKey)
	}
	if o.shift > c.shift {
		c.dropBits(o.shift - c.shift)
	}
	o.counts.each(func(k uint64, v count) { c.put(k<<o.shift>>c.shift, v.n, v.label) })
	if exact && c.many != nil { // together, they are too many
		o.eachKey(c.many.add)
	}
}

func (c *numbers) eachKey(do func(uint64)) {
	c.counts.each(func(k uint64, _ count) { do(k) })
}

// exact reports whether every value has a count of its own.
func (c *numbers) exact() bool { return c.many == nil }

// distinct returns the number of distinct values.
func (c *numbers) distinct() int64 {
	if c.many != nil {
		return c.many.estimate()
	}
	return int64(c.counts.used)
}

// weighted is a value that stands for n values.
type weighted struct {
	x float64
	n int64
}

// sorted returns the values with their counts, in order. A value that stands for several is the middle of their range,
// within low and high.
func (c *numbers) sorted(low, high float64) []weighted {
	all := make([]weighted, 0, c.counts.used)
	for _, k := range c.keys() {
		first := unordered(k << c.shift)
		last := unordered(k<<c.shift | (1<<c.shift - 1))
		x := min(max(first+(last-first)/2, low), high)
		all = append(all, weighted{x, c.counts.get(k).n})
	}
	return all
}
