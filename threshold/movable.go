package threshold

import "math"

// waiting measures the part of a residual that waits to be sent.
type waiting struct {
	moving int     // elements that are not 0
	total  float64 // Σ |x|
	kept   float64 // Σ min(|x|, limit)
}

// slice is the number of elements that a block measures at once, in its own scratch memory.
const slice = 1 << 10

// waiting measures a residual. Clipping would remove the amounts above the limit. The sums have a fixed order.
func (c *Coder) waiting(x []float32, limit float32) waiting {
	n := blocksOf(len(x))
	c.waits, c.floats = grow(c.waits, n), grow(c.floats, n*slice)
	c.do(n, task{x: x, t: limit, run: func(c *Coder, i int) {
		from, to := part(i, len(c.work.x))
		c.waits[i] = c.wait(c.work.x[from:to], c.work.t, c.floats[i*slice:(i+1)*slice])
	}})
	var all waiting
	for _, w := range c.waits {
		all.moving += w.moving
		all.total += w.total
		all.kept += w.kept
	}
	return all
}

func (c *Coder) wait(x []float32, limit float32, scratch []float32) waiting {
	w := waiting{moving: c.set.Count(x, math.SmallestNonzeroFloat32)}
	for len(x) > 0 {
		k := min(len(x), slice)
		part := scratch[:k]
		c.vec.Abs(part, x[:k])
		w.total += float64(c.vec.Sum(part))
		c.vec.MinScalar(part, part, limit)
		w.kept += float64(c.vec.Sum(part))
		x = x[k:]
	}
	return w
}

// clipMultiple is the usual multiple of the threshold at which residuals are clipped. The threshold rises if more than
// clipShare of the residual's magnitude is above that, or if more than clipShare of the recent outflow was clipped.
const (
	clipMultiple = 5
	clipShare    = 0.1
)

// outflow is the amount that recently left a residual. Each step weighs the earlier ones by nine tenths.
type outflow struct{ clipped, sent float64 }

func (o *outflow) add(clipped, sent float64) {
	const stays = 0.9
	o.clipped, o.sent = stays*o.clipped+clipped, stays*o.sent+sent
}

// density returns the last message's number of values over the number of parameters that can move, those whose residual
// is not 0. Other parameters (of frozen layers, of words that did not occur, of dead units) never send anything,
// however low the threshold is. sparsity is the same over all parameters; density returns it if it is not below low. If
// clipping takes more than clipShare, the threshold is too low, however few values pass it. The density is then 1.
func (s *Step) density(sparsity, low float64) float64 {
	if s.encoder == nil || !(sparsity < low) || math.IsNaN(s.LastCount) {
		return sparsity
	}
	residual, recent := s.Residual(), s.recent
	sent := int(math.Round(s.LastCount*float64(len(residual)))) - s.header
	w := s.encoder.coder.waiting(residual, float32(clipMultiple*s.LastThreshold))
	switch moving := max(w.moving, sent); {
	case moving == 0:
		return low
	case w.total-w.kept > clipShare*w.total, recent.clipped > clipShare*(recent.clipped+recent.sent):
		return 1
	default:
		return float64(sent) / float64(moving)
	}
}
