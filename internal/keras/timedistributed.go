package keras

import (
	"slices"
	"strings"

	"github.com/dl4go/dl4go/nn/layer"
)

// timeDistributed applies a layer to each step. Layers that act on the last dimension need no change. Others get an
// additional dimension: images become volumes, over which a kernel moves step by step.
func timeDistributed(b *builder, l *kerasLayer, in value) value {
	o := l.object("layer")
	if o.m == nil {
		l.refuse("layer is missing")
	}
	if in.rank() < 2 {
		l.refuse("its input has the shape %s: sequences are needed", dims(in.shape))
	}
	class := o.text("class_name", "")
	config := o.object("config")
	inner := &kerasLayer{settings: newSettings(l.where+": layer of class "+shown(class),
		config.m), name: l.name, class: class,
		frozen: l.frozen, lowered: l.lowered, vars: l.vars}
	inner.scope = "/" + inner.text("name", "")
	inner.check(o, b.a)
	inner.frozen = inner.frozen || !inner.bool("trainable", true)
	before := len(l.vars)
	out := lowerStep(b, inner, in)
	inner.finish()
	if inner.get("activity_regularizer") != nil {
		b.cannot("layer %s has an activity_regularizer", l.name)
	}
	l.vars, l.frozen = inner.vars, l.frozen || inner.frozen
	for _, v := range l.vars[before:] {
		v.path = "layer/" + v.path
		v.layer = l
	}
	out.mask = in.mask
	return out
}

// lowerStep emits the inner layer.
func lowerStep(b *builder, l *kerasLayer, in value) value {
	in = in.bare()
	switch l.class {
	case "Dense", "Activation", "ReLU", "LeakyReLU", "ELU", "ThresholdedReLU", "Dropout", "GaussianDropout",
		"GaussianNoise", "Identity", "Rescaling":
		return lowerings(l.class)(b, l, []value{in})[0]
	case "Softmax", "BatchNormalization", "LayerNormalization":
		if axis := l.list("axis", -8); axis != nil && (len(axis) != 1 || axis[0] != -1 && axis[0] != in.rank()-1) {
			l.refuse("axis is %s: within TimeDistributed the last dimension is read", shown(l.m["axis"]))
		}
		if l.class == "BatchNormalization" && !l.frozen {
			b.cannot("layer %s normalises each step by its own minibatch", l.name)
		}
		l.settings.m = cloned(l.settings.m, "axis", -1.0)
		return lowerings(l.class)(b, l, []value{in})[0]
	case "Flatten":
		if l.text("data_format", "channels_last") != "channels_last" {
			l.refuse("data_format is \"channels_first\", which is not read within TimeDistributed")
		}
		shape := in.known(l.settings)
		return b.rearranged(l.name, in, nil, []int{0, -1}, shape[0], size(shape[1:]))
	case "Reshape":
		target := l.list("target_shape", 1)
		if len(target) == 0 || len(target) > 3 || size(target) != size(in.known(l.settings)[1:]) {
			l.wrong("target_shape", "1 to 3 positive numbers that a step fills")
		}
		return b.rearranged(l.name, in, nil, append([]int{0}, target...), append([]int{in.shape[0]}, target...)...)
	}
	return lowerStepWindow(b, l, in)
}

// cloned copies a map and changes one value.
func cloned(m map[string]any, key string, v any) map[string]any {
	out := map[string]any{}
	for k, x := range m {
		out[k] = x
	}
	out[key] = v
	return out
}

// lowerStepWindow emits layers with a kernel that covers all dimensions except the steps.
func lowerStepWindow(b *builder, l *kerasLayer, in value) value {
	n := spatial(l.class)
	if n == 0 || n == 3 {
		l.refuse("layers of this class within TimeDistributed are not read")
	}
	l.rankOf(in, n+2)
	if l.text("data_format", "channels_last") != "channels_last" {
		l.refuse("data_format is \"channels_first\", which is not read within TimeDistributed")
	}
	switch l.class {
	case "Conv1D", "Conv2D":
		return convolutionOfSteps(b, l, in, n)
	case "MaxPooling1D", "MaxPooling2D", "AveragePooling1D", "AveragePooling2D":
		w := l.window(n, "pool_size").overSteps()
		kind := layer.MaxPooling
		if strings.HasPrefix(l.class, "A") {
			kind = layer.AvgPooling
		}
		return in.with(addPool(b, l.name, in, w, kind), append(w.out(l, in.shape)[:n+1], in.channels())...)
	case "GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalAveragePooling1D", "GlobalAveragePooling2D":
		l.no("keepdims", "it is not read within TimeDistributed")
		shape := in.known(l.settings)
		w := window{kernel: append([]int{1}, shape[1:n+1]...), mode: layer.Truncate}
		w.stride, w.dilation = w.kernel, slices.Repeat([]int{1}, n+1)
		kind := layer.MaxPooling
		if strings.Contains(l.class, "Average") {
			kind = layer.AvgPooling
		}
		pooled := in.with(addPool(b, l.name, in, w, kind), append(w.out(l, in.shape)[:n+1], in.channels())...)
		return b.rearranged(l.name+"-steps", pooled, nil, []int{0, in.channels()}, shape[0], in.channels())
	}
	l.refuse("layers of this class within TimeDistributed are not read")
	return in
}

// overSteps returns a window that covers a single step.
func (w window) overSteps() window {
	one := func(v []int) []int { return append([]int{1}, v...) }
	return window{one(w.kernel), one(w.stride), one(w.dilation), w.mode}
}

// convolutionOfSteps emits a convolution with an additional dimension.
func convolutionOfSteps(b *builder, l *kerasLayer, in value, n int) value {
	w := l.window(n, "kernel_size")
	if w.mode == layer.Causal {
		l.refuse("padding is \"causal\", which is not read within TimeDistributed")
	}
	one := func(key string, v []int) any {
		list := []any{1.0}
		for _, x := range v {
			list = append(list, float64(x))
		}
		return list
	}
	wide := *l
	wide.class = []string{"", "Conv2D", "Conv3D"}[n]
	m := cloned(l.m, "kernel_size", one("kernel_size", w.kernel))
	m = cloned(m, "strides", one("strides", w.stride))
	wide.settings = newSettings(l.where, cloned(m, "dilation_rate", one("dilation_rate", w.dilation)))
	before := len(wide.vars)
	out := convolution(b, &wide, in)
	for key := range wide.read {
		l.get(key)
	}
	l.vars = wide.vars
	for _, v := range l.vars[before:] {
		if v.name == "kernel" { // the same numbers, without the dimension of steps
			v.shape = v.shape[1:]
		}
	}
	return out
}
