package conv_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/conv"
)

// variantsOfBF16 lists the variants that this machine can run.
func variantsOfBF16() []kernel.Variant {
	if kernel.HasBF16() {
		return []kernel.Variant{kernel.Portable, kernel.AVX512}
	}
	return []kernel.Variant{kernel.Portable}
}

// geometriesOfBF16 are fewer and smaller than the others, because the portable reference is slow.
func geometriesOfBF16() []conv.Geometry {
	gs := []conv.Geometry{
		// Float32, or in part: few channels, examples or filters.
		{3, 1, 9, 28, 20, 5, 5, 1, 1, 1, 1, 0, 0, 5, 24},
		{2, 5, 16, 16, 8, 3, 3, 2, 2, 1, 1, 0, 0, 8, 8},
		{4, 12, 8, 9, 8, 3, 3, 1, 1, 1, 1, 1, 1, 8, 9},
		{2, 8, 8, 9, 12, 1, 1, 1, 1, 1, 1, 0, 0, 8, 9},
		{1, 2, 3, 3, 3, 2, 2, 1, 1, 1, 1, 3, -1, 6, 2},
		// Odd and even numbers of channels, of examples and of filters, and strides, dilation and padding.
		{2, 20, 6, 12, 14, 5, 5, 1, 1, 1, 1, 0, 0, 2, 8},
		{3, 13, 5, 32, 16, 3, 3, 1, 1, 1, 1, 1, 1, 5, 32},
		{5, 27, 9, 9, 31, 1, 1, 1, 1, 1, 1, 0, 0, 9, 9},
		{3, 12, 1, 50, 13, 1, 7, 1, 2, 1, 1, 0, 3, 1, 25},
		{7, 15, 6, 5, 12, 3, 2, 1, 1, 2, 1, 0, 0, 2, 4},
		{2, 12, 5, 46, 13, 2, 3, 1, 1, 2, 3, 1, 2, 5, 44},
		{3, 14, 8, 8, 15, 2, 2, 3, 3, 1, 1, 0, 0, 3, 3},
		{3, 13, 9, 7, 12, 3, 3, 2, 2, 1, 1, 1, 1, 5, 4},
		{1, 13, 8, 32, 14, 1, 1, 1, 1, 1, 1, 0, 0, 8, 32},
		{2, 28, 7, 6, 12, 1, 1, 2, 2, 1, 1, 0, -1, 4, 2},
		// Sums of several blocks, and several blocks of channels.
		{2, 130, 4, 4, 12, 3, 3, 1, 1, 1, 1, 1, 1, 4, 4},
		{2, 12, 4, 4, 1030, 2, 2, 2, 2, 1, 1, 0, 0, 2, 2},
		// Several bands of rows.
		{2, 12, 60, 140, 12, 3, 3, 1, 1, 1, 1, 1, 1, 60, 140},
	}
	if testing.Short() {
		gs = gs[:len(gs)-1]
	}
	return gs
}

// inBF16 says what is not computed in float32.
func inBF16(g conv.Geometry) (forward, input, filter bool) {
	patch := g.InC * g.KH * g.KW
	return g.InC >= 8 && g.OutC >= 12, g.OutC >= 8 && g.InC >= 12,
		g.Batch > 1 && g.InC > 1 && patch >= 27 && (patch > g.InC || g.OutC >= 12)
}

func roundedTo8Bits(x float32) float64 {
	fraction, exponent := math.Frexp(float64(x))
	return math.Ldexp(math.RoundToEven(math.Ldexp(fraction, 8)), exponent-8)
}

// TestBF16AgainstPlainLoops compares with sums in float64: of rounded factors, but where few channels or examples keep
// float32.
func TestBF16AgainstPlainLoops(t *testing.T) {
	for _, g := range geometriesOfBF16() {
		d := newData(g)
		var round [3]bool
		round[0], round[1], round[2] = inBF16(g)
		w := d.plainLoops(func(part int, x float32) float64 {
			if round[part] {
				return roundedTo8Bits(x)
			}
			return float64(x)
		})
		for _, v := range variantsOfBF16() {
			w.compare(t, d, kind{v, true})
		}
	}
}

// TestBF16IsExact: the processor's instruction and the portable reference give the same bits, also for numbers that are
// not finite, that overflow, and that are denormal, and with any number of threads.
func TestBF16IsExact(t *testing.T) {
	special := []float32{0, float32(math.Copysign(0, -1)), 1e-40, -3e-39, 1e-20, -1e-19, 3e38, -3e38, float32(math.Inf(1)),
		float32(math.Inf(-1)), float32(math.NaN()), math.Float32frombits(0x7f800001), 1.00390625, 1.01171875, 3.3895314e38}
	rng := rand.New(rand.NewPCG(5, 6))
	for i, g := range geometriesOfBF16() {
		forward, input, filter := inBF16(g)
		for round := range 3 {
			if testing.Short() && round != i%3 {
				continue
			}
			d := newData(g)
			for _, x := range [][]float32{d.x, d.w, d.dy} {
				for at := range x {
					switch {
					case round == 1: // of very different sizes
						x[at] *= float32(math.Ldexp(1, rng.IntN(180)-140))
					case round == 2 && rng.IntN(1+len(x)/2) == 0:
						x[at] = special[rng.IntN(len(special))]
					}
				}
			}
			var first [3][]float32
			for _, v := range variantsOfBF16() {
				for _, threads := range []int{1, 3} {
					var got [3][]float32
					got[0], got[1], got[2] = d.results(t, kind{v, true}, threads)
					if first[0] == nil {
						first = got
					}
					for part, is := range [3]bool{forward, input, filter} {
						if !is { // variants of float32 round differently
							got[part] = nil
						}
					}
					for part, name := range []string{"forward", "input gradient", "filter gradient"} {
						for at, x := range got[part] {
							if y := first[part][at]; math.Float32bits(x) != math.Float32bits(y) && (x == x || y == y) {
								t.Fatalf("round %d, %v %+v on %d threads: element %d of %s is %g, the portable one %g", round, v, g,
									threads, at, name, x, y)
							}
						}
					}
				}
			}
		}
	}
}
