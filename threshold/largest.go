package threshold

import (
	"math"
	"slices"

	"github.com/dl4go/dl4go/internal/random"
)

// Largest lets a share of the parameters through: those with the largest residuals. Its threshold is exceeded by that
// share of the elements that are not 0. Of a large residual it looks at a sample, drawn by the iteration, so the share
// varies a little. Elements below the root mean square don't pass: if there are a few large elements, many small ones
// wait. It has no state: it adapts to changes of the updates at once, and does not depend on an initial threshold. At
// least one element passes if any is not 0. Deeplearning4j differs: it has no such algorithm.
type Largest struct {
	// Share is the share of the largest layer, or of all parameters if there is one threshold. It is 0.1 by default.
	Share float64 `dl4j:"share"`
	// Most, if above Share, lets more of small layers through: √n times Share of a layer that is n times smaller than
	// the largest one, up to Most. Small layers cost few bytes, and the others learn from them. It is 0 by default: all
	// layers have the same share.
	Most float64 `dl4j:"most"`
}

// sampleSize is the number of elements of a residual that Largest looks at, runLength that of neighbours among them,
// which have a cache line in common.
const sampleSize, runLength = 1 << 10, 8

// Start returns an empty state: see [NewState].
func (a Largest) Start() State { return NewState() }

// From returns a: it has no state.
func (a Largest) From(State) Algorithm { return a }

// Threshold returns the magnitude that the share exceeds.
func (a Largest) Threshold(s *State, step *Step) float64 {
	if step.encoder == nil {
		return math.MaxFloat32
	}
	c := step.encoder.coder
	c.sample = step.sampled(grow(c.sample, sampleSize))
	if len(c.sample) == 0 && len(step.residual) > sampleSize {
		c.sample = moving(c.sample, step.Residual())
	}
	n := len(c.sample)
	if n == 0 {
		return math.MaxFloat32 // nothing moves
	}
	rank := min(n, max(1, int(math.Round(a.shareOf(step)*float64(n)))))
	squares := 0.0
	for _, v := range c.sample {
		squares += float64(v) * float64(v)
	}
	largest := slices.Max(c.sample)
	t := max(nth(c.sample, n-rank), min(largest, float32(math.Sqrt(squares/float64(n)))))
	step.mean = meanAbove(c.sample[n-rank:], t, len(step.residual) > sampleSize)
	return float64(t)
}

// meanAbove returns the mean of the magnitudes that reach a threshold, or 0 if there are too few of them for an
// estimate.
func meanAbove(magnitudes []float32, t float32, estimated bool) float32 {
	sum, n := 0.0, 0
	for _, v := range magnitudes {
		if v >= t {
			sum += float64(v)
			n++
		}
	}
	if n == 0 || estimated && n < leastSample {
		return 0
	}
	return float32(sum / float64(n))
}

// shareOf returns the share of a step's layer.
func (a Largest) shareOf(step *Step) float64 {
	largest := step.encoder.largest
	if a.Most <= a.Share || largest == 0 {
		return a.Share
	}
	return min(a.Most, a.Share*math.Sqrt(float64(largest)/float64(len(step.residual))))
}

// Validate checks that the shares are in their ranges.
func (a Largest) Validate() error {
	return check("Largest", rule{"share", a.Share, a.Share > 0 && a.Share <= 1, "must be above 0 and at most 1"},
		rule{"most", a.Most, a.Most >= 0 && a.Most <= 1, "must be from 0 to 1"})
}

// sampled returns the magnitudes of elements that are not 0, of the residual with the update: of all elements, or of a
// run in each of several ranges. Numbers that are not finite are left out. The result is in the memory of dst, if there
// is room for it.
func (s *Step) sampled(dst []float32) []float32 {
	if s.drawn != nil {
		return moving(dst[:0], s.drawn)
	}
	x := s.residual
	if len(x) <= sampleSize {
		return moving(dst[:0], s.Residual())
	}
	// All runs are read before any is looked at: the processor then waits for several cache lines at a time.
	drawn := grow(dst, sampleSize)
	for i := range runs {
		at := runStart(i, len(x), s.Iteration)
		run := (*[runLength]float32)(drawn[i*runLength:])
		*run = *(*[runLength]float32)(x[at:])
		if s.update != nil {
			for k, u := range (*[runLength]float32)(s.update[at:]) {
				run[k] += float32(s.times * u)
			}
		}
	}
	return moving(drawn[:0], drawn)
}

// runs is the number of runs of a sample.
const runs = sampleSize / runLength

// runRange returns the range of n elements in which a run is drawn.
func runRange(i, n int) (from, to int) {
	return int(int64(n) * int64(i) / runs), int(int64(n) * int64(i+1) / runs)
}

// runStart returns the first element of a run in the sample of n elements.
func runStart(i, n, iteration int) int {
	from, to := runRange(i, n)
	return from + int(random.Mix(uint64(iteration), uint64(i))%uint64(to-from-runLength+1))
}

// moving appends the magnitudes of all elements that are not 0.
func moving(dst, x []float32) []float32 {
	for _, v := range x {
		if v != 0 && v-v == 0 {
			dst = append(dst, max(v, -v))
		}
	}
	return dst
}

// nth returns the element that would have index k if x were in ascending order. It reorders x.
func nth(x []float32, k int) float32 {
	for low, high := 0, len(x)-1; low < high; {
		pivot := x[low+(high-low)/2]
		i, j := low, high
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for pivot < x[j] {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return x[k]
		}
	}
	return x[k]
}

func init() {
	Algorithms.Register("io.github.dl4go.threshold.Largest", func() Algorithm { return Largest{Share: 0.1} })
}
