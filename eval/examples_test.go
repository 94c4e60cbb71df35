package eval

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// prediction returns a value of any kind of float32 that a ROC may get; some values are frequent.
func prediction(r *rand.Rand) float32 {
	switch r.IntN(8) {
	case 0:
		return []float32{0, float32(math.Copysign(0, -1)), 1, -1, float32(math.Inf(1)), float32(math.Inf(-1)),
			math.MaxFloat32, math.SmallestNonzeroFloat32,
			-math.SmallestNonzeroFloat32}[r.IntN(9)]
	case 1:
		return float32(r.IntN(20)-10) / 8
	case 2, 3:
		return float32(math.Exp(40 * r.NormFloat64()))
	case 4:
		return float32(-math.Exp(40 * r.NormFloat64()))
	}
	return r.Float32()
}

// TestExamplesAreRanked: the order is that of a stable sort in Java's order.
func TestExamplesAreRanked(t *testing.T) {
	type example struct {
		probability float32
		positive    bool
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 2, 7, 1000, 3*partSize + 5} {
		var x examples
		var want []example
		for range n {
			e := example{prediction(r), r.IntN(3) == 0}
			x.add(e.probability, e.positive)
			want = append(want, e)
		}
		slices.SortStableFunc(want, func(a, b example) int {
			switch {
			case a.probability > b.probability:
				return -1
			case a.probability < b.probability:
				return 1
			case a.probability == 0: // 0 is above −0
				return int(math.Float32bits(a.probability)>>31) - int(math.Float32bits(b.probability)>>31)
			}
			return 0
		})
		ranked := x.sorted()
		if len(ranked.keys) != n {
			t.Fatalf("%d of %d examples", len(ranked.keys), n)
		}
		for i, w := range want {
			p, positive := ranked.at(i)
			if math.Float32bits(p) != math.Float32bits(w.probability) || positive != w.positive {
				t.Fatalf("place %d of %d: %v %t, want %v", i, n, p, positive, w)
			}
		}
	}
}

// TestExamplesMerged: parts of every size, sent or not, are equivalent to one evaluation of everything. Adding to one
// evaluation later does not change another.
func TestExamplesMerged(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	more := func(e, all *ROC, n int) {
		labels, predictions := tensor.New(n, 1), tensor.New(n, 1)
		for i := range n {
			labels.Data[i], predictions.Data[i] = float32(r.IntN(2)), prediction(r)
		}
		for _, e := range []*ROC{e, all} {
			if err := e.Eval(labels, predictions, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 20 {
		sum, all := NewROC(0), NewROC(0)
		for range 1 + r.IntN(6) {
			part, alone := NewROC(0), NewROC(0)
			for range r.IntN(3) {
				more(part, alone, 1+r.IntN([]int{10, partSize, 3 * partSize}[r.IntN(3)]))
			}
			if r.IntN(2) == 0 {
				part = again(t, part).(*ROC)
			}
			for _, e := range []*ROC{sum, all} {
				if err := e.Merge(part); err != nil {
					t.Fatal(err)
				}
			}
			if r.IntN(2) == 0 {
				more(sum, all, 1+r.IntN(100))
			}
			more(part, alone, 1+r.IntN(100)) // the sum must not change by this
			sameExamples(t, part, alone)
		}
		sameExamples(t, sum, all)
	}
}

func sameExamples(t *testing.T, got, want *ROC) {
	t.Helper()
	a, b := got.kept.append(nil), want.kept.append(nil)
	if !slices.Equal(a, b) || got.kept.count != want.kept.count || len(a) != got.kept.bytes() {
		t.Fatalf("%d examples of %d are other ones", got.kept.count, want.kept.count)
	}
	if x, y := got.AUC(), want.AUC(); x != y && x == x || got.Positives() != want.Positives() ||
		got.Examples() != want.Examples() {
		t.Fatalf("AUC %v of %d examples, want %v of %d", x, got.Examples(), y, want.Examples())
	}
}

// TestExactROCMemory bounds the memory for a million examples: the stored examples, and the computation of the areas.
func TestExactROCMemory(t *testing.T) {
	const n = 1 << 20
	r := rand.New(rand.NewPCG(9, 10))
	labels, predictions := tensor.New(n, 1), tensor.New(n, 1)
	for i := range n {
		labels.Data[i], predictions.Data[i] = float32(r.IntN(2)), r.Float32()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e := NewROC(0)
	if err := e.Eval(labels, predictions, nil); err != nil {
		t.Fatal(err)
	}
	if a := e.AUC(); a < .49 || a > .51 || e.AUCPR() < .49 {
		t.Errorf("the area of a guess is %v", a)
	}
	runtime.ReadMemStats(&after)
	if bytes := (after.TotalAlloc - before.TotalAlloc) / n; bytes > 14 {
		t.Errorf("%d bytes an example were taken: 5 to keep them, 8 to sort them", bytes)
	}
}

// TestExactCurvesAreThoseOfTheFormulas compares the curves with those computed point by point from all sorted
// examples, also with one class alone.
func TestExactCurvesAreThoseOfTheFormulas(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, positives := range []int{0, 1, 2, 50} { // among 50
		for _, n := range []int{1, 2, 3, 400} {
			e := NewROC(0)
			for range n {
				p := float32(r.IntN(1000)) / 999
				positive := r.IntN(50) < positives
				e.add(p, positive, !positive)
			}
			ranked, tp := e.kept.sorted(), make([]int64, n+1)
			roc, pr := [][]float64{{1, 0, 0}}, [][]float64{{1, 1, 0, 0, 0, float64(e.positives)}}
			for i := range n {
				p, positive := ranked.at(i)
				if tp[i+1] = tp[i]; positive {
					tp[i+1]++
				}
				hit, miss := float64(tp[i+1]), float64(int64(i+1)-tp[i+1])
				roc = append(roc, []float64{float64(p), miss / float64(e.negatives), hit / float64(e.positives)})
				pr = append(pr, []float64{float64(p), hit / predicted(i+1, n), hit / float64(e.positives), hit, miss,
					float64(e.positives) - hit})
			}
			roc = append(roc, []float64{0, 1, 1})
			pr = append(pr, []float64{0, float64(e.positives) / float64(n), 1, float64(e.positives), float64(e.negatives), 0})
			slices.Reverse(pr)
			for _, e.KeepRedundant = range []bool{true, false} {
				c := e.RocCurve()
				got := make([][]float64, len(c.FPR))
				for i := range got {
					got[i] = []float64{c.Threshold[i], c.FPR[i], c.TPR[i]}
				}
				equalPoints(t, got, turned(roc, e.KeepRedundant))
				e.areas = nil
				if a := e.AUC(); a != c.AUC() && a == a {
					t.Errorf("AUC %v, of the curve %v", a, c.AUC())
				}
				p := e.PrecisionRecallCurve()
				got = make([][]float64, len(p.Recall))
				for i := range got {
					got[i] = []float64{p.Threshold[i], p.Precision[i], p.Recall[i], float64(p.TP[i]),
						float64(p.FP[i]), float64(p.FN[i])}
				}
				equalPoints(t, got, turned(pr, e.KeepRedundant))
				if a := e.AUCPR(); a != p.AUCPR() && a == a {
					t.Errorf("AUCPR %v, of the curve %v", a, p.AUCPR())
				}
			}
		}
	}
}

// turned leaves redundant points out.
func turned(points [][]float64, all bool) (out [][]float64) {
	for i, p := range points {
		redundant := false
		for axis := 1; axis < 3 && i > 0 && i < len(points)-1; axis++ {
			redundant = redundant || points[i-1][axis] == p[axis] && p[axis] == points[i+1][axis]
		}
		if all || !redundant {
			out = append(out, p)
		}
	}
	return out
}

func equalPoints(t *testing.T, got, want [][]float64) {
	t.Helper()
	ok := len(got) == len(want)
	for i := range min(len(got), len(want)) {
		for k, w := range want[i] {
			ok = ok && (got[i][k] == w || got[i][k] != got[i][k] && w != w)
		}
	}
	if !ok {
		t.Errorf("points\n%v\nwant\n%v", got, want)
	}
}
