package eval

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/tensor"
)

// Metrics has every figure that Deeplearning4j computed for the oracle's cases, under the same name.
func TestMetricsAgreeWithDeeplearning4j(t *testing.T) {
	compared := 0
	for _, name := range []string{"binary-single", "binary-softmax2", "multiclass3", "multilabel", "regression",
		"timeseries-mask"} {
		o := load(t, name)
		for file, want := range o.metrics {
			read, err := Unmarshal([]byte(o.read(t, file+".json")))
			if err != nil {
				t.Fatal(err)
			}
			e := read.New()
			if err := e.Eval(o.labels, o.predictions, o.mask); err != nil {
				t.Fatal(err)
			}
			got := Metrics(e)
			if len(Metrics(e.New())) > 0 {
				t.Errorf("%s %s: there are figures of no data", name, file)
			}
			for figure, w := range want {
				if text, ok := w.(string); ok {
					if got[figure] != text {
						t.Errorf("%s %s %s: %v, want %v", name, file, figure, got[figure], text)
					}
					continue
				}
				g, ws := flat(t, got[figure]), flat(t, w)
				if len(g) != len(ws) ||
					reflect.TypeOf(got[figure]).Kind() == reflect.Slice != (reflect.TypeOf(w).Kind() == reflect.Slice) {
					t.Errorf("%s %s %s: %v, want %v", name, file, figure, got[figure], w)
					continue
				}
				tolerance := 1e-6
				if strings.HasPrefix(file, "ROC") {
					tolerance = 0
				}
				for i := range ws {
					compared++
					if !near.Equal(g[i], ws[i], tolerance, 0) {
						t.Errorf("%s %s %s[%d]: %v, want %v", name, file, figure, i, g[i], ws[i])
					}
				}
			}
		}
	}
	if compared < 1000 {
		t.Errorf("only %d figures were compared", compared)
	}
}

// flat returns the numbers of a figure.
func flat(t *testing.T, x any) []float64 {
	t.Helper()
	b, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	var list []float64
	if json.Unmarshal(b, &list) == nil && x != nil {
		return list
	}
	var one float64
	if x == nil || json.Unmarshal(b, &one) != nil {
		return nil
	}
	return []float64{one}
}

// The confusion matrix of a vocabulary would need more memory than its predictions.
func TestMetricsOfManyClasses(t *testing.T) {
	const classes = 200_000
	labels, predictions := tensor.New(2, classes), tensor.New(2, classes)
	labels.Data[7], predictions.Data[7], labels.Data[classes+1], predictions.Data[classes] = 1, 1, 1, 1
	e := NewEvaluation(classes)
	if err := e.Eval(labels, predictions, nil); err != nil {
		t.Fatal(err)
	}
	m := Metrics(e)
	if m["accuracy"] != .5 || len(m["f1_per_class"].([]float64)) != classes || m["confusionToString"] != nil {
		t.Errorf("accuracy %v of %d classes", m["accuracy"], e.Classes())
	}
}
