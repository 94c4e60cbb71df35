package dl4go_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dl4go/dl4go"
	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/near"
)

// A saved and loaded model has the same names and predicts the same bits. So do many goroutines, row by row.
func TestModelSaved(t *testing.T) {
	c := configured(t)
	m := trained(t, c)
	path := filepath.Join(t.TempDir(), "model.zip")
	if err := m.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	again, err := dl4go.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if !slices.Equal(again.Classes(), []string{"good", "worn"}) || !slices.Equal(again.Columns(), machines.Columns) ||
		again.Result() != nil {
		t.Errorf("names %v and %v", again.Classes(), again.Columns())
	}
	want, err := m.PredictAll(t.Context(), c.HeldOut)
	if err != nil || len(want) != 200 {
		t.Fatalf("%d predictions: %v", len(want), err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for i, w := range want {
				x, err := c.HeldOut.Object(i)
				if err != nil {
					t.Error(err)
					return
				}
				of := []float64{float64(x.Features[0].Data[0]), float64(x.Features[0].Data[1])}
				got, err := again.Predict(t.Context(), of)
				if err != nil || !slices.Equal(got, w) {
					t.Errorf("row %d: %v, want %v: %v", i, got, w, err)
					return
				}
				class, err := m.Classify(t.Context(), of)
				if err != nil || class.Probability != slices.Max(w) || class.Name != m.Classes()[class.Number] ||
					w[class.Number] != class.Probability {
					t.Errorf("row %d: %+v of %v: %v", i, class, w, err)
					return
				}
			}
		})
	}
	wait.Wait()
}

// An evaluation by the model equals that of the run, which evaluates on an engine.
func TestModelEvaluates(t *testing.T) {
	c := configured(t)
	c.Epochs = 40
	m := trained(t, c)
	e, err := m.Evaluate(t.Context(), c.HeldOut)
	if err != nil || m.Result().Accuracy == nil || e.Accuracy() != *m.Result().Accuracy || e.Labels[1] != "worn" {
		t.Errorf("accuracy %v, and the run's %v: %v", e.Accuracy(), m.Result().Accuracy, err)
	}
	roc := eval.NewROC(0)
	if err := m.EvaluateBy(t.Context(), c.HeldOut, roc); err != nil || roc.AUC() < 0.8 {
		t.Errorf("AUC %v: %v", roc.AUC(), err)
	}
}

// Numbers are predicted in the unit of the data, whatever the normalizer.
func TestRegression(t *testing.T) {
	var values []point
	for i := range 300 {
		x, z := math.Sin(float64(i)), math.Cos(float64(3*i))
		values = append(values, point{x: []float64{100 * x, z}, y: []float64{5000 + 1000*x - 300*z}})
	}
	s, err := dl4go.Table[point]{Features: row, Target: target, Targets: []string{"price"}}.Data(values)
	if err != nil {
		t.Fatal(err)
	}
	training, heldOut, err := dl4go.Split(s, 0.8, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []dl4go.Normalizer{dl4go.Standardize, dl4go.MinMax} {
		m := trained(t, dl4go.Config{Network: dl4go.MLP(16), Data: training, HeldOut: heldOut, Normalizer: n, Epochs: 60})
		e, err := m.EvaluateRegression(t.Context(), heldOut)
		if err != nil || e.Average(e.RSquared) < 0.9 {
			t.Errorf("R² %v: %v", e.Average(e.RSquared), err)
		}
		y, err := m.Predict(t.Context(), []float64{0, 0})
		if err != nil || len(y) != 1 || !near.Equal(y[0], 5000, 500, 0) {
			t.Errorf("predicted %v, 5000 is right: %v", y, err)
		}
		if _, err := m.Classify(t.Context(), []float64{0, 0}); err == nil || !strings.Contains(err.Error(), "use Predict") {
			t.Errorf("a class of numbers: %v", err)
		}
	}
}

// Data that does not fit the model is an error with the reason.
func TestModelRefuses(t *testing.T) {
	c := configured(t)
	m := trained(t, c)
	ctx := t.Context()
	if _, err := m.Predict(ctx, []float64{1}); err == nil ||
		!strings.Contains(err.Error(), "a row has length 1; the model takes rows of length 2: speed, vibration") {
		t.Errorf("a missing feature: %v", err)
	}
	if _, err := m.Predict(ctx, nil); err == nil {
		t.Error("no features are predicted")
	}
	var value *data.ValueError
	_, err := m.Classify(ctx, []float64{1, math.NaN()})
	if !errors.As(err, &value) || value.Column != 1 || !strings.Contains(err.Error(), `"vibration"`) {
		t.Errorf("NaN: %v", err)
	}
	other := machines
	other.Classes = []string{"worn", "good"}
	swapped, err := other.Data(readings(4))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Evaluate(ctx, swapped); err == nil || !strings.Contains(err.Error(), "set Classes of its table") {
		t.Errorf("other classes: %v", err)
	}
	unlabelled, err := dl4go.Table[Reading]{Features: machines.Features}.Data(readings(4))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Evaluate(ctx, unlabelled); err == nil || !strings.Contains(err.Error(), "no labels") {
		t.Errorf("no labels: %v", err)
	}
	if all, err := m.PredictAll(ctx, unlabelled); err != nil || len(all) != 4 {
		t.Errorf("predictions without labels: %v", err)
	}
	if _, err := m.Evaluate(ctx, nil); err == nil {
		t.Error("no data is evaluated")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for name, err := range calls(ended, m, c, filepath.Join(t.TempDir(), "model.zip")) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a context that has ended: %v", name, err)
		}
	}
	if _, err := dl4go.Load(ended, "model.zip"); !errors.Is(err, context.Canceled) {
		t.Errorf("Load with a context that has ended: %v", err)
	}
	if _, err := dl4go.Load(ctx, filepath.Join(t.TempDir(), "none.zip")); err == nil ||
		!strings.Contains(err.Error(), "none.zip") {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := dl4go.NewModel(nil); err == nil {
		t.Error("a model of no network")
	}
}

// calls returns the errors of all methods of a model.
func calls(ctx context.Context, m *dl4go.Model, c dl4go.Config, path string) map[string]error {
	all := map[string]error{"Save": m.Save(ctx, path)}
	_, all["Predict"] = m.Predict(ctx, []float64{1, 2})
	_, all["Classify"] = m.Classify(ctx, []float64{1, 2})
	_, all["PredictAll"] = m.PredictAll(ctx, c.HeldOut)
	_, all["Evaluate"] = m.Evaluate(ctx, c.HeldOut)
	_, all["EvaluateRegression"] = m.EvaluateRegression(ctx, c.HeldOut)
	x, err := c.HeldOut.Object(0)
	if err == nil {
		_, err = m.PredictData(ctx, x)
	}
	all["PredictData"] = err
	return all
}

// Close waits for predictions; all later calls are errors.
func TestModelClosed(t *testing.T) {
	c := configured(t)
	m := trained(t, c)
	var wait sync.WaitGroup
	begun := make(chan bool, 4)
	for range cap(begun) {
		wait.Go(func() {
			for first := true; ; first = false {
				_, err := m.Predict(t.Context(), []float64{1, 2})
				if first {
					begun <- err == nil
				}
				if err != nil {
					if !errors.Is(err, dl4go.ErrClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	for range cap(begun) {
		if !<-begun {
			t.Error("no prediction before Close")
		}
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	wait.Wait()
	for name, err := range calls(t.Context(), m, c, filepath.Join(t.TempDir(), "model.zip")) {
		if !errors.Is(err, dl4go.ErrClosed) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
	if err := m.Close(); !errors.Is(err, dl4go.ErrClosed) {
		t.Errorf("a second Close: %v", err)
	}
}
