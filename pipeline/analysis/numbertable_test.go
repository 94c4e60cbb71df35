package analysis

import (
	"math/rand/v2"
	"testing"
)

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
