package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The limits of hints about the inside of a network.
const (
	largeRatio    = 0.1  // of updates to weights
	largeFirst    = 0.3  // the same for the first step: Adam's is as large as any of its updates can be
	tinyRatio     = 1e-6 // of all layers
	vanishedRatio = 1e-5 // of the first layer
	vanishedBy    = 1e3  // how many times more another layer must move
	largeNorm     = 1e3  // of the gradient
	deadShare     = 0.5  // of a layer's units
	saturateShare = 0.75
)

// alone: batch normalization with minibatches of one example.
func (x examination) alone() (h Hint, ok bool) {
	names := x.run.Settings["batch statistics"]
	if names == "" || x.run.Settings["batch"] != "1" {
		return h, false
	}
	return Hint{"batch of one", "Batch normalization needs larger minibatches.", fmt.Sprintf("It subtracts the mean of "+
		"the minibatch (%s). One example is its own mean, so nothing of it is left. Take minibatches of 16 or more.",
		names)}, true
}

// restless: updates are large compared with the weights.
func (x examination) restless() (h Hint, ok bool) {
	for _, of := range x.ratios() {
		size := of.median
		if of.first > largeFirst {
			size = of.first
		}
		if size > largeRatio {
			return Hint{"rate too high", "Updates are too large.", fmt.Sprintf("A step changes parameter %s by %s of its "+
				"magnitude; 0.001 is usual. Lower the learning rate, 10 times for a start. If the data is not normalized, "+
				"do that first.", of.name, figure(size))}, true
		}
	}
	return h, false
}

// explodes: the norm of the gradient is very large at some step.
func (x examination) explodes() (h Hint, ok bool) {
	s := x.run.named("norm/gradient")
	for i, norm := range s.Values {
		if norm > largeNorm {
			return Hint{"gradients explode", "Gradients are very large.", fmt.Sprintf("The norm of the gradient was %s at "+
				"iteration %d; 0.1 to 10 is usual. Normalize features and labels, begin with smaller weights, or clip gradients "+
				"(gradientNormalization).", figure(norm), s.Iterations[i])}, true
		}
	}
	return h, false
}

// still: updates are tiny in all layers.
func (x examination) still() (h Hint, ok bool) {
	all := x.ratios()
	if len(all) == 0 {
		return h, false
	}
	if most := largest(all); most.median < tinyRatio && most.median > 0 {
		return Hint{"rate too low", "Updates are tiny.", fmt.Sprintf("Even parameter %s changes by %s of its magnitude in a "+
			"step; 0.001 is usual. Raise the learning rate.", most.name, figure(most.median))}, true
	}
	return h, false
}

// vanishes: the updates of the first two layers are tiny, and a later layer learns. A first layer alone may be an
// embedding, whose minibatches use few of its rows.
func (x examination) vanishes() (h Hint, ok bool) {
	all := x.ratios()
	if len(all) < 3 {
		return h, false
	}
	first, second, most := all[0], all[1], largest(all)
	if !(first.median < vanishedRatio && first.median > 0 && second.median < healthyRatio[0] &&
		most.median > vanishedBy*first.median && most.median > healthyRatio[0]) {
		return h, false
	}
	return Hint{"gradients vanish", "Gradients vanish on their way back.", fmt.Sprintf("A step changes parameter %s by "+
		"%s of its magnitude, but %s by only %s, so the first layers do not learn. Use relu instead of sigmoid or tanh, "+
		"fewer layers, or batch normalization.", most.name, figure(most.median), first.name, figure(first.median))}, true
}

// dead: at the end, half of a layer's units are 0 for a whole minibatch.
func (x examination) dead() (h Hint, ok bool) {
	name, share := x.worst("dead/")
	if share < deadShare {
		return h, false
	}
	return Hint{"dead units", "Units are dead.", fmt.Sprintf("%.0f %% of the units of layer %s are 0 for all examples "+
		"of a minibatch, so they don't learn. Lower the learning rate, or use leakyrelu or elu instead of relu.",
		100*share, name)}, true
}

// saturated: at the end, most activations of a layer are at the ends of their function's range.
func (x examination) saturated() (h Hint, ok bool) {
	name, share := x.worst("saturated/")
	if share < saturateShare {
		return h, false
	}
	return Hint{"saturated units", "Units are saturated.", fmt.Sprintf("%.0f %% of the activations of layer %s are at "+
		"the ends of the range of its sigmoid or tanh, where gradients are almost 0. Normalize the data, begin with "+
		"smaller weights and biases, lower the learning rate, or use relu.", 100*share, name)}, true
}

// worst returns the layer whose last figure is the largest, the first one of equal ones. The figures' names begin with
// prefix.
func (x examination) worst(prefix string) (name string, most float64) {
	most = -1
	for _, s := range x.run.Series {
		of, is := strings.CutPrefix(s.Name, prefix)
		if last, has := s.Last(); is && has && last > most {
			name, most = of, last
		}
	}
	return name, most
}

// frozen: some parameters are not trained.
func (x examination) frozen() (h Hint, ok bool) {
	names := x.run.Settings["frozen parameters"]
	return Hint{"frozen", "Some parameters are frozen.", fmt.Sprintf("Training does not change %s. If that is not "+
		"transfer learning on purpose, unfreeze their layers.", names)}, names != ""
}

// unmoved: a parameter that is trained had no update at any step.
func (x examination) unmoved() (h Hint, ok bool) {
	for _, s := range x.run.Series {
		name, is := strings.CutPrefix(s.Name, "updates/")
		if is && len(s.Values) > 1 && slices.Max(s.Values) == 0 && !slices.ContainsFunc(s.Values, math.IsNaN) {
			why := "Is its learning rate 0, or does nothing reach it?"
			if x.run.Settings["frozen parameters"] != "" {
				why = "Is its learning rate 0, or is a frozen layer after it? That passes no gradient on; a " +
					"FrozenLayerWithBackprop does."
			}
			return Hint{"frozen", "A parameter does not move.", fmt.Sprintf("Parameter %s had no update. %s", name, why)}, true
		}
	}
	return h, false
}
