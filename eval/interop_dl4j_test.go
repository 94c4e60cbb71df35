//go:build dl4j

package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/tensor"
)

// interopCase is an evaluation of random data. Of is its name in tools/dl4j/Evaluations.java, with its settings.
type interopCase struct {
	Name string `json:"name"`
	Of   string `json:"of"`

	e                         Evaluator
	labels, predictions, mask *tensor.Dense
}

// interopResult is Deeplearning4j's view of an evaluation: of ours that it has read, or of its own.
type interopResult struct {
	Error   string
	JSON    string
	Stats   string
	Metrics map[string]any // numbers, or "NaN"
}

// TestDeeplearning4jEvaluations: the real Deeplearning4j reads our evaluations' JSON and returns the same metrics,
// text and JSON. We read its evaluations of the same data, with the same metrics, text and JSON. The class path is in
// DL4GO_DL4J: make test-dl4j runs it.
func TestDeeplearning4jEvaluations(t *testing.T) {
	classpath := os.Getenv("DL4GO_DL4J")
	if classpath == "" {
		t.Fatal("DL4GO_DL4J must have Deeplearning4j's class path: tools/dl4j.sh sets it, and make test-dl4j uses that")
	}
	dir := t.TempDir()
	cases := interopCases()
	for _, c := range cases {
		if err := c.e.Eval(c.labels, c.predictions, c.mask); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		text, err := Marshal(c.e)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		folder := filepath.Join(dir, c.Name)
		noError(t, os.MkdirAll(folder, 0o755))
		noError(t, os.WriteFile(filepath.Join(folder, "ours.json"), text, 0o644))
		var file bytes.Buffer
		noError(t, data.WriteDataSet(&file, &data.DataSet{Features: c.predictions, Labels: c.labels, LabelMask: c.mask}))
		noError(t, os.WriteFile(filepath.Join(folder, "data.bin"), file.Bytes(), 0o644))
	}
	list, err := json.Marshal(cases)
	noError(t, err)
	noError(t, os.WriteFile(filepath.Join(dir, "cases.json"), list, 0o644))
	java := exec.Command("java", "-Xmx2g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classpath,
		filepath.Join("..", "tools", "dl4j", "Evaluations.java"), dir)
	java.Env = append(os.Environ(), "OMP_NUM_THREADS=1") // arrays are small
	if out, err := java.CombinedOutput(); err != nil {
		t.Fatalf("java: %v\n%s", err, out)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			for _, file := range []string{"read.json", "made.json"} {
				b, err := os.ReadFile(filepath.Join(dir, c.Name, file))
				noError(t, err)
				var r interopResult
				noError(t, json.Unmarshal(b, &r))
				if r.Error != "" {
					t.Errorf("%s: Deeplearning4j: %s", file, r.Error)
					continue
				}
				c.compare(t, file, r)
			}
		})
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// compare compares our evaluation, and the one read from Deeplearning4j's JSON, with Deeplearning4j's figures.
func (c interopCase) compare(t *testing.T, file string, r interopResult) {
	t.Helper()
	want := r.JSON
	if _, ok := c.e.(*Evaluation); ok {
		want = padding.ReplaceAllString(want, "]") // of a row of the confusion matrix
	}
	read, err := Unmarshal([]byte(r.JSON))
	if err != nil {
		t.Errorf("%s: we don't read Deeplearning4j's JSON: %v\n%s", file, err, r.JSON)
		return
	}
	for who, e := range map[string]Evaluator{"ours": c.e, "read from " + file: read} {
		text, err := Marshal(e)
		noError(t, err)
		tolerance := 1e-6
		if _, ok := e.(*RegressionEvaluation); ok && e == c.e && file == "made.json" {
			tolerance = 1e-5 // Deeplearning4j sums a minibatch as float32, and the last digits of its text show that
			compareTrees(t, file+" "+who, text, want, tolerance)
		} else if sameJSON(t, file+" "+who, text, want); e.Stats() != r.Stats {
			t.Errorf("%s: %s: stats\n%s\nwant\n%s", file, who, e.Stats(), r.Stats)
		}
		metrics := interopMetrics(e)
		if len(metrics) != len(r.Metrics) {
			t.Errorf("%s: %s: metrics %v, want %v", file, who, metrics, r.Metrics)
		}
		for name, got := range metrics {
			theirs, err := strconv.ParseFloat(fmt.Sprint(r.Metrics[name]), 64)
			if err != nil || !near.OrNaN(got, theirs, tolerance*math.Max(1, math.Abs(theirs)), 0) {
				t.Errorf("%s: %s: %s is %v, want %v", file, who, name, got, r.Metrics[name])
			}
		}
	}
}

// compareTrees compares trees, with numbers within a relative tolerance.
func compareTrees(t *testing.T, what string, got []byte, want string, tolerance float64) {
	t.Helper()
	g, err := dl4j.Parse(string(got))
	noError(t, err)
	w, err := dl4j.Parse(want)
	noError(t, err)
	differences(t, what, g, w, tolerance)
}

// padding matches the zeros after the predicted classes and their counts, which are not 0: Deeplearning4j ignores the
// zeros when it reads.
var padding = regexp.MustCompile(`(?:, ?0)+ ?\]`)

// interopMetrics has the figures of Deeplearning4j's getValue, by the names of its enums.
func interopMetrics(e Evaluator) map[string]float64 {
	switch e := e.(type) {
	case *Evaluation:
		return map[string]float64{"ACCURACY": e.Accuracy(), "F1": e.F1(), "PRECISION": e.Precision(), "RECALL": e.Recall(),
			"GMEASURE": e.GMeasureAverage(Macro), "MCC": e.MatthewsCorrelationAverage(Macro)}
	case *EvaluationBinary:
		return map[string]float64{"ACCURACY": e.Average(e.Accuracy), "F1": e.Average(e.F1),
			"PRECISION": e.Average(e.Precision),
			"RECALL":    e.Average(e.Recall), "GMEASURE": e.Average(e.GMeasure), "MCC": e.Average(e.MatthewsCorrelation),
			"FAR": e.Average(e.FalseAlarmRate)}
	case *ROC:
		return map[string]float64{"AUROC": e.AUC(), "AUPRC": e.AUCPR()}
	case *ROCBinary:
		return map[string]float64{"AUROC": e.Average(e.AUC), "AUPRC": e.Average(e.AUCPR)}
	case *ROCMultiClass:
		return map[string]float64{"AUROC": e.Average(e.AUC), "AUPRC": e.Average(e.AUCPR)}
	case *RegressionEvaluation:
		return map[string]float64{"MSE": e.Average(e.MeanSquaredError), "MAE": e.Average(e.MeanAbsoluteError),
			"RMSE": e.Average(e.RootMeanSquaredError), "RSE": e.Average(e.RelativeSquaredError),
			"PC": e.Average(e.PearsonCorrelation), "R2": e.Average(e.RSquared)}
	}
	return map[string]float64{}
}

// interopCases has every class with its settings, on rows, masked rows, and time series with and without masks.
func interopCases() (all []interopCase) {
	type kind int
	const (
		classes kind = iota // one-hot labels, probabilities that add up to 1
		bits                // independent labels and probabilities
		numbers
	)
	evaluations := []struct {
		of      string
		kind    kind
		columns int
		outputs bool // single outputs can be masked
		make    func() Evaluator
	}{
		{"Evaluation", classes, 3, false, func() Evaluator { return NewEvaluation(0) }},
		{"Evaluation", classes, 2, false, func() Evaluator { return NewEvaluation(0) }},
		{"EvaluationTopN 2", classes, 3, false, func() Evaluator {
			e, positive := NewEvaluation(3), 1 // which three classes do not use
			e.Labels, e.TopN, e.BinaryPositiveClass = []string{"a", "b", "c"}, 2, &positive
			return e
		}},
		{"EvaluationThreshold 0.3", classes, 2, false, func() Evaluator {
			e, threshold := NewEvaluation(0), 0.3
			e.BinaryDecisionThreshold = &threshold
			return e
		}},
		{"EvaluationThreshold 0.7", bits, 1, false, func() Evaluator {
			e, threshold := NewEvaluation(0), 0.7
			e.BinaryDecisionThreshold = &threshold
			return e
		}},
		{"EvaluationCosts 1 2 0.5", classes, 3, false, func() Evaluator {
			e := NewEvaluation(0)
			e.CostArray = []float32{1, 2, 0.5}
			return e
		}},
		{"EvaluationBinary", bits, 3, true, func() Evaluator { return NewEvaluationBinary() }},
		{"EvaluationBinary 0.2 0.7 0.5", bits, 3, true, func() Evaluator {
			e := NewEvaluationBinary()
			e.DecisionThresholds = []float32{.2, .7, .5}
			return e
		}},
		{"EvaluationBinaryROC 20", bits, 3, true, func() Evaluator {
			e := NewEvaluationBinary()
			e.ROC = NewROCBinary(20)
			return e
		}},
		{"ROC 0", bits, 1, false, func() Evaluator { return NewROC(0) }},
		{"ROC 0", classes, 2, false, func() Evaluator { return NewROC(0) }},
		{"ROC 32", bits, 1, false, func() Evaluator { return NewROC(32) }},
		{"ROCBinary 0", bits, 3, true, func() Evaluator { return NewROCBinary(0) }},
		{"ROCBinary 32", bits, 3, true, func() Evaluator { return NewROCBinary(32) }},
		{"ROCMultiClass 0", classes, 3, false, func() Evaluator { return NewROCMultiClass(0) }},
		{"ROCMultiClass 32", classes, 3, false, func() Evaluator { return NewROCMultiClass(32) }},
		{"RegressionEvaluation", numbers, 3, true, func() Evaluator { return NewRegressionEvaluation() }},
		{"EvaluationCalibration 10 50", classes, 3, false, func() Evaluator {
			e := NewEvaluationCalibration()
			e.ReliabilityBins, e.HistogramBins = 10, 50
			return e
		}},
	}
	r := rand.New(rand.NewPCG(7, 11))
	values := func(k kind, shape tensor.Shape) (labels, predictions *tensor.Dense) {
		labels, predictions = tensor.New(shape...), tensor.New(shape...)
		inner := 1
		if len(shape) > 2 {
			inner = shape[2]
		}
		place := func(example, column, step int) int { return (example*shape[1]+column)*inner + step }
		for example := range shape[0] {
			for step := range inner {
				sum, class := float32(0), r.IntN(shape[1])
				for c := range shape[1] {
					at := place(example, c, step)
					switch k {
					case classes:
						x := 0.05 + r.Float32()
						if c == class {
							x += 0.5
							labels.Data[at] = 1
						}
						predictions.Data[at] = x
						sum += x
					case bits:
						labels.Data[at] = float32(r.IntN(2))
						predictions.Data[at] = 0.7*r.Float32() + 0.3*labels.Data[at]
					case numbers:
						labels.Data[at] = float32(r.NormFloat64()) + float32(c)
						predictions.Data[at] = labels.Data[at] + 0.5*float32(r.NormFloat64())
					}
				}
				for c := range shape[1] {
					if k == classes {
						predictions.Data[place(example, c, step)] /= sum
					}
				}
			}
		}
		return labels, predictions
	}
	mask := func(shape ...int) *tensor.Dense {
		m := tensor.New(shape...)
		for i := range m.Data {
			if r.IntN(4) > 0 {
				m.Data[i] = 1
			}
		}
		return m
	}
	for _, e := range evaluations {
		add := func(data string, shape tensor.Shape, m *tensor.Dense) {
			labels, predictions := values(e.kind, shape)
			all = append(all, interopCase{fmt.Sprintf("%s of %d, %s", strings.ReplaceAll(e.of, " ", "_"), e.columns, data),
				e.of, e.make(), labels, predictions, m})
		}
		add("rows", tensor.Shape{60, e.columns}, nil)
		add("masked rows", tensor.Shape{60, e.columns}, mask(60, 1))
		add("series", tensor.Shape{12, e.columns, 7}, nil)
		add("masked series", tensor.Shape{12, e.columns, 7}, mask(12, 7))
		if e.outputs {
			add("masked outputs", tensor.Shape{60, e.columns}, mask(60, e.columns))
		}
	}
	return all
}
