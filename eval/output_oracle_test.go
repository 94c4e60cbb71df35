package eval

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/tensor"
)

// sameJSON compares trees: numbers within a relative 1e-12, sums of predictions within 1e-6, the rest exactly.
func sameJSON(t *testing.T, what string, got []byte, want string) {
	t.Helper()
	g, err := dl4j.Parse(string(got))
	if err != nil {
		t.Fatal(err)
	}
	w, err := dl4j.Parse(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) == want {
		return
	}
	differences(t, what, g, w, 0)
}

func differences(t *testing.T, at string, got, want any, tolerance float64) {
	t.Helper()
	if strings.HasSuffix(at, "."+binPredictions) {
		_, g, err := numbers(got)
		if err != nil {
			t.Fatal(err)
		}
		_, w, err := numbers(want)
		if err != nil {
			t.Fatal(err)
		}
		if len(g) != len(w) {
			t.Fatalf("%s: %d numbers, want %d", at, len(g), len(w))
		}
		for i := range w {
			if !near.Equal(g[i], w[i], 0, 1e-6) {
				t.Errorf("%s[%d]: %v, want %v", at, i, g[i], w[i])
			}
		}
		return
	}
	switch w := want.(type) {
	case dl4j.Object:
		g, ok := got.(dl4j.Object)
		if !ok || len(g) != len(w) {
			t.Errorf("%s: %v, want %v", at, got, want)
			return
		}
		for i, m := range w {
			if g[i].Name != m.Name {
				t.Errorf("%s: member %q, want %q", at, g[i].Name, m.Name)
				return
			}
			differences(t, at+"."+m.Name, g[i].Value, m.Value, tolerance)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			t.Errorf("%s: %v, want %v", at, got, want)
			return
		}
		for i := range w {
			differences(t, at+"["+strconv.Itoa(i)+"]", g[i], w[i], tolerance)
		}
	case dl4j.Number:
		g, ok := got.(dl4j.Number)
		if !ok {
			t.Errorf("%s: %v, want %v", at, got, want)
			return
		}
		x, _ := strconv.ParseFloat(string(g), 64)
		y, _ := strconv.ParseFloat(string(w), 64)
		if !near.Equal(x, y, 0, tolerance) {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	}
}

// evaluation makes the evaluation that a case names: class, threshold steps, other settings.
func evaluation(t *testing.T, of string) Evaluator {
	words := strings.Fields(of)
	number := func(i int) int {
		n, err := strconv.Atoi(words[i])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	last := words[len(words)-1]
	outputs := []string{"a", "the second output's name", "c"}
	switch words[0] {
	case "Evaluation":
		e := NewEvaluation(0)
		switch {
		case len(words) == 2:
			return NewEvaluation(number(1))
		case last == "0.1":
			e.BinaryDecisionThreshold = new(float64)
			*e.BinaryDecisionThreshold = .1
		case len(words) == 3:
			e.Labels, e.TopN = []string{"a", "b", "c"}, number(2)
		}
		return e
	case "ROC":
		e := NewROC(number(1))
		e.KeepRedundant = last == "all"
		return e
	case "ROCBinary":
		e := NewROCBinary(number(1))
		if last == "names" {
			e.Labels = outputs
		}
		return e
	case "ROCMultiClass":
		return NewROCMultiClass(number(1))
	case "EvaluationCalibration":
		e := NewEvaluationCalibration()
		e.ReliabilityBins, e.HistogramBins, e.KeepEmptyBins = number(1), number(2), last == "all"
		return e
	case "EvaluationBinary":
		e := NewEvaluationBinary()
		switch {
		case last == "thresholds":
			e.Labels, e.DecisionThresholds = outputs, []float32{.2, .7, .5}
		case len(words) == 2:
			e.DecisionThresholds = []float32{.3}
		case len(words) == 3:
			e.ROC = NewROCBinary(number(2))
		}
		return e
	}
	t.Fatalf("there is no evaluation %s", of)
	return nil
}

// sameAsOracle checks the text, the JSON, and the result of reading the oracle's JSON.
func sameAsOracle(t *testing.T, what string, e Evaluator, file, stats string) {
	t.Helper()
	text, err := Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, what, text, file)
	read, err := Unmarshal([]byte(file))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	again, err := Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	if string(again) != file {
		t.Errorf("%s: JSON that was read is written as\n%s\nwant\n%s", what, again, file)
	}
	for _, e := range []Evaluator{e, read} {
		if got := e.Stats(); got != stats {
			t.Errorf("%s: stats\n%s\nwant\n%s", what, got, stats)
		}
	}
}

func TestOutputsAgreeWithDeeplearning4j(t *testing.T) {
	for _, name := range []string{"binary-single", "binary-softmax2", "multiclass3", "multilabel", "timeseries-mask"} {
		o := load(t, name)
		for file, of := range map[string]string{"ROC": "ROC 0", "ROC30": "ROC 30", "ROC_keepRedundant": "ROC 0 all",
			"ROCBinary": "ROCBinary 0", "ROCBinary30": "ROCBinary 30", "ROCMultiClass": "ROCMultiClass 0",
			"ROCMultiClass30": "ROCMultiClass 30", "EvaluationBinary": "EvaluationBinary",
			"EvaluationBinary_roc30": "EvaluationBinary roc 30", "EvaluationBinary_threshold0.3": "EvaluationBinary threshold",
			"EvaluationCalibration": "EvaluationCalibration 10 50"} {
			if o.metrics[file] == nil {
				continue
			}
			e := evaluation(t, of)
			if err := e.Eval(o.labels, o.predictions, o.mask); err != nil {
				t.Fatal(err)
			}
			sameAsOracle(t, name+" "+file, e, o.read(t, file+".json"), o.read(t, file+".stats.txt"))
		}
	}
}

// edge is an edge case, made by testdata/oracle/make/EvaluationCases.java.
type edge struct {
	Name, Of                  string
	Shape, MaskShape          []int
	Labels, Predictions, Mask []float32
	JSON, Stats               string
}

func (c *edge) arrays() (labels, predictions, mask *tensor.Dense) {
	if c.Shape == nil {
		return nil, nil, nil
	}
	if c.MaskShape != nil {
		mask = tensor.MustOf(c.Mask, c.MaskShape...)
	}
	return tensor.MustOf(c.Labels, c.Shape...), tensor.MustOf(c.Predictions, c.Shape...), mask
}

func edges(t testing.TB) []edge {
	b, err := os.ReadFile("testdata/edges.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []edge
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestEdgesAgreeWithDeeplearning4j(t *testing.T) {
	for _, c := range edges(t) {
		e := evaluation(t, c.Of)
		if c.Of == "EvaluationBinary roc 0" { // which has counts of 0 from the start in Deeplearning4j
			e.(*EvaluationBinary).of = make([]tally, 3)
		}
		if labels, predictions, mask := c.arrays(); labels != nil {
			if err := e.Eval(labels, predictions, mask); err != nil {
				t.Fatalf("%s %s: %v", c.Name, c.Of, err)
			}
		}
		file := c.JSON
		if _, ok := e.(*Evaluation); ok {
			file = withoutPadding(t, file)
		}
		sameAsOracle(t, c.Name+" "+c.Of, e, file, c.Stats)
	}
}
