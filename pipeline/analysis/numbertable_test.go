package analysis

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestExpect: the table of numbers has its size before the first number of many is counted.
func TestExpect(t *testing.T) {
	for _, n := range []int{1, 47, 48, 49, 3000, 12287, 12288, 20_000} {
		var table textTable
		for i := range n {
			e := table.at(fmt.Sprint(i))
			e.number, e.waiting = true, 1
		}
		c := newNumbers(15_000)
		c.expect(&table)
		size := len(c.counts.slots)
		for i := range min(n, c.limit) {
			c.add(float64(i), 0)
		}
		if len(c.counts.slots) != size || size > 64 && size > 3*n {
			t.Errorf("%d numbers: %d slots were expected, and there are %d", n, size, len(c.counts.slots))
		}
	}
}

// TestCountsTogether compares counts beyond the limit with those of all values, merged in as few bits as necessary.
func TestCountsTogether(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		limit, n := 1+r.IntN(300), r.IntN(3000)
		c, values := newNumbers(limit), map[uint64]count{}
		for range n {
			x, label := float64(r.IntN(1<<r.IntN(20)))/8, uint64(r.IntN(3))
			c.add(x, label)
			at := values[ordered(x)]
			at.add(1, label)
			values[ordered(x)] = at
		}
		distinct, shift := len(values), uint(0)
		for len(values) > limit {
			shift++
			together := map[uint64]count{}
			for k, v := range values {
				at := together[k>>1]
				at.add(v.n, v.label)
				together[k>>1] = at
			}
			values = together
		}
		keys := c.keys()
		if len(keys) != len(values) || c.shift != shift || c.exact() != (distinct <= limit) {
			t.Fatalf("seed %d: %d counts without %d bits, want %d without %d", seed, len(keys), c.shift, len(values), shift)
		}
		for _, k := range keys {
			if got := c.counts.get(k); got != values[k] {
				t.Fatalf("seed %d: %x has %v, want %v", seed, k, got, values[k])
			}
		}
	}
}
