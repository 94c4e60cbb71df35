package eval

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/tensor"
)

func TestEvaluationAgreesWithDeeplearning4j(t *testing.T) {
	threshold := 0.3
	for _, c := range []struct {
		oracle, name string
		e            *Evaluation
	}{
		{"multiclass3", "Evaluation", NewEvaluation(3)},
		{"timeseries-mask", "Evaluation", NewEvaluation(3)},
		{"binary-softmax2", "Evaluation", NewEvaluation(0)},
		{"binary-single", "Evaluation", NewEvaluation(0)},
		{"binary-single", "Evaluation_threshold0.3", &Evaluation{TopN: 1, Axis: 1, BinaryPositiveClass: new(int),
			BinaryDecisionThreshold: &threshold, MaxWarningClassesToPrint: 16}},
	} {
		o := load(t, c.oracle)
		if c.e.BinaryPositiveClass != nil {
			*c.e.BinaryPositiveClass = 1
		}
		if err := c.e.Eval(o.labels, o.predictions, o.mask); err != nil {
			t.Fatal(err)
		}
		o.metricsOf(t, c.name, c.e)
		if got, want := c.e.Stats(), o.read(t, c.name+".stats.txt"); got != want {
			t.Errorf("%s: stats\n%s\nwant\n%s", o.dir, got, want)
		}
		file := o.read(t, c.name+".json")
		text, err := Marshal(c.e)
		if err != nil {
			t.Fatal(err)
		}
		if want := withoutPadding(t, file); string(text) != want {
			t.Errorf("%s: JSON\n%s\nwant\n%s", o.dir, text, want)
		}
		read, err := Unmarshal([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		if got := read.Stats(); got != c.e.Stats() {
			t.Errorf("%s: stats of what was read from JSON\n%s", o.dir, got)
		}
		o.metricsOf(t, c.name, read.(*Evaluation))
	}
}

func (o *oracle) metricsOf(t *testing.T, name string, e *Evaluation) {
	t.Helper()
	perClass := func(f func(int) float64) []float64 {
		out := make([]float64, e.Classes())
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	mcc, g := e.MatthewsCorrelationAverage(Macro), e.GMeasureAverage(Macro)
	o.compare(t, name, "accuracy", e.Accuracy())
	o.compare(t, name, "precision", e.Precision())
	o.compare(t, name, "recall", e.Recall())
	o.compare(t, name, "f1", e.F1())
	if strings.HasSuffix(o.dir, "binary-single") {
		o.compare(t, name, "mcc", mcc)
		o.compare(t, name, "gmeasure", g)
		return
	}
	for suffix, a := range map[string]Averaging{"_Macro": Macro, "_Micro": Micro} {
		o.compare(t, name, "precision"+suffix, e.PrecisionAverage(a))
		o.compare(t, name, "recall"+suffix, e.RecallAverage(a))
		o.compare(t, name, "f1"+suffix, e.F1Average(a))
		o.compare(t, name, "mcc"+suffix, e.MatthewsCorrelationAverage(a))
		o.compare(t, name, "gmeasure"+suffix, e.GMeasureAverage(a))
		o.compare(t, name, "fpr"+suffix, e.FalsePositiveRateAverage(a))
		o.compare(t, name, "fnr"+suffix, e.FalseNegativeRateAverage(a))
	}
	o.compare(t, name, "falseAlarmRate", e.FalseAlarmRate())
	o.compare(t, name, "precision_per_class", perClass(e.PrecisionOf)...)
	o.compare(t, name, "recall_per_class", perClass(e.RecallOf)...)
	o.compare(t, name, "f1_per_class", perClass(e.F1Of)...)
	o.compare(t, name, "mcc_per_class", perClass(e.MatthewsCorrelationOf)...)
	o.compare(t, name, "gmeasure_per_class", perClass(e.GMeasureOf)...)
	o.compare(t, name, "fbeta2_per_class", perClass(func(c int) float64 { return e.FBetaOf(2, c) })...)
	var confusion []float64
	for actual := range e.Classes() {
		for predicted := range e.Classes() {
			confusion = append(confusion, float64(e.Count(actual, predicted)))
		}
	}
	o.compare(t, name, "confusion_actual_by_predicted", confusion...)
}

// classes returns rows whose largest columns are the given ones.
func classes(columns int, of ...int) *tensor.Dense {
	d := tensor.New(len(of), columns)
	for row, c := range of {
		d.Data[row*columns+c] = 1
	}
	return d
}

func TestStatsOfClassesWithoutData(t *testing.T) {
	e := NewEvaluation(0)
	e.Labels = []string{"cat", "dog", "eel", "fox"}
	e.TopN = 2
	if got := e.Stats(); got != "Evaluation: No data available (no evaluation has been performed)" {
		t.Errorf("stats without data: %s", got)
	}
	predictions := tensor.MustOf([]float32{.6, .3, .1, 0, .6, .3, .1, 0, .1, .7, .2, 0}, 3, 4)
	if err := e.Eval(classes(4, 0, 1, 2), predictions, nil); err != nil {
		t.Fatal(err)
	}
	const want = `

========================Evaluation Metrics========================
 # of classes:    4
 Accuracy:        0.3333
 Top 2 Accuracy:  1.0000
 Precision:       0.2500	(2 classes excluded from average)
 Recall:          0.3333	(1 class excluded from average)
 F1 Score:        0.3333	(2 classes excluded from average)
Precision, recall & F1: macro-averaged (equally weighted avg. of 4 classes)

Warning: 2 classes were never predicted by the model and were excluded from average precision
Classes excluded from average precision: [2, 3]
Warning: 1 class was never predicted by the model and was excluded from average recall
Classes excluded from average recall: [3]

=========================Confusion Matrix=========================
 0 1 2 3
---------
 1 0 0 0 | 0 = cat
 1 0 0 0 | 1 = dog
 0 1 0 0 | 2 = eel
 0 0 0 0 | 3 = fox

Confusion matrix format: Actual (rowClass) predicted as (columnClass) N times
==================================================================`
	if got := e.Stats(); got != want {
		t.Errorf("got %s", got)
	}
	e.MaxWarningClassesToPrint = 1
	if got := e.Stats(); strings.Contains(got, "[2, 3]") || !strings.Contains(got, "[3]") {
		t.Errorf("warnings are not cut at 1 class: %s", got)
	}
}

func TestStatsOfManyClassesHaveNoTable(t *testing.T) {
	e := NewEvaluation(21)
	if err := e.Eval(classes(21, 20), classes(21, 20), nil); err != nil {
		t.Fatal(err)
	}
	if s := e.Stats(); !strings.Contains(s, "not generated due to space requirements for 21 classes") ||
		strings.Contains(s, "| 20 =") {
		t.Errorf("got %s", s)
	}
	if !strings.Contains(e.ConfusionMatrix(), "| 20 = 20") {
		t.Error("the table is not to be had")
	}
}

func TestCostArrayAndThreshold(t *testing.T) {
	labels, predictions := classes(2, 0, 0, 1), tensor.MustOf([]float32{.6, .4, .9, .1, .6, .4}, 3, 2)
	for want, configure := range map[int64]func(*Evaluation){
		0: func(*Evaluation) {},
		1: func(e *Evaluation) { e.CostArray = []float32{1, 2} },
		2: func(e *Evaluation) { x := 0.05; e.BinaryDecisionThreshold = &x },
	} {
		e := NewEvaluation(2)
		configure(e)
		if err := e.Eval(labels, predictions, nil); err != nil {
			t.Fatal(err)
		}
		if got := e.FalsePositives(1); got != want {
			t.Errorf("%d false positives, want %d", got, want)
		}
		label, predicted := Commonest(e)
		positive := e.TruePositives(1) + e.FalsePositives(1)
		if label != 2.0/3 || predicted != float64(max(positive, 3-positive))/3 {
			t.Errorf("the commonest label has %v, the commonest prediction %v", label, predicted)
		}
		if e.CostArray != nil && !strings.Contains(e.Stats(), "\nCost array: [1.0, 2.0]\n") {
			t.Errorf("stats %s", e.Stats())
		}
		text, err := Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		read, err := Unmarshal(text)
		if err != nil || read.Stats() != e.Stats() {
			t.Errorf("read from JSON: %v, %v", read, err)
		}
	}
}

// With any layout and mask, the same examples are counted.
func TestLayoutsAndMasks(t *testing.T) {
	labels, predictions := tensor.New(2, 3, 4, 5), tensor.New(2, 3, 4, 5)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range labels.Data {
		labels.Data[i], predictions.Data[i] = r.Float32(), r.Float32()
	}
	mask := tensor.New(2, 4, 5)
	for i := range mask.Data {
		mask.Data[i] = float32(r.IntN(2))
	}
	// Channels last, and as [rows, classes].
	last := func(d *tensor.Dense) *tensor.Dense {
		out := tensor.New(2, 4, 5, 3)
		for n := range 2 {
			for c := range 3 {
				for i := range 20 {
					out.Data[(n*20+i)*3+c] = d.Data[(n*3+c)*20+i]
				}
			}
		}
		return out
	}
	flat := func(d *tensor.Dense, shape ...int) *tensor.Dense { return tensor.MustOf(d.Data, shape...) }
	confusion := func(axis int, labels, predictions, mask *tensor.Dense) string {
		e := NewEvaluation(3)
		e.Axis = axis
		if err := e.Eval(labels, predictions, mask); err != nil {
			t.Fatal(err)
		}
		return e.ConfusionMatrix()
	}
	want := confusion(1, labels, predictions, mask)
	for name, got := range map[string]string{
		"mask with a dimension of 1": confusion(1, labels, predictions, flat(mask, 2, 1, 4, 5)),
		"channels last":              confusion(3, last(labels), last(predictions), mask),
		"rows with a column mask": confusion(1, flat(last(labels), 40, 3), flat(last(predictions), 40, 3),
			flat(mask, 40, 1)),
		"rows with a mask of one rank": confusion(1, flat(last(labels), 40, 3),
			flat(last(predictions), 40, 3), flat(mask, 40)),
		"time series": confusion(1, flat(labels, 2, 3, 20), flat(predictions, 2, 3, 20), flat(mask, 2, 20)),
		"time series, time before size": confusion(2, flat(last(labels), 2, 20, 3), flat(last(predictions), 2, 20, 3),
			flat(mask, 2, 20)),
	} {
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
	one := confusion(1, labels.Slice(1, 2), predictions.Slice(1, 2), nil)
	for _, m := range []*tensor.Dense{tensor.MustOf([]float32{0, 1}, 2), tensor.MustOf([]float32{0, 1}, 2, 1)} {
		if got := confusion(1, labels, predictions, m); got != one {
			t.Errorf("mask of examples %v:\n%s\nwant\n%s", m.Shape, got, one)
		}
	}
}

func TestMergeInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	whole := NewEvaluation(0)
	whole.TopN = 2
	var parts []*Evaluation
	for n := range 5 { // the first part is empty
		labels, predictions := tensor.New(3*n, 4), tensor.New(3*n, 4)
		for i := range labels.Data {
			labels.Data[i], predictions.Data[i] = r.Float32(), r.Float32()
		}
		part := whole.New().(*Evaluation)
		for _, e := range []*Evaluation{whole, part} {
			if n == 0 && e == part {
				continue
			}
			if err := e.Eval(labels, predictions, nil); err != nil {
				t.Fatal(err)
			}
		}
		parts = append(parts, part)
	}
	want, err := Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		total := whole.New()
		for _, i := range r.Perm(len(parts)) {
			if err := total.Merge(parts[i]); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := Marshal(total); err != nil || string(got) != string(want) {
			t.Fatalf("merged %s (%v), want %s", got, err, want)
		}
	}
}

func TestMergeRefusesOtherSettings(t *testing.T) {
	base := func() *Evaluation { return NewEvaluation(2) }
	others := map[string]Evaluator{"RegressionEvaluation": NewRegressionEvaluation(), "classes": NewEvaluation(3)}
	for want, change := range map[string]func(e *Evaluation){
		"top 3":          func(e *Evaluation) { e.TopN = 3 },
		"positive class": func(e *Evaluation) { e.BinaryPositiveClass = nil },
		"threshold":      func(e *Evaluation) { x := 0.1; e.BinaryDecisionThreshold = &x },
		"cost array":     func(e *Evaluation) { e.CostArray = []float32{1, 2} },
	} {
		e := base()
		change(e)
		others[want] = e
	}
	for want, other := range others {
		var m *MergeError
		if err := base().Merge(other); !errors.As(err, &m) || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q", err, want)
		}
	}
}

func TestEvalRefuses(t *testing.T) {
	nan := tensor.New(2, 3)
	nan.Data[4] = float32(math.NaN())
	for _, c := range []struct {
		want                      string
		labels, predictions, mask *tensor.Dense
		change                    func(e *Evaluation)
	}{
		{"labels [2, 3] and predictions [2, 2] cannot be evaluated by Evaluation: their shapes differ", tensor.New(2, 3),
			tensor.New(2, 2), nil, nil},
		{"at least two dimensions", tensor.New(3), tensor.New(3), nil, nil},
		{"there is no dimension 2", tensor.New(2, 3), tensor.New(2, 3), nil, func(e *Evaluation) { e.Axis = 2 }},
		{"there is no dimension 0", tensor.New(2, 3), tensor.New(2, 3), nil, func(e *Evaluation) { e.Axis = 0 }},
		{"the evaluation has 3 classes", tensor.New(2, 4), tensor.New(2, 4), nil, nil},
		{"there are no classes", tensor.New(2, 0), tensor.New(2, 0), nil, nil},
		{"with the mask [3] cannot be evaluated by Evaluation: a mask has the shape [2] for examples, or [2, 3] for " +
			"single outputs", tensor.New(2, 3), tensor.New(2, 3), tensor.New(3), nil},
		{"the mask's element 1 is NaN", tensor.New(2, 3), tensor.New(2, 3),
			tensor.MustOf([]float32{0, float32(math.NaN())}, 2), nil},
		{"no masks of single outputs", tensor.New(2, 3), tensor.New(2, 3), tensor.New(2, 3), nil},
		{"the predictions have NaN in row 1, column 1", tensor.New(2, 3), nan, nil, nil},
		{"the labels have NaN in row 1, column 1", nan, tensor.New(2, 3), nil, nil},
		{"the cost array has 1 elements", tensor.New(2, 3), tensor.New(2, 3), nil,
			func(e *Evaluation) { e.CostArray = []float32{1} }},
		{"not 0 or more", tensor.New(2, 3), tensor.New(2, 3), nil, func(e *Evaluation) { e.CostArray = []float32{1, -1, 1} }},
		{"two classes", tensor.New(2, 3), tensor.New(2, 3), nil,
			func(e *Evaluation) { e.BinaryDecisionThreshold = new(float64) }},
	} {
		e := NewEvaluation(3)
		if c.change != nil {
			c.change(e)
		}
		var bad *InputError
		err := e.Eval(c.labels, c.predictions, c.mask)
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) || e.Rows() != 0 {
			t.Errorf("%d rows, error = %v, want %q", e.Rows(), err, c.want)
		}
	}
	e := NewEvaluation(3)
	if err := e.Eval(nan, nan, tensor.MustOf([]float32{1, 0}, 2)); err != nil || e.Rows() != 1 {
		t.Errorf("NaN in a row that is masked: %d rows, %v", e.Rows(), err)
	}
}

func TestUnmarshalRefusesContradictions(t *testing.T) {
	good := load(t, "multiclass3").read(t, "Evaluation.json")
	for want, change := range map[string][2]string{
		"contradict the confusion matrix":        {`"0" : 10.0`, `"0" : 11.0`},
		"counts 40 examples of 41":               {`"numRowCounter" : 40`, `"numRowCounter" : 41`},
		"the positive class is 7":                {`"binaryPositiveClass" : null`, `"binaryPositiveClass" : 7`},
		"the decision threshold is NaN":          {`"binaryDecisionThreshold" : null`, `"binaryDecisionThreshold" : "NaN"`},
		"2 labels for 3 classes":                 {`[ "0", "1", "2" ]`, `[ "0", "1" ]`},
		`the class "7" of 3`:                     {`"1" : [ [`, `"7" : [ [`},
		"the class 9 of 3":                       {"[ [ 0, 1, 2, 0", "[ [ 0, 1, 9, 0"},
		"-10 times":                              {"[ 10, 2,", "[ -10, 2,"},
		"9007199254740993 times":                 {"[ 10, 2,", "[ 9007199254740993, 2,"},
		"predictions and":                        {"[ 10, 2,", "[ 10, 2, 0,"},
		"unknown member":                         {`"topN"`, `"topM"`},
		"top-N figures 3 of 0":                   {`"topNCorrectCount" : 0`, `"topNCorrectCount" : 3`},
		"null is not an evaluation":              {good, "null"},
		"evaluation of the unknown class":        {"classification.Evaluation", "classification.Exam"},
		"confusion.matrix.0: an array of 2":      {"[ [ 0, 2, 0", "[ [ 1 ], [ 0, 2, 0"},
		"maxWarningClassesToPrint: a whole numb": {`"maxWarningClassesToPrint" : 16`, `"maxWarningClassesToPrint" : 1.5`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Fatalf("%q is not in the file", change[0])
		}
		var f *dl4j.FormatError
		if _, err := Unmarshal([]byte(bad)); !errors.As(err, &f) || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q", err, want)
		}
	}
	old := strings.Replace(good, "org.nd4j.evaluation.classification", "org.deeplearning4j.eval", 1)
	if e, err := Unmarshal([]byte(old)); err != nil || e.(*Evaluation).Rows() != 40 {
		t.Errorf("the old class name: %v", err)
	}
}

func ExampleEvaluation() {
	e := NewEvaluation(3)
	labels := tensor.MustOf([]float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, 3)
	predictions := tensor.MustOf([]float32{.8, .1, .1, .2, .5, .3, .6, .2, .2}, 3, 3)
	if err := e.Eval(labels, predictions, nil); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.3f %.3f\n", e.Accuracy(), e.RecallOf(2))
	// Output: 0.667 0.000
}
