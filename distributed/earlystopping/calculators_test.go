package earlystopping

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/tensor"
)

// answers is a network with these outputs.
type answers struct {
	Network         // methods that a calculator must not call
	labels, outputs [][]float32
}

func (a answers) Score(_ context.Context, _ *distributed.Data, average, regularization bool,
	batch int) (float64, int, error) {
	if !average || !regularization || batch != 7 {
		return 0, 0, fmt.Errorf("average %v, regularization %v, batch %d", average, regularization, batch)
	}
	return 0.25, 6, nil
}

func (a answers) DoEvaluation(_ context.Context, _ *distributed.Data, _ distributed.EvaluationOptions,
	evals ...eval.Evaluator) ([]eval.Evaluator, error) {
	e := evals[0].New()
	return []eval.Evaluator{e}, e.Eval(matrix(a.labels), matrix(a.outputs), nil)
}

func matrix(rows [][]float32) *tensor.Dense {
	m := tensor.New(len(rows), len(rows[0]))
	for i, r := range rows {
		copy(m.Data[i*len(r):], r)
	}
	return m
}

// TestCalculators compares scores with values computed by hand.
func TestCalculators(t *testing.T) {
	// For the classes 0, 0, 1, 1, 2, the predictions are 0, 0, 1, 2, 2.
	zero, one, two := []float32{0.8, 0.1, 0.1}, []float32{0.1, 0.8, 0.1}, []float32{0.1, 0.1, 0.8}
	classes := answers{nil, [][]float32{{1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0, 0, 1}},
		[][]float32{zero, zero, one, two, two}}
	numbers := answers{nil, [][]float32{{1, 0}, {2, 0}, {3, 3}}, [][]float32{{1, 0}, {3, 1}, {2, 2}}}
	// In output 0, three of the four pairs of a 1 and a 0 are in order. In output 1 all are.
	single := answers{nil, [][]float32{{1}, {0}, {1}, {0}}, [][]float32{{0.9}, {0.8}, {0.7}, {0.1}}}
	binary := answers{nil, [][]float32{{1, 1}, {0, 1}, {1, 0}, {0, 0}},
		[][]float32{{0.9, 0.6}, {0.8, 0.7}, {0.7, 0.2}, {0.1, 0.3}}}
	multi := answers{nil, [][]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		[][]float32{{0.6, 0.3, 0.1}, {0.7, 0.2, 0.1}, {0.1, 0.1, 0.8}}}
	root := math.Sqrt
	for _, c := range []struct {
		net        answers
		calculator Calculator
		want       float64
		minimize   bool
	}{
		{answers{}, Loss{Batch: 7}, 0.25, true},
		{answers{}, Loss{Batch: 7, Total: true}, 1.5, true},
		{classes, Classification{Metric: Accuracy}, 4. / 5, false},
		{classes, Classification{Metric: Precision}, (1 + 1 + 1./2) / 3, false},
		{classes, Classification{Metric: Recall}, (1 + 1./2 + 1) / 3, false},
		{classes, Classification{Metric: F1}, (1 + 2./3 + 2./3) / 3, false},
		{classes, Classification{Metric: GMeasure}, (1 + root(1./2) + root(1./2)) / 3, false},
		{classes, Classification{Metric: MCC}, (1 + 3/root(24) + 3/root(24)) / 3, false},
		{numbers, Regression{Metric: MSE}, 2. / 3, true},
		{numbers, Regression{Metric: MAE}, 2. / 3, true},
		{numbers, Regression{Metric: RMSE}, root(2. / 3), true},
		{numbers, Regression{Metric: RSE}, (2./2 + 2./6) / 2, true},
		{numbers, Regression{Metric: PC}, (1./2 + 3/root(12)) / 2, false},
		{numbers, Regression{Metric: R2}, (0 + 2./3) / 2, false},
		{single, ROC{Type: ROCSingle}, 3. / 4, false},
		{single, ROC{Type: ROCSingle, Metric: AUPRC}, 0.5 + 0.5*(0.5+2./3)/2, false},
		{binary, ROC{Type: ROCBinary, Metric: AUC}, (3./4 + 1) / 2, false},
		{binary, ROC{Type: ROCBinary, Metric: AUPRC}, (0.5 + 0.5*(0.5+2./3)/2 + 1) / 2, false},
		{multi, ROC{Type: ROCMultiClass}, (1./2 + 1./2 + 1) / 3, false},
		{single, ROC{Type: ROCSingle, ThresholdSteps: 1}, 1. / 2, false}, // only the thresholds 0 and 1: a diagonal
	} {
		got, err := c.calculator.Score(t.Context(), c.net)
		if err != nil {
			t.Errorf("%#v: %v", c.calculator, err)
		}
		if !near.Equal(got, c.want, 1e-7, 0) {
			t.Errorf("%#v: %v, not %v", c.calculator, got, c.want)
		}
		if c.calculator.Minimize() != c.minimize {
			t.Errorf("%#v: lower is better: %v", c.calculator, !c.minimize)
		}
	}
}
