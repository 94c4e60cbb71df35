package threshold

import "math"

// Clip limits the elements of x to [-limit, limit], for a limit of at least 0, and gives what that took away. NaN stays.
func (c *Coder) Clip(x []float32, limit float32) Removed {
	n := blocksOf(len(x))
	c.removed = grow(c.removed, n)
	c.do(n, task{x: x, t: limit, run: func(c *Coder, i int) {
		w := &c.work
		from, to := part(i, len(w.x))
		c.removed[i] = clip(w.x[from:to], w.t)
	}})
	var all Removed
	for _, r := range c.removed {
		all.Add(r)
	}
	return all
}

func clip(x []float32, limit float32) Removed {
	var r Removed
	for i, v := range x {
		over := math.Abs(float64(v)) - float64(limit)
		if !(over > 0) {
			continue
		}
		x[i] = float32(math.Copysign(float64(limit), float64(v)))
		r.Count++
		r.Magnitude += over
		r.Sum += math.Copysign(over, float64(v))
	}
	return r
}
