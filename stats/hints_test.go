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

// TestHints: each common mistake has its hint, and a good run has none.
func TestHints(t *testing.T) {
	falling := []float64{2, 1.5, 1.2, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.45, 0.4}
	for kind, series := range map[string][]Series{
		"": {seriesOf("loss", falling...), seriesOf("epochLoss", falling...), seriesOf("heldOutLoss", falling...),
			seriesOf("ratio/0_W", 1e-3, 2e-3), seriesOf("ratio/0_b", 5, 5), seriesOf("dead/layer0", 0.9, 0.1),
			seriesOf("updates/0_W", 1, 1)},
		"diverged":      {seriesOf("loss", 1, 2, math.NaN())},
		"rate too high": {seriesOf("ratio/0_W", 0.01, 0.5, 0.6)},
		"rate too low":  {seriesOf("ratio/0_W", 1e-8, 1e-7), seriesOf("ratio/1_W", 1e-9, 1e-9)},
		"dead units":    {seriesOf("dead/layer1", 0.1, 0.8)},
		"frozen":        {seriesOf("updates/0_W", 0, 0)},
		"learns nothing": {seriesOf("epochLoss", 2.3, 2, 1.5, 1, 0.5),
			seriesOf("heldOutLoss", 2.3, 2.31, 2.4, 2.6, 3)},
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
	leaps := Run{Series: []Series{seriesOf("ratio/0_W", 0.99, 0.05, 0.05, 0.05)}}
	if h := leaps.Hints(); len(h) != 1 || h[0].Kind != "rate too high" {
		t.Errorf("a first step that replaces the weights: %v", h)
	}
	grows := Run{Series: []Series{seriesOf("loss", 1, 1, 1, 1, 2, 3, 4, 5, 6, 7)}}
	if h := grows.Hints(); len(h) != 1 || h[0].Kind != "diverged" {
		t.Errorf("a loss that grows: %v", h)
	}
	both := Run{Series: []Series{seriesOf("ratio/0_W", 0.5, 0.5), seriesOf("epochLoss", 2, 1, 0.5, 0.3, 0.2, 0.1),
		seriesOf("heldOutLoss", 2, 1.1, 1, 1.2, 1.4, 1.6)}}
	if h := both.Hints(); len(h) != 1 || h[0].Kind != "rate too high" {
		t.Errorf("a held-out loss that rises, as the rate is too high: %v", h)
	}
	frozen := Run{Settings: map[string]string{"frozen parameters": "0_W"}}
	if h := frozen.Hints(); len(h) != 1 || h[0].Kind != "frozen" {
		t.Errorf("a frozen layer: %v", h)
	}
}
