package analysis

import "sort"

// quantile interpolates between sorted values. Each is placed at the middle of its rank, as in a t-digest that keeps
// every value separate.
func quantile(values []weighted, q float64) float64 {
	total := int64(0)
	for _, w := range values {
		total += w.n
	}
	at := q*float64(total) - 0.5
	below := int64(max(at, 0))
	low, high := rank(values, below), rank(values, min(below+1, total-1))
	if at <= 0 {
		return low
	}
	return low + (high-low)*(at-float64(below))
}

// rank returns the value at a position, from 0.
func rank(values []weighted, at int64) float64 {
	for _, w := range values {
		if at -= w.n; at < 0 {
			return w.x
		}
	}
	return values[len(values)-1].x
}

// histogram counts values between low and high in buckets of equal width, with DataVec's bounds. If low equals high,
// all of them are in the last bucket.
func histogram(values []weighted, low, high float64, buckets int) Histogram {
	h := Histogram{make([]float64, buckets+1), make([]int64, buckets)}
	step := high/float64(buckets) - low/float64(buckets)
	if d := high - low; d <= largest {
		step = d / float64(buckets)
	}
	for i := range h.Bounds {
		h.Bounds[i] = low + float64(i)*step
	}
	h.Bounds[buckets] = high
	for _, w := range values {
		// the first bound above x is the end of its bucket
		i := sort.Search(buckets+1, func(i int) bool { return h.Bounds[i] > w.x })
		if i < 1 || i > buckets {
			i = buckets
		}
		h.Counts[i-1] += w.n
	}
	return h
}

// largest is the largest float64; the distance of two numbers may exceed it.
const largest = 0x1.fffffffffffffp1023
