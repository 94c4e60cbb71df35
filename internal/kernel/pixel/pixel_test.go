package pixel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/near"
)

// each runs a test for each variant, with random numbers.
func each(t *testing.T, test func(t *testing.T, s *Set, r *rand.Rand)) {
	for _, v := range kernel.Available() {
		t.Run(v.String(), func(t *testing.T) { test(t, For(v), rand.New(rand.NewPCG(1, 2))) })
	}
}

// bytesAt returns n random bytes that begin at an odd address and end at the end of their memory.
func bytesAt(r *rand.Rand, n int) []uint8 {
	b := make([]uint8, n+1)
	for i := range b {
		b[i] = uint8(r.Uint32())
		if r.IntN(4) == 0 {
			b[i] = uint8(255 * r.IntN(2))
		}
	}
	return b[1 : n+1 : n+1]
}

// guarded returns n bytes for results, and a check that nothing around them was written.
func guarded(t *testing.T, n int) (dst []uint8, check func()) {
	b := make([]uint8, n+128)
	for i := range b {
		b[i] = 0x5a
	}
	return b[65 : 65+n], func() {
		t.Helper()
		for i, v := range b {
			if (i < 65 || i >= 65+n) && v != 0x5a {
				t.Fatalf("of %d bytes, byte %d was written", n, i-65)
			}
		}
	}
}

// TestInverse: blocks of all kinds, even those that no image has, have the same bytes as in the portable variant.
func TestInverse(t *testing.T) {
	each(t, func(t *testing.T, s *Set, r *rand.Rand) {
		for i := range 3000 {
			var coefs, quant [64]int16
			for j := range coefs {
				if r.IntN(1+i%9) == 0 {
					coefs[j] = int16(r.IntN(1<<(i%17)+1) - 1<<(i%17)/2)
				}
				quant[j] = int16(1 + r.IntN(1+i%255))
			}
			const stride = 11
			want, got := make([]uint8, 7*stride+8), make([]uint8, 7*stride+8)
			inversePortable(&coefs, &quant, want, stride)
			s.Inverse(&coefs, &quant, got, stride)
			if !slices.Equal(got, want) {
				t.Fatalf("block %d: %v\n%v, want\n%v", i, coefs, got, want)
			}
			first := [64]int16{coefs[0]}
			s.Inverse(&first, &quant, want, stride)
			s.Fill(coefs[0]*quant[0], got, stride)
			if !slices.Equal(got, want) {
				t.Fatalf("%d alone: %v, want %v", coefs[0]*quant[0], got, want)
			}
		}
	})
}

// TestInverseIsCosine compares the transform with the formula, up to rounding.
func TestInverseIsCosine(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	ones := [64]int16{}
	for i := range ones {
		ones[i] = 1
	}
	scale := func(u int) float64 {
		if u == 0 {
			return math.Sqrt2 / 4
		}
		return 0.5
	}
	for range 50 {
		var coefs [64]int16
		for i := range coefs {
			coefs[i] = int16(r.IntN(101) - 50)
		}
		got := make([]uint8, 64)
		inversePortable(&coefs, &ones, got, 8)
		for i := range got {
			sum := 128.0
			for j, c := range coefs {
				sum += scale(j/8) * scale(j%8) * float64(c) * math.Cos(float64((2*(i/8)+1)*(j/8))*math.Pi/16) *
					math.Cos(float64((2*(i%8)+1)*(j%8))*math.Pi/16)
			}
			if want := min(max(sum, 0), 255); !near.Equal(float64(got[i]), want, 0.6, 0) {
				t.Fatalf("sample %d is %d, want %v", i, got[i], want)
			}
		}
	}
}

// TestChroma tests every length, at odd addresses.
func TestChroma(t *testing.T) {
	each(t, func(t *testing.T, s *Set, r *rand.Rand) {
		for n := range 140 {
			near, far := bytesAt(r, n), bytesAt(r, n)
			sums, want := make([]uint16, n+2), make([]uint16, n+2)
			blendPortable(want[1:n+1], near, far)
			if s.Blend(sums[1:n+1], near, far); !slices.Equal(sums, want) {
				t.Fatalf("of %d: %v, want %v", n, sums, want)
			}
			if n == 0 {
				continue
			}
			sums[0], sums[n+1] = sums[1], sums[n]
			for _, bias := range [][2]uint16{{8, 7}, {4, 8}} {
				wide := make([]uint8, 2*n)
				widenPortable(wide, sums, bias[0], bias[1])
				got, check := guarded(t, 2*n)
				if s.Widen(got, sums, bias[0], bias[1]); !slices.Equal(got, wide) {
					t.Fatalf("of %d, %v: %v, want %v", n, bias, got, wide)
				}
				check()
			}
		}
	})
}

// TestColours compares every luma and chroma with the formula, and tests every length.
func TestColours(t *testing.T) {
	each(t, func(t *testing.T, s *Set, r *rand.Rand) {
		for cb := range 256 {
			for cr := range 256 {
				y := []uint8{0, 1, 127, 128, 254, 255, uint8(cb), uint8(cr), uint8(cb + cr), 7, 77, 177, 33, 99, 200, 250}
				blue, red := slices.Repeat([]uint8{uint8(cb)}, 16), slices.Repeat([]uint8{uint8(cr)}, 16)
				got, want := make([]uint8, 48), make([]uint8, 48)
				s.Colours(got, y, blue, red)
				if coloursPortable(want, y, blue, red); !slices.Equal(got, want) {
					t.Fatalf("%d, %d: %v, want %v", cb, cr, got, want)
				}
				exact := float64(y[2]) + 1.402*float64(cr-128)
				if !near.Equal(float64(want[6]), min(max(exact, 0), 255), 0.51, 0) {
					t.Fatalf("red of %d is %d, want %v", cr, want[6], exact)
				}
			}
		}
		for n := range 70 {
			y, cb, cr := bytesAt(r, n), bytesAt(r, n), bytesAt(r, n)
			want := make([]uint8, 3*n)
			coloursPortable(want, y, cb, cr)
			got, check := guarded(t, 3*n)
			if s.Colours(got, y, cb, cr); !slices.Equal(got, want) {
				t.Fatalf("of %d: %v, want %v", n, got, want)
			}
			check()
		}
	})
}

// TestSqueeze tests rows of all lengths, with one weight and many.
func TestSqueeze(t *testing.T) {
	each(t, func(t *testing.T, s *Set, r *rand.Rand) {
		for i := range 2000 {
			from, count := 1+i%67, 1+i%13
			count = min(count, from)
			n := 1 + r.IntN(40)
			taps := &Taps{Count: count}
			for x := range n {
				taps.First = append(taps.First, int32(x*(from-count)/n))
				for range count {
					taps.Weights = append(taps.Weights, r.Int32N(3<<Precision/int32(count))-1<<(Precision-3))
				}
			}
			row := bytesAt(r, 3*from)
			want := make([]uint8, 3*n)
			squeezePortable(want, row, taps)
			got, check := guarded(t, 3*n)
			if s.Squeeze(got, row, taps); !slices.Equal(got, want) {
				t.Fatalf("%d of %d by %d: %v, want %v", n, from, count, got, want)
			}
			check()
		}
	})
}

// TestMix tests rows of all lengths, with one weight and many.
func TestMix(t *testing.T) {
	each(t, func(t *testing.T, s *Set, r *rand.Rand) {
		for n := range 150 {
			for count := 1; count < 9; count++ {
				stride := n + r.IntN(3)
				src := bytesAt(r, (count-1)*stride+n)
				weights := make([]int32, count)
				for k := range weights {
					weights[k] = r.Int32N(3<<Precision/int32(count)) - 1<<(Precision-3)
				}
				want := make([]uint8, n)
				mixPortable(want, src, stride, weights)
				got, check := guarded(t, n)
				if s.Mix(got, src, stride, weights); !slices.Equal(got, want) {
					t.Fatalf("%d of %d rows: %v, want %v", n, count, got, want)
				}
				check()
			}
		}
	})
}
