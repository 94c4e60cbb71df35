package train_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/train"
)

// TestMetricsAreThoseOfEarlyStopping: each figure that both know has the same value in both, and is a series of the
// run.
func TestMetricsAreThoseOfEarlyStopping(t *testing.T) {
	stopping := train.Metrics()
	known := map[string]bool{}
	for _, name := range train.MetricNames() {
		known[name] = true
	}
	for _, name := range stopping {
		if name == "loss" || strings.HasPrefix(name, "reconstruction-") {
			continue
		}
		if !known[name] {
			t.Errorf("early stopping has the metric %s, and Metrics has not", name)
			continue
		}
		if strings.Contains(name, "auc") || strings.Contains(name, "auprc") {
			continue // exact ones of all classes take long
		}
		c := train.Config{Network: network(t, "mlp"), Data: open(t, "digits:train"), HeldOut: open(t, "digits:test"),
			Epochs: 1, Seed: 7, Metrics: []string{name}, Save: t.TempDir() + "/m.zip",
			Stopping: &train.Stopping{Metric: name, Patience: 3}}
		r, err := train.Fit(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		got := r.Measures
		if len(got) != 1 || got[0].Name != name || !near.Equal(got[0].Value, r.Stopped.BestScore, 1e-12, 0) {
			t.Errorf("%s: Metrics gives %v, early stopping %v", name, got, r.Stopped.BestScore)
		}
		if s := seriesNamed(r.Series, name); len(s.Values) != 1 || s.Values[0] != r.Stopped.BestScore {
			t.Errorf("%s has the series %+v", name, s)
		}
	}
}

// TestAllMetrics computes every figure of held-out classes in one pass.
func TestAllMetrics(t *testing.T) {
	c := train.Config{Network: network(t, "mlp"), Data: open(t, "digits:train"), HeldOut: open(t, "digits:test"),
		Epochs: 1}
	for _, name := range train.MetricNames() {
		c.Metrics = append(c.Metrics, strings.Replace(name, "-N-", "-3-", 1))
	}
	r, err := train.Fit(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]float64{}
	for _, m := range r.Measures {
		of[m.Name] = m.Value
	}
	if len(of) != len(c.Metrics) {
		t.Errorf("%d of %d figures", len(of), len(c.Metrics))
	}
	if of["accuracy"] != *r.Accuracy || of["top-3-accuracy"] <= of["accuracy"] || of["recall-micro"] != of["accuracy"] ||
		of["auc"] < 0.9 || of["auc"] != of["binary-auc"] {
		t.Errorf("accuracy %v: %v", *r.Accuracy, of)
	}
}

func TestMetricsThatDoNotFit(t *testing.T) {
	base := func() train.Config {
		return train.Config{Network: network(t, "mlp"), Data: open(t, "digits:train"), HeldOut: open(t, "digits:test")}
	}
	for name, c := range map[string]func(*train.Config){
		`"f2" is none of accuracy, auc`: func(c *train.Config) { c.Metrics = []string{"f2"} },
		"top-N-accuracy":                func(c *train.Config) { c.Metrics = []string{"top-1-accuracy"} },
		"f1 is there twice":             func(c *train.Config) { c.Metrics = []string{"f1", "f1"} },
		train.ErrNoHeldOut.Error():      func(c *train.Config) { c.Metrics, c.HeldOut = []string{"f1"}, nil },
	} {
		conf := base()
		c(&conf)
		var wrong *train.ConfigError
		if err := conf.Validate(); !errors.As(err, &wrong) || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
	}
}
