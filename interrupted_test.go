package dl4go_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/dl4go/dl4go"
	"github.com/dl4go/dl4go/train"
)

// broken trains c until an event for which stop returns true.
func broken(t *testing.T, c dl4go.Config, stop func(dl4go.Event) bool) *dl4go.Model {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.Listen = func(e dl4go.Event) {
		if stop(e) {
			cancel()
		}
	}
	m, err := dl4go.Train(ctx, c)
	var unfinished *train.UnfinishedError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &unfinished) || !unfinished.Interrupted {
		t.Fatalf("the run was not broken off: %v", err)
	}
	if m != nil {
		t.Cleanup(func() { m.Close() })
	}
	return m
}

// A run whose context ends returns the model of all complete steps, which is also in its file.
func TestInterruptedRunGivesItsModel(t *testing.T) {
	c := configured(t)
	c.Save = filepath.Join(t.TempDir(), "model.zip")
	var last dl4go.Step
	m := broken(t, c, func(e dl4go.Event) bool {
		if s, ok := e.(dl4go.Step); ok {
			last = s
		}
		return last.Epoch == 1
	})
	if m == nil || last.Epoch != 1 || m.Network().Iteration() != last.Iteration || m.Network().Epoch() != 1 {
		t.Fatalf("the model is %v, the last step %+v", m, last)
	}
	if m.Result() != nil || len(m.Classes()) != 2 {
		t.Errorf("result %v, classes %v", m.Result(), m.Classes())
	}
	if e, err := m.Evaluate(t.Context(), c.HeldOut); err != nil || e.Accuracy() == 0 {
		t.Errorf("it is not evaluated: %v, %v", e, err)
	}
	file, err := dl4go.Load(t.Context(), c.Save)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	same(t, "the file", file.Network(), m.Network())
}

// With Patience, it returns the best network so far, also without a file.
func TestInterruptedRunGivesItsBestModel(t *testing.T) {
	for _, save := range []string{"", filepath.Join(t.TempDir(), "model.zip")} {
		c := configured(t)
		c.Epochs, c.Patience, c.Save = 100, 90, save
		best := -1
		m := broken(t, c, func(e dl4go.Event) bool {
			if e, ok := e.(dl4go.EpochEnded); ok && e.Metric.Best {
				best = e.Epoch
			}
			s, ok := e.(dl4go.Step)
			return ok && s.Epoch == 3
		})
		if m == nil || m.Network().Epoch() != best+1 {
			t.Fatalf("the model is %v, the best epoch %d", m, best)
		}
		if _, err := m.Evaluate(t.Context(), c.HeldOut); err != nil {
			t.Error(err)
		}
	}
}

// On returns it, too. Before the first step there is no model.
func TestInterruptedRunsOfWorkers(t *testing.T) {
	e := opened(t, "local[2]")
	for _, method := range []train.Method{dl4go.Averaging{}, dl4go.Sharing{}} {
		ctx, cancel := context.WithCancel(t.Context())
		c := configured(t)
		c.Epochs = 1000
		c.Listen = func(e dl4go.Event) {
			if s, ok := e.(dl4go.Step); ok && s.Epoch == 1 {
				cancel()
			}
		}
		m, err := dl4go.On(ctx, e, method, c)
		if !errors.Is(err, context.Canceled) || m == nil || m.Network().Iteration() == 0 {
			t.Fatalf("%T: %v, %v", method, m, err)
		}
		if _, err := m.Evaluate(t.Context(), c.HeldOut); err != nil {
			t.Error(err)
		}
		m.Close()
	}
	if m := broken(t, configured(t), func(e dl4go.Event) bool {
		_, began := e.(train.Began)
		return began
	}); m != nil {
		t.Errorf("before the first step there is a model of iteration %d", m.Network().Iteration())
	}
}
