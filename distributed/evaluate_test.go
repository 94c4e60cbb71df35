package distributed_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/near"
)

// TestManyEvaluationsInOnePass checks that all evaluations give the results of the network alone, on any number of
// workers and partitions. A merged exact ROC must have its examples and curves.
func TestManyEvaluationsInOnePass(t *testing.T) {
	ctx := context.Background()
	test := digits(t, "test")
	net := digitsNet(t, "softmax")
	all := test.Range(0, test.Info().Examples)
	out, err := net.Output(all, false)
	if err != nil {
		t.Fatal(err)
	}
	binary := eval.NewEvaluationBinary()
	binary.ROC = eval.NewROCBinary(0)
	evals := []eval.Evaluator{eval.NewEvaluation(0), binary, eval.NewROCBinary(20), eval.NewROCMultiClass(0),
		eval.NewRegressionEvaluation(),
		eval.NewEvaluationCalibration()}
	var want []eval.Evaluator
	for _, e := range evals {
		e = e.New()
		if err := e.Eval(all.Labels[0], out[0], nil); err != nil {
			t.Fatal(err)
		}
		want = append(want, e)
	}
	for _, c := range []struct{ workers, partitions int }{{1, 1}, {2, 3}, {3, 7}} {
		e := onEngine(t, fmt.Sprintf("local[%d]", c.workers))
		d, err := distributed.FromSource(e, test, c.partitions)
		if err != nil {
			t.Fatal(err)
		}
		m := distributed.New(e, net, nil, distributed.Options{})
		got, err := m.DoEvaluation(ctx, d, distributed.EvaluationOptions{}, evals...)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range got {
			if e.Stats() != want[i].Stats() {
				t.Errorf("%v: %T:\n%s\nwant\n%s", c, e, e.Stats(), want[i].Stats())
			}
			sameFigures(t, fmt.Sprintf("%v %T", c, e), eval.Metrics(e), eval.Metrics(want[i]))
		}
		roc, err := m.EvaluateROCMultiClass(ctx, d, 0)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := roc.ROC(3).RocCurve(), want[3].(*eval.ROCMultiClass).ROC(3).RocCurve(); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%v: the curve is\n%v\nwant\n%v", c, a, b)
		}
		if _, err := m.EvaluateROC(ctx, d, 0); err == nil {
			t.Errorf("%v: there is one ROC of ten classes", c)
		}
		regression, err := m.EvaluateRegression(ctx, d)
		if err != nil || len(regression.Columns) != 10 {
			t.Errorf("%v: a regression of %v (%v)", c, regression, err)
		}
	}
}

func sameFigures(t *testing.T, what string, got, want map[string]any) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%s: %d figures, want %d", what, len(got), len(want))
	}
	for name, w := range want {
		numbers, ok := w.([]float64)
		if x, one := w.(float64); one {
			numbers, ok = []float64{x}, true
		}
		if !ok {
			if fmt.Sprint(got[name]) != fmt.Sprint(w) {
				t.Errorf("%s: %s is %v, want %v", what, name, got[name], w)
			}
			continue
		}
		g, _ := got[name].([]float64)
		if x, one := got[name].(float64); one {
			g = []float64{x}
		}
		for i, x := range numbers {
			if i >= len(g) || !near.OrNaN(g[i], x, 0, 1e-12) {
				t.Errorf("%s: %s is %v, want %v", what, name, got[name], w)
				break
			}
		}
	}
}
