package stats

import (
	"math"
	"strings"
	"testing"
	"time"
)

// seriesOf makes a series with a value for each epoch of ten iterations.
func seriesOf(name string, values ...float64) Series {
	s := Series{Name: name, Values: values}
	for i := range values {
		s.Iterations, s.Since = append(s.Iterations, 10*(i+1)), append(s.Since, time.Duration(i)*time.Second)
	}
	return s
}

func settingOf(name, value string) Run { return Run{Settings: map[string]string{name: value}} }

// TestHints: each common mistake has its hint, and a good run has none.
func TestHints(t *testing.T) {
	falling := []float64{2, 1.5, 1.2, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.45, 0.4}
	for kind, series := range map[string][]Series{
		"": {seriesOf("loss", falling...), seriesOf("epochLoss", falling...), seriesOf("heldOutLoss", falling...),
			seriesOf("ratio/0_W", 1e-3, 2e-3), seriesOf("dead/layer0", 0.9, 0.1), seriesOf("saturated/layer0", 0.9, 0.2),
			seriesOf("updates/0_W", 1, 1), seriesOf("norm/gradient", 20, 1), seriesOf("accuracy", 0.5, 0.6, 0.7),
			seriesOf("commonest/label", 0.5, 0.5, 0.5), seriesOf("commonest/predicted", 0.99, 0.6, 0.5)},
		"diverged":      {seriesOf("loss", 1, 2, math.NaN())},
		"rate too high": {seriesOf("ratio/0_W", 0.01, 0.5, 0.6)},
		"rate too low":  {seriesOf("ratio/0_W", 1e-8, 1e-7), seriesOf("ratio/1_W", 1e-9, 1e-9)},
		"dead units":    {seriesOf("dead/layer1", 0.1, 0.8)},
		"frozen":        {seriesOf("updates/0_W", 0, 0)},
		"learns nothing": {seriesOf("epochLoss", 2.3, 2, 1.5, 1, 0.5),
			seriesOf("heldOutLoss", 2.3, 2.31, 2.4, 2.6, 3)},
		"gradients explode": {seriesOf("norm/gradient", 2, 3e4, 2)},
		"gradients vanish": {seriesOf("ratio/0_W", 3e-6, 3e-6), seriesOf("ratio/1_W", 2e-5, 2e-5),
			seriesOf("ratio/2_W", 1e-2, 1e-2)},
		"saturated units": {seriesOf("saturated/layer0", 0.1, 0.8), seriesOf("updates/0_W", 0, 0)},
		"one class": {seriesOf("accuracy", 0.95, 0.96, 0.96), seriesOf("commonest/label", 0.96, 0.96, 0.96),
			seriesOf("commonest/predicted", 1, 1, 1), seriesOf("epochLoss", 0.3, 0.2, 0.2)},
		"overfits": {seriesOf("epochLoss", 2, 1, 0.5, 0.3, 0.2, 0.1),
			seriesOf("heldOutLoss", 2, 1.1, 1, 1.2, 1.4, 1.6)},
	} {
		r := Run{Title: "run", Series: series}
		hints := r.Hints()
		if kind == "" && len(hints) > 0 || kind != "" && (len(hints) != 1 || hints[0].Kind != kind) {
			t.Errorf("%s: %+v", kind, hints)
		}
		var b strings.Builder
		if err := (Frame{}).WriteRun(&b, &r); err != nil || kind != "" && !strings.Contains(b.String(), hints[0].Title) {
			t.Errorf("%s: the page does not say it (%v)", kind, err)
		}
	}
	for name, c := range map[string]struct {
		kind string // empty: no hint
		run  Run
	}{
		"a first step that replaces the weights": {"rate too high",
			Run{Series: []Series{seriesOf("ratio/0_W", 0.99, 0.05, 0.05, 0.05)}}},
		"a loss that grows": {"diverged", Run{Series: []Series{seriesOf("loss", 1, 1, 1, 1, 2, 3, 4, 5, 6, 7)}}},
		"a held-out loss that rises, as the rate is too high": {"rate too high", Run{Series: []Series{
			seriesOf("ratio/0_W", 0.5, 0.5), seriesOf("epochLoss", 2, 1, 0.5, 0.3, 0.2, 0.1),
			seriesOf("heldOutLoss", 2, 1.1, 1, 1.2, 1.4, 1.6)}}},
		"a held-out loss that rises a little": {"", Run{Series: []Series{seriesOf("epochLoss", 2, 1, 0.5, 0.3, 0.2, 0.1),
			seriesOf("heldOutLoss", 2, 1.1, 1, 1.05, 1.1, 1.15)}}},
		"a frozen layer":    {"frozen", Run{Settings: map[string]string{"frozen parameters": "0_W"}}},
		"a run that failed": {"failed", Run{Failure: "training diverged"}},
		"minibatches of one": {"batch of one",
			Run{Settings: map[string]string{"batch": "1", "batch statistics": "1_mean"}}},
		"minibatches of sixteen": {"", Run{Settings: map[string]string{"batch": "16", "batch statistics": "1_mean"}}},
		"an embedding with SGD": {"", Run{Series: []Series{seriesOf("ratio/0_W", 3e-6),
			seriesOf("ratio/1_W", 1e-3), seriesOf("ratio/2_W", 1e-2)}}},
		"a loss that hardly falls": {"rate too low", Run{Series: []Series{seriesOf("epochLoss", 2.3, 2.29, 2.28),
			seriesOf("heldOutLoss", 2.3, 2.29, 2.28), seriesOf("ratio/0_W", 1e-5, 1e-5)}}},
		"labels that say nothing": {"learns nothing", Run{Series: []Series{seriesOf("epochLoss", 2.6, 2.4, 2.2),
			seriesOf("heldOutLoss", 2.6, 2.5, 2.4), seriesOf("accuracy", 0.11, 0.09, 0.12),
			seriesOf("commonest/label", 0.11, 0.11, 0.11), seriesOf("commonest/predicted", 0.3, 0.2, 0.2)}}},
		"labels that are learned by heart": {"learns nothing", Run{Series: []Series{
			seriesOf("epochLoss", 2, 1, 0.5, 0.3, 0.2, 0.1), seriesOf("heldOutLoss", 2, 1.1, 1, 1.2, 1.4, 1.6),
			seriesOf("accuracy", 0.11, 0.09, 0.12, 0.1, 0.1, 0.1),
			seriesOf("commonest/label", 0.11, 0.11, 0.11, 0.11, 0.11, 0.11),
			seriesOf("commonest/predicted", 0.3, 0.2, 0.2, 0.2, 0.2, 0.2)}}},
		"many classes": {"", Run{Series: []Series{seriesOf("epochLoss", 7, 6.9, 6.8), seriesOf("heldOutLoss", 7, 7, 7),
			seriesOf("accuracy", 0.001, 0.003, 0.005), seriesOf("commonest/label", 0.001, 0.001, 0.001),
			seriesOf("commonest/predicted", 0.3, 0.2, 0.2)}}},
		"held-out examples of the training": {"repeated", settingOf("held-out examples in training", "100 %")},
		"a label among the features":        {"label among features", settingOf("column that tells the label", "leak")},
		"a file sorted by class":            {"other classes", settingOf("class shares that differ", "2 is 0 % of the …")},
		"minibatches by class":              {"sorted", settingOf("minibatches by class", "one class each")},
		"large numbers that are learned":    {"", settingOf("large numbers", "column salary …")},
		"large numbers": {"large numbers", Run{Settings: map[string]string{"large numbers": "column salary …"},
			Series: []Series{seriesOf("epochLoss", 9e9, 9e9, 9e9), seriesOf("r2", -9, -9, -9)}}},
		"all examples in a minibatch": {"few steps", Run{Settings: map[string]string{"batch": "64", "examples": "40"},
			Series: []Series{seriesOf("loss", 2, 1)}}},
		"a small minibatch": {"", Run{Settings: map[string]string{"batch": "16", "examples": "40"},
			Series: []Series{seriesOf("loss", 2, 1)}}},
		"numbers that say nothing": {"learns nothing", Run{Series: []Series{seriesOf("epochLoss", 2, 1.9, 1.9),
			seriesOf("heldOutLoss", 2, 1.9, 1.8), seriesOf("r2", -0.1, -0.02, 0.01)}}},
	} {
		switch h := c.run.Hints(); {
		case c.kind == "" && len(h) > 0, c.kind != "" && (len(h) != 1 || h[0].Kind != c.kind):
			t.Errorf("%s: %v", name, h)
		case c.kind == "few steps" && !strings.Contains(h[0].Text, "so training got only to step "):
			t.Errorf("%s: the hint is %q", name, h[0].Text)
		}
		var b strings.Builder
		if err := (Frame{}).WriteRun(&b, &c.run); err != nil ||
			strings.Contains(b.String(), "class=\"warning\"") == (c.kind == "") {
			t.Errorf("%s: the page's warning is wrong (%v)", name, err)
		}
	}
}
