package stats

import (
	"fmt"
	"math"
)

// Histogram has the distribution of a parameter's values, or of a layer's activations, at a step.
type Histogram struct {
	// Name is the name of the [Series] of their mean magnitude, such as "gradients/0_W".
	Name string `json:"name"`
	// Iteration counts the network's steps so far.
	Iteration int `json:"iteration"`
	// Low and High are the smallest and the largest value.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Counts are the counts of [HistogramBins] bins of equal width from Low to High.
	Counts []int `json:"counts"`
}

// HistogramBins is the number of bins of a [Histogram].
const HistogramBins = 30

// mostSampled is the maximum number of values that a histogram counts.
const mostSampled = 4_000

// HistogramOf counts the finite values; ok is false if there are none. If there are more than 4,000 values, it divides
// them into as many equal parts and takes one value of each.
func HistogramOf(name string, iteration int, values []float32) (h Histogram, ok bool) {
	var room [mostSampled]float32
	sample := sampled(room[:0], values)
	if len(sample) == 0 {
		return h, false
	}
	low, high := sample[0], sample[0]
	for _, v := range sample {
		low, high = min(low, v), max(high, v)
	}
	h = Histogram{name, iteration, float64(low), float64(high), make([]int, HistogramBins)}
	by := 0.0
	if high > low {
		by = HistogramBins / (h.High - h.Low)
	}
	for _, v := range sample {
		h.Counts[min(HistogramBins-1, int((float64(v)-h.Low)*by))]++
	}
	return h, true
}

// sampled appends the finite values of a sample. The offsets in neighbouring parts differ, so that the values are not
// all from one column of a matrix.
func sampled(to, values []float32) []float32 {
	length := max(1, (len(values)+mostSampled-1)/mostSampled)
	shift, offset := 7919%length, 0
	for i := 0; i < len(values); i += length {
		if v := values[min(len(values)-1, i+offset)]; v-v == 0 {
			to = append(to, v)
		}
		if offset += shift; offset >= length {
			offset -= length
		}
	}
	return to
}

func (h *Histogram) validate() error {
	switch {
	case h.Name == "" || len(h.Name) > longestName:
		return fmt.Errorf("a name of 1 to %d bytes is needed", longestName)
	case h.Iteration < 0:
		return fmt.Errorf("iteration %d is negative", h.Iteration)
	case !(h.Low <= h.High) || math.IsInf(h.High-h.Low, 0):
		return fmt.Errorf("low %v and high %v are no range", h.Low, h.High)
	case len(h.Counts) != HistogramBins:
		return fmt.Errorf("it has %d bins; want %d", len(h.Counts), HistogramBins)
	}
	for _, n := range h.Counts {
		if n < 0 || n > math.MaxInt32 {
			return fmt.Errorf("a bin of %d values is not from 0 to %d", n, math.MaxInt32)
		}
	}
	return nil
}

// total returns the number of counted values.
func (h *Histogram) total() (n int) {
	for _, c := range h.Counts {
		n += c
	}
	return n
}

// quantile returns the value below which a share of all values lies. It treats the values of a bin as evenly spread.
func (h *Histogram) quantile(share float64) float64 {
	want, before := share*float64(h.total()), 0.0
	width := (h.High - h.Low) / HistogramBins
	for i, n := range h.Counts {
		if c := float64(n); before+c >= want && n > 0 {
			return h.Low + width*(float64(i)+max(0, want-before)/c)
		}
		before += float64(n)
	}
	return h.High
}

// spread adds the values to bins of equal width from low to high. It treats those of a bin as evenly spread. Values
// outside count in the outer bins.
func (h *Histogram) spread(low, high float64, bins []float64) {
	by := float64(len(bins)) / (high - low)
	width := (h.High - h.Low) / HistogramBins
	last := len(bins) - 1
	place := func(v float64) float64 { return min(max((v-low)*by, 0), float64(len(bins))) }
	for i, n := range h.Counts {
		if n == 0 {
			continue
		}
		from, to := place(h.Low+width*float64(i)), place(h.Low+width*float64(i+1))
		first := min(last, int(from))
		if to <= from {
			bins[first] += float64(n)
			continue
		}
		for k := first; k <= last && float64(k) < to; k++ {
			bins[k] += float64(n) * (min(to, float64(k+1)) - max(from, float64(k))) / (to - from)
		}
	}
}
