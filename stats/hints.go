package stats

import (
	"math"
	"slices"
	"strings"
)

// Hint describes in plain language a likely mistake in a run's learning, and its remedy.
type Hint struct {
	// Kind is one of "diverged", "gradients explode", "rate too high", "rate too low", "gradients vanish", "dead units",
	// "saturated units", "frozen", "batch of one", "one class", "learns nothing", "overfits", "failed", "few steps",
	// "large numbers", "sorted", "other classes", "repeated", "label among features".
	Kind        string
	Title, Text string
}

// Hints looks for common mistakes in the series and the settings. A mistake that explains others hides them: a
// learning rate that is too high also makes the network learn nothing, for example.
func (r *Run) Hints() []Hint {
	x := examination{r}
	var out []Hint
	for _, causes := range [][]func() (Hint, bool){
		{x.failed, x.alone, x.sorted, x.otherClasses, x.large, x.diverged, x.restless, x.explodes, x.still, x.vanishes,
			x.dead, x.saturated, x.frozen},
		{x.unmoved, x.oneClass, x.fewSteps, x.crawls},
		{x.learnsNothing},
		{x.overfits},
	} {
		for _, find := range causes {
			if h, ok := find(); ok {
				out = append(out, h)
			}
		}
		if settles(out) {
			break
		}
	}
	for _, find := range []func() (Hint, bool){x.repeated, x.leaks} { // learning would not show them
		if h, ok := find(); ok {
			out = append(out, h)
		}
	}
	return out
}

// examination looks for mistakes in a run.
type examination struct{ run *Run }

// settles reports whether the hints explain why held-out data does not get better. Parameters that are frozen do not:
// they may be frozen on purpose.
func settles(found []Hint) bool {
	return slices.ContainsFunc(found, func(h Hint) bool { return h.Kind != "frozen" })
}

// ratio is the update-to-parameter ratio of a weight: its median over the run, and its first one.
type ratio struct {
	name          string
	median, first float64
}

// ratios returns those of the weights, in the order of the layers.
func (x examination) ratios() (all []ratio) {
	for _, s := range x.run.Series {
		if name, ok := strings.CutPrefix(s.Name, "ratio/"); ok && len(s.Values) > 0 {
			all = append(all, ratio{name, median(s.Values), s.Values[0]})
		}
	}
	return all
}

// largest returns the weight that moves most.
func largest(all []ratio) ratio {
	return slices.MaxFunc(all, func(a, b ratio) int {
		switch {
		case a.median < b.median:
			return -1
		case a.median > b.median:
			return 1
		}
		return 0
	})
}

func median(v []float64) float64 {
	s := slices.DeleteFunc(slices.Clone(v), math.IsNaN)
	if len(s) == 0 {
		return math.NaN()
	}
	slices.Sort(s)
	return s[len(s)/2]
}

// lateMedian returns the median of the second half.
func lateMedian(v []float64) float64 { return median(v[len(v)/2:]) }
