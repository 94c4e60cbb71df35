package eval

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/tensor"
)

// all returns an empty evaluation of each kind of outputs.
func all() []Evaluator {
	withROC := NewEvaluationBinary()
	withROC.ROC = NewROCBinary(7)
	thresholds := NewEvaluationBinary("a", "b")
	thresholds.DecisionThresholds = []float32{.3, .6}
	names := NewROCBinary(0)
	names.Labels = []string{"a", "b"}
	keep := NewROC(0)
	keep.KeepRedundant = true
	return []Evaluator{NewROC(0), NewROC(5), keep, NewROCBinary(0), NewROCBinary(9), names, NewROCMultiClass(0),
		NewROCMultiClass(3),
		withROC, thresholds, NewEvaluationCalibration()}
}

// Parts that are evaluated separately, sent, and merged give the result of the whole: in any order if all predictions
// differ, and otherwise in the data's order.
func TestMergedParts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n, parts = 60, 6
	for _, ties := range []bool{false, true} {
		labels, predictions := tensor.New(n, 2), tensor.New(n, 2)
		for i, at := range r.Perm(n) {
			labels.Data[2*i+r.IntN(2)] = 1
			p := float32(at+1) / (n + 2)
			if ties {
				p = float32(at%5) / 4
			}
			predictions.Data[2*i], predictions.Data[2*i+1] = 1-p, p
		}
		for _, whole := range all() {
			order := []int{0, 1, 2, 3, 4, 5}
			if !ties {
				order = r.Perm(parts)
			}
			sent := make([]Evaluator, parts)
			for i := range sent {
				e := whole.New()
				if err := e.Eval(labels.Slice(10*i, 10*i+10), predictions.Slice(10*i, 10*i+10), nil); err != nil {
					t.Fatal(err)
				}
				sent[i] = again(t, e)
			}
			merged := again(t, whole.New())
			tree := sent[order[3]]
			for _, i := range order[4:] {
				if err := tree.Merge(sent[i]); err != nil {
					t.Fatal(err)
				}
			}
			for _, e := range []Evaluator{sent[order[0]], sent[order[1]], sent[order[2]], tree} {
				if err := merged.Merge(again(t, e)); err != nil {
					t.Fatal(err)
				}
			}
			if err := whole.Eval(labels, predictions, nil); err != nil {
				t.Fatal(err)
			}
			if c, ok := merged.(*EvaluationCalibration); ok { // its sums may differ in the last digit
				for i, x := range whole.(*EvaluationCalibration).binPredictions {
					if !near.Equal(c.binPredictions[i], x, 0, 1e-12) {
						t.Errorf("sum %d is %v, want %v", i, c.binPredictions[i], x)
					}
				}
				c.binPredictions = whole.(*EvaluationCalibration).binPredictions
			}
			got, want := text(t, merged), text(t, whole)
			if got != want {
				t.Errorf("%T, ties %t: merged\n%s\nwant\n%s", whole, ties, got, want)
			}
			if text(t, again(t, whole)) != want {
				t.Errorf("%T is not the same after Encode and Decode", whole)
			}
		}
	}
}

func text(t *testing.T, e Evaluator) string {
	t.Helper()
	b, err := Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + e.Stats()
}

// again encodes and decodes an evaluation.
func again(t *testing.T, e Evaluator) Evaluator {
	t.Helper()
	b, err := Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhatDecodeRefuses(t *testing.T) {
	e := NewROC(0)
	if err := e.Eval(tensor.MustOf([]float32{0, 1, 1}, 3, 1),
		tensor.MustOf([]float32{.2, .5, .9}, 3, 1), nil); err != nil {
		t.Fatal(err)
	}
	b, err := Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string]string{
		"no length":          "x",
		"no JSON":            "\x04\x00\x00\x00oops",
		"half":               string(b[:len(b)/2]),
		"half an example":    string(b[:len(b)-1]),
		"no examples":        string(b[:len(b)-16]),
		"one too many":       string(b) + "more",
		"other ROCs":         strings.Replace(string(b), `"ROCs"`, `"Roks"`, 1),
		"examples of steps":  strings.Replace(string(b), `thresholdSteps\" : 0`, `thresholdSteps\" : 1`, 1),
		"a negative number":  strings.Replace(string(b), `"Examples":3`, `"Examples":-`, 1),
		"more than there is": strings.Replace(string(b), `"Examples":3`, `"Examples":9`, 1),
	} {
		if bad == string(b) {
			t.Fatalf("%s: nothing was changed in %s", what, b)
		}
		if _, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%s: it was read", what)
		}
	}
}

func TestWhatCannotBeMerged(t *testing.T) {
	labels, predictions := tensor.MustOf([]float32{0, 1, 1, 0}, 2, 2), tensor.MustOf([]float32{.2, .8, .6, .4}, 2, 2)
	other := NewEvaluationCalibration()
	other.HistogramBins = 3
	others := append(all(), other, NewROC(6), NewROCMultiClass(4), NewEvaluationBinary("a", "c"), NewEvaluation(0),
		NewRegressionEvaluation())
	for i, e := range all() {
		for j, o := range others {
			var bad *MergeError
			named := i == 3 && j == 5 || i == 5 && j == 3 // only one of them has names
			if err := e.New().Merge(o); (i == j || named) != (err == nil) || err != nil && !errors.As(err, &bad) {
				t.Errorf("%T %d and %T %d: %v", e, i, o, j, err)
			}
		}
		if err := e.Eval(labels, predictions, nil); err != nil {
			t.Fatal(err)
		}
		b, err := Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		read, err := Unmarshal(b)
		if err != nil {
			t.Fatal(err)
		}
		exact := slices.Contains([]int{0, 2, 3, 5, 6}, i)
		if err := read.Merge(e); exact != (err != nil) {
			t.Errorf("%T %d, from JSON, merged with one that has examples: %v", e, i, err)
		}
		empty := e.New()
		if err := empty.Merge(read); err != nil || exact && text(t, empty) != string(b)+e.Stats() {
			t.Errorf("%T %d, from JSON, merged into an empty one: %v", e, i, err)
		}
	}
}

func TestWhatCannotBeEvaluated(t *testing.T) {
	two := tensor.MustOf([]float32{0, 1, 1, 0}, 2, 2)
	p := tensor.MustOf([]float32{.2, .8, .6, .4}, 2, 2)
	nan := tensor.MustOf([]float32{.2, float32(math.NaN()), .6, .4}, 2, 2)
	thresholds := NewEvaluationBinary()
	thresholds.DecisionThresholds = []float32{.5, 2}
	few := NewEvaluationBinary()
	few.DecisionThresholds = []float32{.5}
	bins := NewEvaluationCalibration()
	bins.HistogramBins = 0
	evaluated := NewROCBinary(0)
	if err := evaluated.Eval(two, p, nil); err != nil {
		t.Fatal(err)
	}
	mask := tensor.MustOf([]float32{1, 0, 1, 1}, 2, 2)
	for _, c := range []struct {
		e                         Evaluator
		labels, predictions, mask *tensor.Dense
		reason                    string
	}{
		{NewROC(0), tensor.New(2, 3), tensor.New(2, 3), nil, "one or two columns"},
		{NewROC(0), two, p, mask, "masks of single outputs"},
		{NewROCMultiClass(0), two, p, mask, "masks of single outputs"},
		{NewEvaluationCalibration(), two, p, mask, "masks of single outputs"},
		{NewROC(0), p, p, nil, "label in row 0, column 0 is 0.2"},
		{NewROCBinary(3), two, nan, nil, "NaN in row 0, column 1"},
		{NewEvaluationBinary("a"), two, p, nil, "names of 1 outputs"},
		{thresholds, two, p, nil, "threshold 2"},
		{few, two, p, nil, "1 decision thresholds"},
		{bins, two, p, nil, "0 of histograms"},
		{evaluated, tensor.New(1, 3), tensor.New(1, 3), nil, "2 outputs"},
		{NewEvaluationBinary(), two, tensor.New(2, 3), nil, "shapes differ"},
		{NewEvaluationBinary(), tensor.New(2, 0), tensor.New(2, 0), nil, "no outputs"},
	} {
		before := text(t, c.e)
		err := c.e.Eval(c.labels, c.predictions, c.mask)
		var bad *InputError
		if !errors.As(err, &bad) || !strings.Contains(bad.Reason, c.reason) {
			t.Errorf("%T: error %v, want one about %q", c.e, err, c.reason)
		}
		if text(t, c.e) != before {
			t.Errorf("%T: something was added", c.e)
		}
	}
}
