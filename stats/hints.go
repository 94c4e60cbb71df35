package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Hint describes in plain language a likely mistake in a run's learning, and its remedy.
type Hint struct {
	// Kind is one of "diverged", "rate too high", "rate too low", "dead units", "frozen", "overfits", "learns nothing".
	Kind        string
	Title, Text string
}

// Hints looks for common mistakes in the series.
func (r *Run) Hints() []Hint {
	var out []Hint
	for _, find := range []func() (Hint, bool){r.diverged, r.restless, r.still, r.dead, r.frozen, r.learnsNothing} {
		if h, ok := find(); ok {
			out = append(out, h)
		}
	}
	if len(out) > 0 { // these may be the reason
		return out
	}
	if h, ok := r.overfits(); ok {
		out = append(out, h)
	}
	return out
}

// diverged: the loss is not finite, or ends far above its beginning.
func (r *Run) diverged() (h Hint, ok bool) {
	loss := r.named("loss")
	if i := slices.IndexFunc(loss.Values, math.IsNaN); i >= 0 {
		return Hint{"diverged", "Training diverged.", fmt.Sprintf("The loss is not a finite number from iteration %d on. "+
			"Lower the learning rate, clip gradients, or normalize the data.", loss.Iterations[i])}, true
	}
	n := len(loss.Values)
	if n < 10 {
		return h, false
	}
	first, last := median(loss.Values[:n/5+1]), median(loss.Values[n-n/5-1:])
	if last > 1.5*first {
		return Hint{"diverged", "The loss grows.", fmt.Sprintf("It was about %s at the beginning and is about %s at the "+
			"end. Lower the learning rate.", figure(first), figure(last))}, true
	}
	return h, false
}

// ratios returns the median update-to-parameter ratio of each weight, and the first one. Biases, which start at zero,
// are left out.
func (r *Run) ratios() (names []string, medians, firsts []float64) {
	for _, s := range r.Series {
		name, ok := strings.CutPrefix(s.Name, "ratio/")
		if !ok || strings.HasSuffix(name, "_b") || len(s.Values) == 0 {
			continue
		}
		names, medians = append(names, name), append(medians, median(s.Values))
		firsts = append(firsts, s.Values[0])
	}
	return names, medians, firsts
}

// restless: updates are large compared with the parameters.
func (r *Run) restless() (h Hint, ok bool) {
	names, medians, firsts := r.ratios()
	for i, ratio := range medians {
		if firsts[i] > 0.3 { // Adam's first update is as large as any of its updates can be
			ratio = firsts[i]
		}
		if ratio > 0.1 {
			return Hint{"rate too high", "Updates are too large.", fmt.Sprintf("A step changes parameter %s by %s of its "+
				"magnitude; 0.001 is usual. Lower the learning rate, 10 times for a start.", names[i], figure(ratio))}, true
		}
	}
	return h, false
}

// still: updates are tiny in all layers.
func (r *Run) still() (h Hint, ok bool) {
	names, ratios, _ := r.ratios()
	if len(ratios) == 0 || slices.Max(ratios) >= 1e-6 || slices.Max(ratios) == 0 {
		return h, false
	}
	i := slices.Index(ratios, slices.Max(ratios))
	return Hint{"rate too low", "Updates are tiny.", fmt.Sprintf("Even parameter %s changes by %s of its magnitude in a "+
		"step; 0.001 is usual. Raise the learning rate.", names[i], figure(ratios[i]))}, true
}

// dead: at the end, half of a layer's units are 0 for a whole minibatch.
func (r *Run) dead() (h Hint, ok bool) {
	for _, s := range r.Series {
		name, is := strings.CutPrefix(s.Name, "dead/")
		if last, has := s.Last(); is && has && last >= 0.5 {
			return Hint{"dead units", "Units are dead.", fmt.Sprintf("%.0f %% of the units of layer %s are 0 for all examples "+
				"of a minibatch, so they don't learn. Lower the learning rate, or use leakyrelu or elu instead of relu.",
				100*last, name)}, true
		}
	}
	return h, false
}

// frozen: some parameters are not trained.
func (r *Run) frozen() (h Hint, ok bool) {
	if names := r.Settings["frozen parameters"]; names != "" {
		return Hint{"frozen", "Some parameters are frozen.", fmt.Sprintf("Training does not change %s. If that is not "+
			"transfer learning on purpose, unfreeze their layers.", names)}, true
	}
	for _, s := range r.Series {
		name, is := strings.CutPrefix(s.Name, "updates/")
		if is && len(s.Values) > 1 && slices.Max(s.Values) == 0 {
			return Hint{"frozen", "A parameter does not move.", fmt.Sprintf("Parameter %s had no update. Is its learning rate "+
				"0, or does nothing reach it?", name)}, true
		}
	}
	return h, false
}

// learnsNothing: the held-out loss never improved on the first epoch's by more than 2 %.
func (r *Run) learnsNothing() (h Hint, ok bool) {
	held, epochs := r.named("heldOutLoss"), r.named("epochLoss")
	if len(held.Values) < 3 || len(epochs.Values) < 3 {
		return h, false
	}
	first, best := held.Values[0], slices.Min(held.Values)
	if !(best > 0.98*first) {
		return h, false
	}
	text := fmt.Sprintf("The held-out loss began at %s and never fell below %s. ", figure(first), figure(best))
	if last, _ := epochs.Last(); last < 0.9*epochs.Values[0] {
		text += "The training loss falls, so the network learns its examples by heart: do labels belong to their rows?"
	} else {
		text += "Neither does the training loss fall: check the labels, the normalization and the learning rate."
	}
	return Hint{"learns nothing", "Held-out data does not get better.", text}, true
}

// overfits: the held-out loss has been rising for long while the training loss fell.
func (r *Run) overfits() (h Hint, ok bool) {
	held, epochs := r.named("heldOutLoss"), r.named("epochLoss")
	n := len(held.Values)
	if n < 5 || len(epochs.Values) != n || slices.ContainsFunc(held.Values, math.IsNaN) {
		return h, false
	}
	best := slices.Index(held.Values, slices.Min(held.Values))
	if best == 0 || best > n-3 || held.Values[n-1] < 1.1*held.Values[best] || epochs.Values[n-1] >= epochs.Values[best] {
		return h, false
	}
	return Hint{"overfits", "The network overfits.", fmt.Sprintf("The held-out loss was best after epoch %d (%s) and has "+
		"risen to %s since, while the training loss fell. Stop early, or add dropout or l2.", best+1,
		figure(held.Values[best]), figure(held.Values[n-1]))}, true
}

func median(v []float64) float64 {
	s := slices.DeleteFunc(slices.Clone(v), math.IsNaN)
	if len(s) == 0 {
		return math.NaN()
	}
	slices.Sort(s)
	return s[len(s)/2]
}
