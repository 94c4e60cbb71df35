package random

import (
	"math"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
)

const goldenMix = 0x8c05fdbd038d0c7f

var (
	goldenUniform = []float32{0x1.14327ep-01, 0x1.f8a8e4p-01, 0x1.6e6d8p-04, 0x1.db1158p-02}
	goldenNormal  = []float64{-0x1.55f251b9dfb32p-05, -0x1.76f2c1b55a3bdp-03, 0x1.c0c22ddaaa164p-01,
		0x1.73734ae2dd2ecp-03}
	goldenPermutation = []int{6, 4, 1, 5, 2, 0, 3, 7}
)

// Every platform and every later version must give these values: saved runs depend on them.
func TestGoldenValues(t *testing.T) {
	s := NewSource(0)
	// SplitMix64's published values
	if a, b := s.Uint64(), s.Uint64(); a != 0xe220a8397b1dcdaf || b != 0x6e789e6aa1b965f4 {
		t.Errorf("Source 0 starts with %#x, %#x", a, b)
	}
	if got := Mix(1, 2); got != goldenMix {
		t.Errorf("Mix(1, 2) = %#x", got)
	}
	for i, want := range goldenUniform {
		if got := Uniform(42, uint64(i)<<31); got != want {
			t.Errorf("Uniform(42, %d<<31) = %x", i, got)
		}
	}
	n := NewSource(7)
	for i, want := range goldenNormal {
		if got := n.Normal(); got != want {
			t.Errorf("normal %d = %x", i, got)
		}
	}
	for i, v := range Permutation(3, len(goldenPermutation)) {
		if v != goldenPermutation[i] {
			t.Errorf("permutation element %d = %d", i, v)
		}
	}
}

// chiSquare returns the statistic of counts against equal expectations, in standard deviations from its mean.
func chiSquare(counts []int, n int) float64 {
	expect := float64(n) / float64(len(counts))
	sum := 0.0
	for _, c := range counts {
		d := float64(c) - expect
		sum += d * d / expect
	}
	f := float64(len(counts) - 1)
	return (sum - f) / math.Sqrt(2*f)
}

func TestUniformIsUniform(t *testing.T) {
	const n = 1 << 18
	for _, seed := range []uint64{0, 1, 2, 1 << 40, math.MaxUint64} {
		singles, pairs := make([]int, 256), make([]int, 256)
		lowBits, streams := make([]int, 256), make([]int, 256)
		for i := range uint64(n) {
			u, v, w := Uniform(seed, i), Uniform(seed, i+1), Uniform(seed+1, i)
			if u < 0 || u >= 1 {
				t.Fatalf("Uniform(%d, %d) = %g", seed, i, u)
			}
			singles[int(u*256)]++
			pairs[int(u*16)<<4|int(v*16)]++
			streams[int(u*16)<<4|int(w*16)]++
			lowBits[int(u*(1<<24))&255]++
		}
		for name, counts := range map[string][]int{"values": singles, "neighbours": pairs, "streams": streams,
			"low bits": lowBits} {
			if c := chiSquare(counts, n); math.Abs(c) > 4.5 {
				t.Errorf("seed %d: %s are %.1f standard deviations from uniform", seed, name, c)
			}
		}
	}
}

func TestUniformContinuesAcrossBlocks(t *testing.T) {
	if Uniform(5, 7) == Uniform(5, 1<<32+7) && Uniform(5, 8) == Uniform(5, 1<<32+8) {
		t.Error("the second block repeats the first")
	}
}

func TestNormalMoments(t *testing.T) {
	const n = 1 << 18
	s := NewSource(11)
	var m [5]float64
	for range n {
		x := s.Normal()
		for k := 1; k < 5; k++ {
			m[k] += math.Pow(x, float64(k)) / n
		}
	}
	for k, want := range []float64{1: 0, 2: 1, 3: 0, 4: 3} {
		if k > 0 && !near.Equal(m[k], want, 0.06, 0) {
			t.Errorf("moment %d is %g, want %g", k, m[k], want)
		}
	}
}

func TestLogAgreesWithMath(t *testing.T) {
	s := NewSource(1)
	for i := range 100000 {
		x := s.Float64() * math.Pow(2, -float64(i%60))
		if x == 0 {
			continue
		}
		if got, want := log(x), math.Log(x); !near.Equal(got, want, 1e-17, 4e-16) {
			t.Fatalf("log(%g) = %g, want %g", x, got, want)
		}
	}
}

func TestPermutationsAreEquallyLikely(t *testing.T) {
	const n = 24000
	counts := map[[4]int]int{}
	for seed := range uint64(n) {
		counts[[4]int(Permutation(seed, 4))]++
	}
	list := make([]int, 0, 24)
	for _, c := range counts {
		list = append(list, c)
	}
	if c := chiSquare(list, n); len(list) != 24 || math.Abs(c) > 4.5 {
		t.Errorf("%d orders, %.1f standard deviations from equal", len(list), c)
	}
}

func TestIntnCoversItsRange(t *testing.T) {
	s := NewSource(9)
	const n = 70000
	counts := make([]int, 7)
	for range n {
		counts[s.Intn(7)]++
	}
	if c := chiSquare(counts, n); math.Abs(c) > 4.5 {
		t.Errorf("%v: %.1f standard deviations from uniform", counts, c)
	}
	if huge := s.Intn(math.MaxInt); huge < 0 {
		t.Errorf("Intn(MaxInt) = %d", huge)
	}
}
