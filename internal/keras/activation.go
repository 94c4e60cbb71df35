package keras

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
)

// readActivation reads the setting of an activation.
func readActivation(b *builder, s settings, key, usual string) activation.Activation {
	v := s.get(key)
	if v == nil {
		v = usual
	}
	config := newSettings(s.where+": "+key, nil)
	name, ok := v.(string)
	if o, object := v.(map[string]any); object {
		name, _ = o["class_name"].(string)
		switch c := o["config"].(type) {
		case string: // a function's name
			name = c
		case map[string]any:
			if name == "function" {
				name, _ = c["name"].(string)
				break
			}
			config = newSettings(config.where, c)
		}
		ok = name != ""
	}
	if !ok {
		s.wrong(key, "the name of an activation")
	}
	a := functionOf(b, config, name)
	if a == nil {
		s.refuse("%s is %s: this activation is not known", key, shown(name))
	}
	config.finish()
	return a
}

// functionOf returns the activation of that name; nil if there is none.
func functionOf(b *builder, config settings, name string) activation.Activation {
	switch plain(name) {
	case "linear":
		return activation.Identity{}
	case "relu":
		return relu(config, 0)
	case "relu6":
		return activation.ReLU6{}
	case "leakyrelu":
		usual := 0.2
		if !b.a.since(3, 0) {
			usual = 0.3
		}
		return leaky(slope(config, usual))
	case "elu":
		return elu(config.float("alpha", 1))
	case "selu":
		return activation.SELU{}
	case "sigmoid":
		return activation.Sigmoid{}
	case "hardsigmoid":
		if b.a.since(3, 0) {
			return activation.HardSigmoid6{}
		}
		return activation.HardSigmoid{}
	case "tanh":
		return activation.TanH{}
	case "hardtanh":
		return activation.HardTanH{}
	case "softmax":
		if axis := config.list("axis", -8); axis != nil && (len(axis) != 1 || axis[0] != -1) {
			config.refuse("the axis is not the last one, which only the layer Softmax may have")
		}
		return activation.Softmax{}
	case "softplus":
		return activation.SoftPlus{}
	case "softsign":
		return activation.SoftSign{}
	case "swish", "silu":
		return activation.Swish{}
	case "mish":
		return activation.Mish{}
	}
	return ownFunction(config, name)
}

// ownFunction returns an activation that Deeplearning4j does not have.
func ownFunction(config settings, name string) activation.Activation {
	switch plain(name) {
	case "gelu":
		if config.bool("approximate", false) {
			return activation.GELUTanh{}
		}
		return activation.GELUExact{}
	case "exponential":
		return activation.Exponential{}
	case "logsoftmax":
		return activation.LogSoftmax{}
	case "logsigmoid":
		return activation.LogSigmoid{}
	case "hardsilu", "hardswish":
		return activation.HardSwish{}
	case "celu":
		return activation.CELU{Alpha: config.float("alpha", 1)}
	case "tanhshrink":
		return activation.TanhShrink{}
	case "softshrink":
		return activation.SoftShrink{Threshold: config.float("threshold", 0.5)}
	case "hardshrink":
		return activation.HardShrink{Threshold: config.float("threshold", 0.5)}
	case "squareplus":
		return activation.SquarePlus{B: config.float("b", 4)}
	case "sparseplus":
		return activation.SparsePlus{}
	case "sparsesigmoid":
		return activation.SparseSigmoid{}
	}
	return nil
}

// slope returns the slope of the negative half, which has two names.
func slope(s settings, usual float64) float64 {
	return s.float("negative_slope", s.float("alpha", usual))
}

// leaky returns a leaky ReLU; with a slope of 0, a ReLU.
func leaky(slope float64) activation.Activation {
	if slope == 0 {
		return activation.ReLU{}
	}
	return activation.LReLU{Alpha: slope}
}

// elu returns an ELU; with an alpha of 0, a ReLU.
func elu(alpha float64) activation.Activation {
	if alpha == 0 {
		return activation.ReLU{}
	}
	return activation.ELU{Alpha: alpha}
}

// relu reads the settings of a ReLU.
func relu(s settings, usual float64) activation.Activation {
	var a activation.ReLU
	if s.get("max_value") != nil {
		x := s.float("max_value", 0)
		a.Max = &x
	}
	if x := slope(s, usual); x != 0 {
		a.NegativeSlope = &x
	}
	if x := s.float("threshold", 0); x != 0 {
		a.Threshold = &x
	}
	return a
}

// activate reads the layer Activation.
func activate(b *builder, l *kerasLayer, in value) value {
	return addActivation(b, l, in, readActivation(b, l.settings, "activation", "linear"))
}

// addActivation adds an activation as a layer.
func addActivation(b *builder, l *kerasLayer, in value, a activation.Activation) value {
	out := in
	out.from = b.add(l.name, layer.Activate{Activation: a}, in.from)
	return out
}

// advanced reads the layers that are activations with settings.
func advanced(b *builder, l *kerasLayer, in value) value {
	switch l.class {
	case "ReLU":
		return addActivation(b, l, in, relu(l.settings, 0))
	case "LeakyReLU":
		return addActivation(b, l, in, leaky(slope(l.settings, 0.3)))
	case "ELU":
		return addActivation(b, l, in, elu(l.float("alpha", 1)))
	case "ThresholdedReLU":
		theta := l.float("theta", 1)
		if theta == 0 {
			return addActivation(b, l, in, activation.ReLU{})
		}
		return addActivation(b, l, in, activation.ThresholdedReLU{Theta: theta})
	}
	return softmax(b, l, in)
}

// softmax reads the layer Softmax, along any dimension.
func softmax(b *builder, l *kerasLayer, in value) value {
	axes := l.list("axis", -8)
	if axes == nil {
		axes = []int{-1}
	}
	if len(axes) != 1 {
		l.wrong("axis", "one dimension")
	}
	n := in.rank()
	axis := l.axis(axes[0], n)
	if axis == n {
		return addActivation(b, l, in, activation.Softmax{})
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i + 1
	}
	order[axis-1], order[n-1] = n, axis
	swapped := func(t value, name string) value {
		shape := append([]int{}, t.shape...)
		shape[axis-1], shape[n-1] = shape[n-1], shape[axis-1]
		return b.rearranged(name, t, order, nil, shape...)
	}
	return swapped(addActivation(b, l, swapped(in, l.name+"-swapped"), activation.Softmax{}), l.name+"-back")
}

// axis converts an axis: the result counts the n dimensions after the batch's from 1. Negative ones count from the
// end.
func (l *kerasLayer) axis(axis, n int) int {
	if axis < 0 {
		axis += n + 1
	}
	if axis < 1 || axis > n {
		l.refuse("the axis %d is none of the %d after the batch's", axis, n)
	}
	return axis
}

// prelu reads the layer PReLU, which has learned slopes.
func prelu(b *builder, l *kerasLayer, in value) value {
	shape := append([]int{}, in.shape...)
	shared := l.list("shared_axes", 1)
	for _, a := range shared {
		if a > len(shape) {
			l.refuse("shared_axes has %d, and its input %d dimensions", a, len(shape))
		}
		shape[a-1] = 1
	}
	if in.rank() == 0 || size(shape) < 1 {
		l.refuse("its input has the shape %s: the extents of slopes that are not shared must be known", dims(in.shape))
	}
	order := make([]int, len(shape))
	axes := make([]int, len(shape))
	for i := range order {
		order[i], axes[i] = len(shape)-1-i, i
	}
	w := layer.PReLU{Base: trainedBase(b, l, weight{keras: "alpha", ours: "W", axes: axes}),
		InputShape: shape, SharedAxes: shared}
	name := b.add(l.name, l.freeze(w), in.from)
	b.own(l, "vars", "alpha", true, shape, transposed(name+"_W", shape, order...))
	out := in
	out.from = name
	return out
}
