package threshold

import (
	"math"
	"slices"

	"github.com/dl4go/dl4go/internal/random"
)

// Largest lets a share of the parameters through, those with the largest residuals. Its threshold is exceeded by that
// share of the elements that are not 0. It looks at [sampleSize] elements of a larger residual, drawn by the iteration,
// so the share varies a little. Elements below the root of the mean square don't pass: beside a few large ones, many
// small ones wait. It has no state: it adapts to a change of the updates at once, and does not depend on an
// initial threshold. At least one element passes if any is not 0. Deeplearning4j has no such algorithm.
type Largest struct {
	Share float64 `dl4j:"share"`
}

// sampleSize is the number of elements of a residual that Largest looks at.
const sampleSize = 1 << 11

// Start returns a state without memory.
func (a Largest) Start() State { return NewState() }

// From returns a: it has no state.
func (a Largest) From(State) Algorithm { return a }

// Threshold returns the magnitude that the share exceeds.
func (a Largest) Threshold(s *State, step *Step) float64 {
	x := step.Residual()
	if step.encoder == nil {
		return math.MaxFloat32
	}
	c := step.encoder.coder
	c.sample = sampled(grow(c.sample, sampleSize)[:0], x, step.Iteration)
	if len(c.sample) == 0 && len(x) > sampleSize {
		c.sample = moving(c.sample, x)
	}
	n := len(c.sample)
	if n == 0 {
		return math.MaxFloat32 // nothing moves
	}
	rank := min(n, max(1, int(math.Round(a.Share*float64(n)))))
	squares := 0.0
	for _, v := range c.sample {
		squares += float64(v) * float64(v)
	}
	largest := slices.Max(c.sample)
	return max(float64(nth(c.sample, n-rank)), min(float64(largest), math.Sqrt(squares/float64(n))))
}

// Validate checks that the share is above 0 and at most 1.
func (a Largest) Validate() error {
	return check("Largest", rule{"share", a.Share, a.Share > 0 && a.Share <= 1, "must be above 0 and at most 1"})
}

// sampled appends the magnitudes of elements that are not 0: of all elements, or of one in each of sampleSize ranges.
func sampled(dst, x []float32, iteration int) []float32 {
	if len(x) <= sampleSize {
		return moving(dst, x)
	}
	from := 0
	for i := range sampleSize {
		to := int(int64(len(x)) * int64(i+1) / sampleSize)
		at := from + int(random.Mix(uint64(iteration), uint64(i))%uint64(to-from))
		if v := x[at]; v != 0 {
			dst = append(dst, max(v, -v))
		}
		from = to
	}
	return dst
}

// moving appends the magnitudes of all elements that are not 0.
func moving(dst, x []float32) []float32 {
	for _, v := range x {
		if v != 0 {
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
