package threshold

import (
	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
	"github.com/dl4go/dl4go/program"
)

// ranges are the ranges of parameters that have thresholds of their own on a device.
type ranges []span

type span struct{ from, to int }

func (s span) size() int { return s.to - s.from }

// words is the number of words of all ranges.
func (r ranges) words() (n int) {
	for _, s := range r {
		n += kernels.WordsOf(s.size())
	}
	return n
}

// addition returns the program that adds the update, times a factor, to the residual. Its outputs are the largest
// magnitude in each range, and the sample of all ranges if there is one.
func (r ranges) addition(sampled bool) *program.Program {
	b := program.NewBuilder()
	times, least := b.Input("times"), b.Input("least")
	at := sampling{b: b}
	if sampled {
		at.places = b.Input("places", r.places())
	}
	var largest, samples []*program.Value
	for _, s := range r {
		x, u := b.View(program.Residual, s.from, s.size()), b.View(program.Update, s.from, s.size())
		// The product is rounded, then the sum. A compiler could round them together, unless the product first goes through
		// the maximum with a number that only the host knows to be -∞.
		x = b.Add(x, b.Max(b.Mul(u, times), least))
		b.Store(program.Residual, s.from, x)
		largest = append(largest, largestOf(b, x))
		if sampled {
			samples = append(samples, at.draw(x))
		}
	}
	b.Output("largest", b.Concat(0, largest...))
	if sampled {
		b.Output("sample", b.Concat(0, samples...))
	}
	return b.Build()
}

// lookupMost is the number of elements of which a float32 can name each.
const lookupMost = 1 << 24

// groups returns the number of groups into which the runs of a sample of n elements are divided: each draws from fewer
// than lookupMost elements.
func groups(n int) int {
	k := 1
	for n/k >= lookupMost {
		k *= 2
	}
	return k
}

// places returns the number of elements in the samples of large ranges. Small ranges are samples as a whole.
func (r ranges) places() (n int) {
	for _, s := range r {
		if s.size() > sampleSize {
			n += sampleSize
		}
	}
	return n
}

// setPlaces sets the places of the samples of an iteration, within the groups.
func (r ranges) setPlaces(places []float32, iteration int) {
	for _, s := range r {
		n := s.size()
		if n <= sampleSize || len(places) == 0 {
			continue
		}
		each := runs / groups(n)
		for i := range runs {
			from, _ := runRange(i/each*each, n)
			start := runStart(i, n, iteration) - from
			for k := range runLength {
				places[i*runLength+k] = float32(start + k)
			}
		}
		places = places[sampleSize:]
	}
}

// sampling emits the samples of ranges.
type sampling struct {
	b      *program.Builder
	places *program.Value
	at     int // the place of the next sample
}

// draw emits the sample of a range.
func (s *sampling) draw(x *program.Value) *program.Value {
	n := x.Shape[0]
	if n <= sampleSize {
		return x
	}
	k := groups(n)
	var parts []*program.Value
	for g := range k {
		from, _ := runRange(g*runs/k, n)
		_, to := runRange((g+1)*runs/k-1, n)
		table := s.b.Reshape(s.b.Slice(x, 0, from, to), 1, to-from)
		parts = append(parts, s.b.Reshape(s.b.Apply(program.Lookup{}, table,
			s.b.Slice(s.places, 0, s.at, s.at+sampleSize/k)), sampleSize/k))
		s.at += sampleSize / k
	}
	return s.b.Concat(0, parts...)
}

// movement returns the program that moves the elements of the residual that reach the threshold of their range by the
// range's step, and those that reach minus half a threshold by half of it. For ranges without halves, half is +∞. Its
// outputs are the lower and upper halves of the words, as numbers: those of a bitmap, and of a scaled message. With
// further, outliers move further, and an output has their orders: four in each number.
func (r ranges) movement(further bool) *program.Program {
	b := program.NewBuilder()
	n := len(r)
	thresholds, steps, halves := b.Input("thresholds", n), b.Input("steps", n), b.Input("halves", n)
	var lows, highs, orders []*program.Value
	for i, s := range r {
		x := b.View(program.Residual, s.from, s.size())
		t, step, half := b.Slice(thresholds, 0, i, i+1), b.Slice(steps, 0, i, i+1), b.Slice(halves, 0, i, i+1)
		minus := b.Neg(x)
		up := b.Binary(program.GreaterEqual, x, t)
		down := b.Binary(program.GreaterEqual, minus, t)
		little := b.Binary(program.GreaterEqual, minus, half)
		x = b.Select(up, b.Sub(x, step), b.Select(down, b.Add(x, step), b.Select(little, b.Add(x, half), x)))
		if further {
			var order *program.Value
			x, order = outliers(b, x, step)
			orders = append(orders, packed(b, order, 4))
		}
		b.Store(program.Residual, s.from, x)
		lows = append(lows, packed(b, b.Max(up, down), 16))
		highs = append(highs, packed(b, b.Max(down, little), 16))
	}
	b.Output("low", b.Concat(0, lows...))
	b.Output("high", b.Concat(0, highs...))
	if further {
		b.Output("orders", b.Concat(0, orders...))
	}
	return b.Build()
}

// packed emits numbers of 16 bits, each with as many small integers. A float32 holds them, and their sums are exact.
func packed(b *program.Builder, x *program.Value, each int) *program.Value {
	n := x.Shape[0]
	words := kernels.WordsOf(n)
	if more := 16*words - n; more > 0 {
		x = b.Apply(program.Pad{Dim: 0, After: more}, x)
	}
	places := make([]float64, each)
	for i := range places {
		places[i] = float64(int(1) << (16 / each * i))
	}
	return b.Sum(b.Mul(b.Reshape(x, 16*words/each, each), b.Const(places, each)), 1)
}
