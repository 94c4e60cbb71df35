package keras

import (
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
)

// plainBase returns the training settings that all layers share, without regularization.
func plainBase(b *builder) layer.Base {
	base := layer.Base{Regularization: []regularization.Regularization{},
		RegularizationBias: []regularization.Regularization{}}
	if t := b.training; t != nil {
		base.Updater = t.updater
		if t.decay != 0 {
			decay := regularization.NewDecoupledDecay(t.decay)
			base.Regularization, base.RegularizationBias = append(base.Regularization, decay), append(base.RegularizationBias,
				decay)
		}
		base.GradientNormalization, base.GradientNormalizationThreshold = t.clip, t.threshold
	}
	if base.Updater == nil {
		base.Updater = updater.NewSgd()
	}
	return base
}

// trainedBase adds a layer's regularizers and constraints to plainBase. weights holds, for each of the layer's
// weights, Keras' name, our parameter, and our axis for each of Keras' axes.
func trainedBase(b *builder, l *kerasLayer, weights ...weight) layer.Base {
	base := plainBase(b)
	for i, w := range weights {
		r := readRegularizer(b, l, w.keras+"_regularizer")
		c := readConstraint(b, l, w)
		if c != nil {
			base.Constraints = append(base.Constraints, c)
		}
		switch {
		case w.bias:
			base.RegularizationBias = append(base.RegularizationBias, r...)
		case i == 0:
			base.Regularization = append(base.Regularization, r...)
		case len(r) != len(readRegularizer(b, l,
			weights[0].keras+"_regularizer")) || len(r) > 0 &&
			!sameRegularizers(r, readRegularizer(b, l, weights[0].keras+"_regularizer")):
			b.cannot("layer %s has other regularizers for its %s than for its %s", l.name, w.keras,
				weights[0].keras)
		}
	}
	if b.training != nil && b.training.shaped != nil {
		b.training.shaped.settle(b, l, &base, weights)
	}
	return base
}

func sameRegularizers(a, c []regularization.Regularization) bool {
	for i := range a {
		if a[i].Phase() != c[i].Phase() || a[i].Coefficient(0, 0) != c[i].Coefficient(0, 0) {
			return false
		}
		_, l2 := a[i].(regularization.L2)
		if _, other := c[i].(regularization.L2); l2 != other {
			return false
		}
	}
	return true
}

// weight is a parameter with Keras' name and ours.
type weight struct {
	keras, ours string
	axes        []int // our axis for each of Keras', or one of the following
	bias        bool
}

// Axes without one of ours.
const (
	ofOne   = -1 - iota // it has one element
	divided             // its elements are in several parameters, or along several axes
)

// readRegularizer reads a regularizer. Keras' L2 has no ½.
func readRegularizer(b *builder, l *kerasLayer, key string) (out []regularization.Regularization) {
	if l.get(key) == nil {
		return nil
	}
	if name, ok := l.m[key].(string); ok {
		l.m[key] = map[string]any{"class_name": name, "config": map[string]any{"l1": 0.01, "l2": 0.01}}
	}
	o := l.object(key)
	config := o.object("config")
	class := plain(o.text("class_name", ""))
	if class != "l1" && class != "l2" && class != "l1l2" {
		b.cannot("layer %s: the %s %s has no counterpart", l.name, key, shown(o.m["class_name"]))
		return nil
	}
	if x := config.float("l1", 0); x != 0 && class != "l2" {
		out = append(out, regularization.NewL1(x))
	}
	if x := config.float("l2", 0); x != 0 && class != "l1" {
		out = append(out, regularization.NewL2(2*x))
	}
	return out
}

// readConstraint reads a constraint on a weight.
func readConstraint(b *builder, l *kerasLayer, w weight) regularization.Constraint {
	key := w.keras + "_constraint"
	if l.get(key) == nil {
		return nil
	}
	if name, ok := l.m[key].(string); ok {
		l.m[key] = map[string]any{"class_name": name}
	}
	o := l.object(key)
	config := o.object("config")
	axes := config.list("axis", 0)
	if axes == nil {
		axes = []int{0}
	}
	class := plain(o.text("class_name", ""))
	target := regularization.Target{Epsilon: 1e-7, Params: []string{w.ours}}
	if class == "nonneg" {
		return regularization.NonNegative{Target: target}
	}
	for _, a := range axes {
		if a >= len(w.axes) {
			o.refuse("axis %d of its %s, which has %d", a, w.keras, len(w.axes))
		}
		if w.axes[a] == divided {
			b.cannot("layer %s is a convolution in groups, and its %s takes norms of several filters", l.name, key)
			return nil
		}
		if w.axes[a] != ofOne {
			target.Dimensions = append(target.Dimensions, w.axes[a])
		}
	}
	if len(target.Dimensions) == 0 {
		b.cannot("layer %s: its %s takes norms of single elements", l.name, key)
		return nil
	}
	switch class {
	case "maxnorm":
		return regularization.MaxNorm{Max: config.float("max_value", 2), Target: target}
	case "unitnorm":
		return regularization.UnitNorm{Target: target}
	case "minmaxnorm":
		least, most, rate := config.float("min_value", 0), config.float("max_value", 1), config.float("rate", 1)
		if rate != 1 {
			return regularization.PartMinMaxNorm{Min: least, Max: most, Rate: rate, Target: target}
		}
		return regularization.MinMaxNorm{Min: least, Max: most, Rate: 1, Target: target}
	}
	b.cannot("layer %s: the %s %s has no counterpart", l.name, key, shown(o.m["class_name"]))
	return nil
}
