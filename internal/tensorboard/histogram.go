package tensorboard

import (
	"math"
	"time"
)

// buckets is the number of buckets of a histogram.
const buckets = 30

// histogram makes an Event of the distribution of finite numbers; false if there are none.
func histogram(at time.Time, step int, tag string, v []float32) (message, bool) {
	low, high, sum, squares, n := math.Inf(1), math.Inf(-1), 0.0, 0.0, 0
	for _, x := range v {
		if x-x != 0 {
			continue
		}
		y := float64(x)
		low, high, sum, squares, n = min(low, y), max(high, y), sum+y, squares+y*y, n+1
	}
	if n == 0 {
		return nil, false
	}
	limits, counts := make([]float64, buckets), make([]float64, buckets)
	width := (high - low) / buckets
	for i := range limits {
		limits[i] = low + width*float64(i+1)
	}
	limits[buckets-1] = high
	for _, x := range v {
		if x-x != 0 {
			continue
		}
		i := 0
		if width > 0 {
			i = min(buckets-1, int((float64(x)-low)/width))
		}
		counts[i]++
	}
	h := message(nil).double(histogramMin, low).double(histogramMax, high).double(histogramCount, float64(n)).
		double(histogramSum, sum).double(histogramSquares, squares).doubles(histogramLimits, limits).
		doubles(histogramBuckets, counts)
	return summary(at, step, message(nil).text(valueTag, tag).bytes(valueHistogram, h)), true
}
