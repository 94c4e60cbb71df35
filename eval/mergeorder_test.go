package eval

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/tensor"
)

// TestMergeOrder: parts of any number and size, some of them empty, merged in any tree and order, give the result of
// the whole: counts exactly, sums to within a relative 1e-12. All predictions differ: with equal ones, an exact ROC
// depends on the order of the data, as Deeplearning4j's does, and engines merge in that order.
func TestMergeOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const n, steps = 84, 3
	labels, predictions, mask := tensor.New(n, 2, steps), tensor.New(n, 2, steps), tensor.New(n, steps)
	for i, at := range r.Perm(n * steps) {
		row, step := i/steps, i%steps
		p := float32(at+1) / (n*steps + 2)
		predictions.Data[row*2*steps+step], predictions.Data[row*2*steps+steps+step] = 1-p, p
		labels.Data[row*2*steps+r.IntN(2)*steps+step] = 1
		if mask.Data[i] = 1; step > row%steps {
			mask.Data[i] = 0
		}
	}
	top := NewEvaluation(2)
	top.TopN = 2
	cost := NewEvaluation(2)
	cost.CostArray = []float32{1, 3}
	kinds := append(all(), NewEvaluation(0), top, cost, NewRegressionEvaluation())
	for k, kind := range kinds {
		whole := kind.New()
		if err := whole.Eval(labels, predictions, mask); err != nil {
			t.Fatal(err)
		}
		want := Metrics(whole)
		for parts := 1; parts <= 7; parts++ {
			for range 4 {
				ends := make([]int, parts+1)
				for i := 1; i < parts; i++ {
					ends[i] = r.IntN(n + 1)
				}
				ends[parts] = n
				var sent []Evaluator
				for i := range parts {
					if i > 0 {
						ends[i+1] = max(ends[i+1], ends[i])
					}
					e := kind.New()
					if from, to := ends[i], ends[i+1]; from < to {
						if err := e.Eval(labels.Slice(from, to), predictions.Slice(from, to), mask.Slice(from, to)); err != nil {
							t.Fatal(err)
						}
					}
					sent = append(sent, again(t, e))
				}
				for len(sent) > 1 {
					r.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
					if err := sent[0].Merge(sent[len(sent)-1]); err != nil {
						t.Fatal(err)
					}
					sent = sent[:len(sent)-1]
				}
				sameMetrics(t, fmt.Sprintf("%T %d of %d parts", kind, k, parts), Metrics(sent[0]), want)
			}
		}
	}
}

func sameMetrics(t *testing.T, what string, got, want map[string]any) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%s: %d figures, want %d", what, len(got), len(want))
	}
	for name, w := range want {
		g, x := numbersOf(got[name]), numbersOf(w)
		if x == nil {
			if fmt.Sprint(got[name]) != fmt.Sprint(w) {
				t.Errorf("%s: %s is %v, want %v", what, name, got[name], w)
			}
			continue
		}
		for i := range x {
			if len(g) != len(x) || !near.OrNaN(g[i], x[i], 0, 1e-12) {
				t.Errorf("%s: %s is %v, want %v", what, name, got[name], w)
				break
			}
		}
	}
}

func numbersOf(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case []float64:
		return v
	}
	return nil
}
