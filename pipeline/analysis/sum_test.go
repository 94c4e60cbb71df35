package analysis

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
)

// TestSums compares with rational numbers, over the whole range of numbers.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var m moments
		x, xx := new(big.Rat), new(big.Rat)
		n := 1 + r.IntN(20)
		for range n {
			v := math.Float64frombits(r.Uint64())
			if math.IsNaN(v) || math.IsInf(v, 0) {
				v = math.SmallestNonzeroFloat64
			}
			if r.IntN(2) == 0 {
				v = math.Round(r.NormFloat64()*100) / 8
			}
			m.add(v)
			exact := new(big.Rat).SetFloat64(v)
			x.Add(x, exact)
			xx.Add(xx, exact.Mul(exact, exact))
		}
		mean, _ := new(big.Rat).Quo(x, big.NewRat(int64(n), 1)).Float64()
		if got := m.mean(); got != mean {
			t.Fatalf("mean of %d: %g, want %g", n, got, mean)
		}
		if n < 2 {
			continue
		}
		xx.Mul(xx, big.NewRat(int64(n), 1))
		xx.Sub(xx, new(big.Rat).Mul(x, x))
		variance, _ := xx.Quo(xx, big.NewRat(int64(n*(n-1)), 1)).Float64()
		if got := m.variance(); got != variance {
			t.Fatalf("variance of %d: %g, want %g", n, got, variance)
		}
	}
}

// TestCorrelation compares with the formula in plain numbers.
func TestCorrelation(t *testing.T) {
	var p pairs
	r := rand.New(rand.NewPCG(3, 4))
	var xs, ys []float64
	for range 100 {
		x := r.NormFloat64()
		y := 2*x + r.NormFloat64()
		p.add(x, y)
		xs, ys = append(xs, x), append(ys, y)
	}
	mean := func(v []float64) (m float64) {
		for _, x := range v {
			m += x / float64(len(v))
		}
		return m
	}
	mx, my := mean(xs), mean(ys)
	var xy, xx, yy float64
	for i := range xs {
		xy += (xs[i] - mx) * (ys[i] - my)
		xx += (xs[i] - mx) * (xs[i] - mx)
		yy += (ys[i] - my) * (ys[i] - my)
	}
	if want := xy / math.Sqrt(xx*yy); !near.Equal(p.correlation(), want, 1e-12, 0) {
		t.Errorf("%g, want %g", p.correlation(), want)
	}
}

// TestCounts: beyond the limit, counts depend on the numbers only, quantiles stay near, and the number of distinct
// values is estimated.
func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	values := make([]float64, 20000)
	for i := range values {
		values[i] = 1e12 + math.Round(r.NormFloat64()*1e6)
	}
	one := newNumbers(1000)
	for _, x := range values {
		one.add(x, 0)
	}
	left, right := newNumbers(1000), newNumbers(1000)
	for i, x := range slices.Backward(values) {
		if i%3 == 0 {
			left.add(x, 0)
		} else {
			right.add(x, 0)
		}
	}
	left.merge(right)
	low, high := slices.Min(values), slices.Max(values)
	if !slices.Equal(one.sorted(low, high), left.sorted(low, high)) || one.distinct() != left.distinct() || one.exact() ||
		left.exact() {
		t.Error("another order gives other counts")
	}
	if one.counts.used > 1000 || one.counts.used < 100 {
		t.Errorf("%d counts", one.counts.used)
	}
	slices.Sort(values)
	for _, q := range Quantiles {
		got, want := quantile(one.sorted(low, high), q), values[int(q*20000)]
		if !near.Equal(got, want, 1e4, 0) {
			t.Errorf("quantile %g: %g, want %g", q, got, want)
		}
	}
	distinct := len(slices.Compact(values))
	if d := float64(one.distinct())/float64(distinct) - 1; math.Abs(d) > 4*distinctError {
		t.Errorf("%d distinct, want %d", one.distinct(), distinct)
	}
}

// TestMergeOverflows: two exact columns exceed the limit together.
func TestMergeOverflows(t *testing.T) {
	whole, a, b := newNumbers(100), newNumbers(100), newNumbers(100)
	wholeTexts, aTexts, bTexts := newTexts(100, textBytes), newTexts(100, textBytes), newTexts(100, textBytes)
	for i := range 160 {
		x, s := float64(i)*1.25, string(rune('a'+i))
		whole.add(x, 0)
		wholeTexts.add(s, 1, 0)
		if i < 80 {
			a.add(x, 0)
			aTexts.add(s, 1, 0)
		} else {
			b.add(x, 0)
			bTexts.add(s, 1, 0)
		}
	}
	a.merge(b)
	aTexts.merge(bTexts)
	if a.distinct() != whole.distinct() || aTexts.distinct() != wholeTexts.distinct() || !slices.Equal(a.sorted(0, 200),
		whole.sorted(0, 200)) {
		t.Errorf("%d and %d distinct, want %d and %d", a.distinct(), aTexts.distinct(), whole.distinct(),
			wholeTexts.distinct())
	}
}
