package eval

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/tensor"
)

func TestRegressionAgreesWithDeeplearning4j(t *testing.T) {
	for name, columns := range map[string][]string{
		"regression": {"alpha", "beta", "gamma"}, "multiclass3": nil, "timeseries-mask": nil, "binary-softmax2": nil,
	} {
		o := load(t, name)
		e := NewRegressionEvaluation(columns...)
		if e.Stats() != "RegressionEvaluation: No Data" {
			t.Errorf("stats without data: %s", e.Stats())
		}
		if err := e.Eval(o.labels, o.predictions, o.mask); err != nil {
			t.Fatal(err)
		}
		o.figuresOf(t, e)
		if got, want := e.Stats(), o.read(t, "RegressionEvaluation.stats.txt"); !closeStats(got, want) {
			t.Errorf("%s: stats\n%s\nwant\n%s", name, got, want)
		}
		file := o.read(t, "RegressionEvaluation.json")
		read, err := Unmarshal([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		o.figuresOf(t, read.(*RegressionEvaluation))
		if text, err := Marshal(read); err != nil || string(text) != file {
			t.Errorf("%s: JSON read and written\n%s\nwant\n%s", name, text, file)
		}
		if text, err := Marshal(e); err != nil || !closeJSON(t, string(text), file) {
			t.Errorf("%s: JSON\n%s\nwant\n%s", name, text, file)
		}
	}
}

func (o *oracle) figuresOf(t *testing.T, e *RegressionEvaluation) {
	t.Helper()
	for name, f := range map[string]func(int) float64{"mse": e.MeanSquaredError, "mae": e.MeanAbsoluteError,
		"rmse": e.RootMeanSquaredError,
		"rse":  e.RelativeSquaredError, "pearson": e.PearsonCorrelation, "r2": e.RSquared} {
		got := make([]float64, len(e.Columns))
		for c := range got {
			got[c] = f(c)
		}
		o.compare(t, "RegressionEvaluation", name, got...)
		o.compare(t, "RegressionEvaluation", "avg_"+name, e.Average(f))
	}
}

// closeStats compares tables; Deeplearning4j's figures are sums in float32.
func closeStats(got, want string) bool {
	a, b := strings.Fields(got), strings.Fields(want)
	if len(a) != len(b) || len(got) != len(want) {
		return false
	}
	for i := range a {
		var x, y float64
		if json.Unmarshal([]byte(a[i]), &x) != nil || json.Unmarshal([]byte(b[i]), &y) != nil {
			if a[i] != b[i] {
				return false
			}
		} else if !near.Equal(x, y, 0, 2e-5) {
			return false
		}
	}
	return true
}

// closeJSON compares two files, numbers within the rounding of float32 sums.
func closeJSON(t *testing.T, got, want string) bool {
	t.Helper()
	a, b := strings.Fields(got), strings.Fields(want)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		var x, y float64
		if json.Unmarshal([]byte(strings.TrimSuffix(a[i], ",")), &x) == nil &&
			json.Unmarshal([]byte(strings.TrimSuffix(b[i], ",")), &y) == nil {
			if !near.Equal(x, y, 1e-6, 1e-5) {
				return false
			}
		} else if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestRegressionMergeIsTheWhole(t *testing.T) {
	o := load(t, "regression")
	whole, merged, back := NewRegressionEvaluation(), NewRegressionEvaluation(), NewRegressionEvaluation()
	if err := whole.Eval(o.labels, o.predictions, nil); err != nil {
		t.Fatal(err)
	}
	var parts []Evaluator
	for _, cut := range [][2]int{{0, 7}, {7, 20}, {20, 25}} {
		part := merged.New()
		if err := part.Eval(o.labels.Slice(cut[0], cut[1]), o.predictions.Slice(cut[0], cut[1]), nil); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	for i := range parts {
		if err := errors.Join(merged.Merge(parts[i]), back.Merge(parts[2-i]),
			merged.Merge(NewRegressionEvaluation())); err != nil {
			t.Fatal(err)
		}
	}
	if merged.Stats() != whole.Stats() || back.Stats() != whole.Stats() {
		t.Errorf("merged\n%s%swant\n%s", merged.Stats(), back.Stats(), whole.Stats())
	}
	var m *MergeError
	if err := whole.Merge(NewRegressionEvaluation("other")); !errors.As(err, &m) {
		t.Errorf("error = %v", err)
	}
	if err := whole.Merge(NewEvaluation(3)); !errors.As(err, &m) {
		t.Errorf("error = %v", err)
	}
}

func TestRegressionMasks(t *testing.T) {
	nan := float32(math.NaN())
	labels := tensor.MustOf([]float32{1, 2, 3, nan, 5, 6}, 3, 2)
	predictions := tensor.MustOf([]float32{2, 2, 3, 9, nan, nan}, 3, 2)
	e := NewRegressionEvaluation()
	if err := e.Eval(labels, predictions, tensor.MustOf([]float32{1, 1, 1, 0, 0, 0}, 3, 2)); err != nil {
		t.Fatal(err)
	}
	if e.MeanSquaredError(0) != 0.5 || e.MeanSquaredError(1) != 0 {
		t.Errorf("errors %g and %g", e.MeanSquaredError(0), e.MeanSquaredError(1))
	}
	var bad *InputError
	if err := e.Eval(labels, predictions, nil); !errors.As(err, &bad) {
		t.Errorf("error = %v", err)
	}
	if err := e.Eval(tensor.New(2, 3), tensor.New(2, 3), nil); !errors.As(err, &bad) ||
		!strings.Contains(err.Error(), "2 columns") {
		t.Errorf("error = %v", err)
	}
}

func TestRegressionUnmarshalRefuses(t *testing.T) {
	good := load(t, "regression").read(t, "RegressionEvaluation.json")
	for want, change := range map[string][2]string{
		"sumOfProducts: an object":          {`"sumOfProducts" : {`, `"sumOfProducts" : 1, "sumLabels2" : {`},
		"should have 2 numbers":             {`[ "alpha", "beta", "gamma" ]`, `[ "alpha", "beta" ]`},
		"exampleCountPerColumn should have": {`"data" : [ 25.0, 25.0, 25.0 ]`, `"data" : [ 25.0 ]`},
		"the precision is 1000000000":       {`"precision" : 5`, `"precision" : 1000000000`},
		"unknown member":                    {`"axis"`, `"axes"`},
		"precision: a whole number":         {`"precision" : 5`, `"precision" : 5.5`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		var f *dl4j.FormatError
		if _, err := Unmarshal([]byte(bad)); !errors.As(err, &f) || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q", err, want)
		}
	}
}
