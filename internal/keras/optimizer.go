package keras

import (
	"fmt"
	"math"
	"strings"

	"github.com/dl4go/dl4go/internal/hdf5"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

// training says how a model was trained.
type training struct {
	updater   updater.Updater
	decay     float64 // of all weights
	clip      layer.GradientNormalization
	threshold float64
	losses    []loss.Loss // of each output
	kind      string      // the optimizer's class in small letters: sgd, adam, rmsprop
	slots     int         // number of arrays for each variable
	shaped    *shaped     // of Adafactor and Muon; nil for others
}

// norms reports whether steps depend on the norms of weights, or of their gradients.
func (t *training) norms() bool {
	u, ok := t.updater.(updater.Weighted)
	return t.clip == layer.ClipL2PerParam || t.shaped != nil || ok && u.PerParameter()
}

// readTraining reads the optimizer.
func readTraining(b *builder) {
	c := b.a.compile
	if c.m == nil {
		b.notices = append(b.notices,
			"the model was not compiled, so that the network has no loss: it can predict, and be a part of another one")
		return
	}
	b.training = &training{clip: layer.NoNormalization, updater: updater.NewSgd()}
	key := "optimizer"
	if c.m[key] == nil {
		key = "optimizer_config"
	}
	if name, ok := c.get(key).(string); ok {
		c.m[key] = map[string]any{"class_name": name}
	}
	o := c.object(key)
	if o.m == nil {
		b.cannot("there is no optimizer in the file")
		return
	}
	class := o.text("class_name", "")
	_, class, _ = strings.Cut(">"+strings.TrimPrefix(class, "Custom>"), ">")
	config := o.object("config")
	if config.m == nil {
		config = newSettings(config.where, map[string]any{})
	}
	readOptimizer(b, class, config)
	readGradients(b, config)
}

// readRate returns the learning rate: from the optimizer's state in Keras 3, and from the configuration otherwise.
func readRate(b *builder, config settings, usual float64) float64 {
	key := "learning_rate"
	if config.m[key] == nil && config.m["lr"] != nil {
		key = "lr"
	}
	if _, ok := config.get(key).(map[string]any); ok {
		b.cannot("the learning rate follows a schedule")
		return usual
	}
	rate := config.float(key, usual)
	if b.a.since(3, 0) {
		if x := b.a.slot(1); x != nil && len(x.Shape()) == 0 {
			if v := must(x.Floats()); len(v) == 1 {
				rate = float64(v[0])
			}
		}
	}
	return rate
}

// readGradients reads the clipping of gradients and the decay of weights.
func readGradients(b *builder, config settings) {
	t := b.training
	if x := config.float("clipnorm", 0); x != 0 {
		t.clip, t.threshold = layer.ClipL2PerParam, x
	}
	if x := config.float("clipvalue", 0); x != 0 {
		t.clip, t.threshold = layer.ClipElementWiseAbsolute, x
	}
	if x := config.float("global_clipnorm", 0); x != 0 {
		b.cannot("the optimizer has a global_clipnorm")
	}
	if config.bool("use_ema", false) {
		b.cannot("the optimizer averages the weights (use_ema)")
	}
	for _, key := range []string{"gradient_accumulation_steps", "loss_scale_factor"} {
		if v := config.get(key); v != nil && v != 1.0 {
			b.cannot("the optimizer has %s", key)
		}
	}
	if math.IsNaN(t.decay) || t.decay < 0 {
		config.wrong("weight_decay", "a positive number")
	}
}

// slotNames lists the optimizer's arrays in order; nil if there are none.
func (a *archive) slotNames() []string {
	if a.slots == nil {
		return nil
	}
	if !a.zip {
		return texts(a.slots, "weight_names")
	}
	var list []string
	for i := range maxLayers * 4 {
		name := fmt.Sprint(i)
		if !a.slots.Has(name) {
			break
		}
		list = append(list, name)
	}
	return list
}

// slot opens an array of the optimizer; nil if there is none.
func (a *archive) slot(i int) *hdf5.Array {
	names := a.slotNames()
	if i >= len(names) {
		return nil
	}
	x, err := a.slots.Array(names[i])
	if err != nil {
		refuse("array %d of the optimizer: %v", i, err)
	}
	return x
}

// restoreTraining sets the counts and the state of the updaters.
func restoreTraining(b *builder, g *nn.Graph, weights []stored) {
	names := b.a.slotNames()
	t := b.training
	if len(names) == 0 || t.losses == nil {
		return
	}
	first := 1 // after the iteration
	switch {
	case b.a.since(3, 0):
		first = 2
	case t.kind == "rmsprop" && !b.a.since(2, 3):
		first = 0
	}
	if first > 0 {
		if x := must(b.a.slot(0).Floats()); len(x) == 1 && x[0] >= 0 && x[0] < 1<<31 {
			g.SetIteration(int(x[0]))
		} else {
			refuse("the optimizer's count of iterations is wrong")
		}
	}
	var learned []stored
	for _, w := range inModelOrder(b, weights) {
		if w.learned && !w.layer.frozen {
			learned = append(learned, w)
		}
	}
	if t.kind == "nadam" && len(names) > first && len(b.a.slot(first).Shape()) == 0 {
		first++ // the product of momentums, which follows from the iteration; later versions store it last
	}
	if t.shaped != nil {
		t.shaped.restore(b, g, learned, first)
		return
	}
	place, want := slotOrder(b, names, first, len(learned))
	if t.slots > 0 && len(names) < want {
		refuse("the optimizer has %d arrays in the file, and %d are needed for %d weights",
			len(names), want, len(learned))
	}
	states := g.ParamStates()
	for i, w := range learned {
		for k := range t.slots {
			restoreSlot(b, w, place(i, k), states, k)
		}
	}
}

// restoreSlot copies an array of the optimizer.
func restoreSlot(b *builder, w stored, at int, states map[string][][]float32, k int) {
	w.put(stateOf(b, states, k), w.slotOf(b, at, w.shape))
}

// slotOf reads an array of the optimizer that belongs to a weight.
func (w stored) slotOf(b *builder, at int, shape []int) []float32 {
	x := b.a.slot(at)
	if x == nil || !sameShape(shape, x.Shape()) {
		refuse("array %d of the optimizer does not have the shape %v for %v", at, shape, w.variable)
	}
	if err := x.Held(); err != nil {
		refuse("array %d of the optimizer: %v", at, err)
	}
	values, err := x.Floats()
	if err != nil {
		refuse("array %d of the optimizer: %v", at, err)
	}
	return values
}

// stateOf returns state array k of parameters.
func stateOf(b *builder, states map[string][][]float32, k int) parameters {
	return func(key string) []float32 {
		key = b.key(key)
		if len(states[key]) <= k {
			refuse("the parameter %s has no state %d", key, k)
		}
		return states[key][k]
	}
}

// slotOrder returns a function for the index of slot k of the i-th of n weights, and the number of arrays.
func slotOrder(b *builder, names []string, first, n int) (place func(i, k int) int, want int) {
	t := b.training
	want = first + t.slots*n
	// Keras 2.2 and TensorFlow's older optimizers, whose names end in m and v, store all arrays of a kind together.
	old := !b.a.since(2, 3) || !b.a.zip && len(names) > first+1 && strings.HasSuffix(names[first], "/m:0")
	switch {
	case t.kind == "sgd" || t.kind == "rmsprop" || old:
		return func(i, k int) int { return first + k*n + i }, want
	case t.slots == 3: // the third arrays of amsgrad follow all others
		return func(i, k int) int {
			if k == 2 {
				return first + 2*n + i
			}
			return first + 2*i + k
		}, want
	}
	return func(i, k int) int { return first + t.slots*i + k }, want
}

// inModelOrder returns the weights in the order of the model: layer by layer.
func inModelOrder(b *builder, weights []stored) []stored {
	of := map[*variable]stored{}
	for _, w := range weights {
		of[w.variable] = w
	}
	var out []stored
	b.model.walk(func(l *kerasLayer) {
		for _, v := range l.vars {
			if w, ok := of[v]; ok {
				out = append(out, w)
			}
		}
	})
	return out
}
