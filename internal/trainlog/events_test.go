package trainlog

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/train"
)

// TestHeldOutFigures: the line of an epoch says which figures are of held-out data, and JSON has the same figures.
func TestHeldOutFigures(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		figures train.Figures
		line    string
		json    event
	}{
		{train.Figures{}, "", event{}},
		{train.Figures{HeldOut: at(0.6589), Accuracy: at(0.8986)}, "held out: loss 0.6589, accuracy 0.8986",
			event{"heldOutLoss": 0.6589, "accuracy": 0.8986}},
		{train.Figures{HeldOut: at(2), R2: at(0.5), MAE: at(3)}, "held out: loss 2, R² 0.5000",
			event{"heldOutLoss": 2.0, "testScore": 2.0, "r2": 0.5, "mae": 3.0}},
		{train.Figures{HeldOut: at(0.5), Accuracy: at(0.75), Measures: []train.Measure{{Name: "mcc", Value: 0.25}},
			Metric: &train.Metric{Name: "f1", Score: 0.7, Best: true}},
			"held out: loss 0.5, accuracy 0.7500, mcc 0.25, f1 0.7 best",
			event{"heldOutLoss": 0.5, "accuracy": 0.75, "mcc": 0.25, "f1": 0.7, "best": true}},
	} {
		e := event{}
		if line := strings.Join(heldOutFigures(train.EpochEnded{Figures: c.figures}, e), " "); line != c.line {
			t.Errorf("the line has %q, want %q", line, c.line)
		}
		if len(e) != len(c.json) {
			t.Errorf("%s: JSON has %v, want %v", c.line, e, c.json)
		}
		for name, want := range c.json {
			if e[name] != want {
				t.Errorf("%s: %s is %v, want %v", c.line, name, e[name], want)
			}
		}
	}
}
