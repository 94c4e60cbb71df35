package tune

import (
	"cmp"
	"math"

	"github.com/dl4go/dl4go/data/source"
)

// Epoch holds the results of an epoch of a trial. Figures that are not finite are nil.
type Epoch struct {
	Score    *float64 `json:"score"` // the mean loss of the training examples
	Loss     *float64 `json:"loss"`  // on the held-out data, like the following ones
	Accuracy *float64 `json:"accuracy,omitempty"`
	R2       *float64 `json:"r2,omitempty"`
	MAE      *float64 `json:"mae,omitempty"`
}

// Trial is a network with its own settings, and its results.
type Trial struct {
	Number   int // from 1
	Settings Settings
	Epochs   []Epoch
	Diverged string // why it can't be used; empty if it can
	Seconds  float64
}

// Metrics are the scores that a search can use.
var Metrics = []string{"loss", "accuracy", "r2", "mae"}

// UsualMetric returns the default score for data like this.
func UsualMetric(info source.Info) string {
	switch {
	case info.Classes > 0:
		return "accuracy"
	case info.Task == source.Regression:
		return "r2"
	}
	return "loss"
}

// HasMetric reports whether data like this has a score of this name.
func HasMetric(info source.Info, metric string) bool {
	switch metric {
	case "accuracy":
		return info.Classes > 0
	case "r2", "mae":
		return info.Classes == 0 && info.Task == source.Regression
	}
	return metric == "loss"
}

// Of returns the figure of a metric; nil if the epoch has none.
func (e Epoch) Of(metric string) *float64 {
	switch metric {
	case "accuracy":
		return e.Accuracy
	case "r2":
		return e.R2
	case "mae":
		return e.MAE
	}
	return e.Loss
}

// compare is negative if e is the better epoch.
func (e Epoch) compare(o Epoch, metric string) int {
	return cmp.Or(cmp.Compare(e.cost(metric), o.cost(metric)), cmp.Compare(e.cost("loss"), o.cost("loss")))
}

// cost is lower for better epochs.
func (e Epoch) cost(metric string) float64 {
	switch x := e.Of(metric); {
	case x == nil:
		return math.Inf(1)
	case metric == "accuracy" || metric == "r2":
		return -*x
	default:
		return *x
	}
}

// Best returns the index of the best of the first epochs; -1 if there is none. Of equal ones it is the first.
func (t *Trial) Best(metric string, epochs int) int {
	best := -1
	for i, e := range t.Epochs[:min(epochs, len(t.Epochs))] {
		if e.Loss != nil && (best < 0 || e.compare(t.Epochs[best], metric) < 0) {
			best = i
		}
	}
	return best
}

// usable reports whether the trial can be the best.
func (t *Trial) usable(epochs int, metric string) bool {
	return t.Diverged == "" && t.Best(metric, epochs) >= 0
}

// compare is negative if t is better after the given epochs. No two trials are equal.
func (t *Trial) compare(o *Trial, metric string, epochs int) int {
	a, b := t.usable(epochs, metric), o.usable(epochs, metric)
	switch {
	case a && !b:
		return -1
	case b && !a:
		return 1
	case a && b:
		x, y := t.Epochs[t.Best(metric, epochs)], o.Epochs[o.Best(metric, epochs)]
		if c := x.compare(y, metric); c != 0 {
			return c
		}
	}
	return cmp.Compare(t.Number, o.Number)
}

// Score returns the best score by a metric; nil if there is none.
func (t *Trial) Score(metric string) *float64 {
	if i := t.Best(metric, len(t.Epochs)); i >= 0 {
		return t.Epochs[i].Of(metric)
	}
	return nil
}
