package threshold

import "math"

// Clip limits the elements of x to [-limit, limit], with limit ≥ 0, and returns the amount that it removed. NaN stays.
func (c *Coder) Clip(x []float32, limit float32) Removed {
	n := blocksOf(len(x))
	c.removed = grow(c.removed, n)
	c.scratch = grow(c.scratch, n*room)
	c.do(n, task{x: x, t: limit, run: func(c *Coder, i int) {
		from, to := part(i, len(c.work.x))
		c.removed[i] = c.clip(c.work.x[from:to], c.work.t, c.scratch[i*room:(i+1)*room])
	}})
	var all Removed
	for _, r := range c.removed {
		all.Add(r)
	}
	return all
}

// clip clips a block. It finds the elements above the limit as those that reach the next larger number.
func (c *Coder) clip(x []float32, limit float32, scratch []int32) Removed {
	var r Removed
	over := math.Nextafter32(limit, float32(math.Inf(1)))
	for len(x) > 0 {
		found, seen := c.set.Find(scratch, x, over, 0)
		for _, e := range scratch[:found] {
			v := &x[abs(e)-1]
			new := float32(math.Copysign(float64(limit), float64(*v)))
			change := float64(*v) - float64(new)
			*v = new
			r.Add(Removed{1, change, math.Abs(change)})
		}
		x = x[seen:]
	}
	return r
}
