package keras

import (
	"slices"
	"strings"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// window says how a kernel moves, by dimension.
type window struct {
	kernel, stride, dilation []int
	mode                     layer.ConvolutionMode
}

// spatial returns the number of dimensions in a class's name.
func spatial(class string) int {
	for n, digit := range []string{"1D", "2D", "3D"} {
		if strings.Contains(class, digit) {
			return n + 1
		}
	}
	return 0
}

// window reads the settings of a kernel of n dimensions.
func (l *kerasLayer) window(n int, key string) window {
	w := window{dilation: l.times("dilation_rate", n, 1, 1)}
	if l.get(key) == nil {
		l.refuse("%s is missing", key)
	}
	w.kernel = l.times(key, n, 1, 1)
	if w.stride = l.times("strides", n, 1, 1); l.m["strides"] == nil && key == "pool_size" {
		w.stride = w.kernel
	}
	if m := slices.Max(slices.Concat(w.kernel, w.stride, w.dilation)); m > 1<<16 {
		l.refuse("%s, strides or dilation_rate is %d: at most %d", key, m, 1<<16)
	}
	switch padding := l.text("padding", "valid"); padding {
	case "valid":
		w.mode = layer.Truncate
	case "same":
		w.mode = layer.Same
	case "causal":
		if w.mode = layer.Causal; n != 1 {
			l.refuse("padding is \"causal\", which only sequences have")
		}
	default:
		l.wrong("padding", "\"valid\", \"same\" or, for sequences, \"causal\"")
	}
	return w
}

// out returns the extents of the result.
func (w window) out(l *kerasLayer, in []int) []int {
	out := slices.Clone(in)
	for i := range w.kernel {
		if in[i] < 0 {
			continue
		}
		extent := (w.kernel[i]-1)*w.dilation[i] + 1
		if w.mode == layer.Truncate {
			if out[i] = (in[i] - extent + w.stride[i]) / w.stride[i]; in[i] < extent {
				l.refuse("its input has the shape %s, and the kernel %v does not fit into it", dims(in),
					w.kernel)
			}
			continue
		}
		out[i] = (in[i] + w.stride[i] - 1) / w.stride[i]
	}
	return out
}

func two(v []int) [2]int   { return [2]int{v[0], v[1]} }
func three(v []int) [3]int { return [3]int{v[0], v[1], v[2]} }

// convolved is a convolution of one to three dimensions.
type convolved struct {
	window
	base       layer.Base
	nIn, nOut  int
	activation activation.Activation
	bias       bool
}

// convolution is Conv1D, Conv2D or Conv3D.
func convolution(b *builder, l *kerasLayer, in value) value {
	n := spatial(l.class)
	l.rankOf(in, n+1)
	l.no("lora_rank", "low-rank adaptations are not read: merge them first")
	c := &convolved{window: l.window(n, "kernel_size"), nIn: l.features(in), nOut: l.need("filters", 1)}
	groups := groupsOf(l, c.nIn, c.nOut)
	c.activation, c.bias = readActivation(b, l.settings, "activation", "linear"), l.bool("use_bias", true)
	axes, biasAxis := [][]int{nil, {2, 1, 0}, {2, 3, 1, 0}, {2, 3, 4, 1, 0}}[n], 0
	switch {
	case c.channelwise(groups):
		axes = []int{0, 1, ofOne, divided}
	case groups > 1:
		axes[n+1], biasAxis = divided, divided
	}
	c.base = trainedBase(b, l, weight{"kernel", "W", axes, false}, weight{"bias", "b", []int{biasAxis}, true})
	if n == 1 && len(c.base.Constraints) > 0 { // our W has another layout
		c.base.Constraints = nil
		b.cannot("layer %s: constraints of Conv1D have no counterpart", l.name)
	}
	if groups > 1 {
		return c.inGroups(b, l, in, groups)
	}
	name := b.add(l.name, l.freeze(c.layer(c.nIn, c.nOut)), in.from)
	shape := append(slices.Clone(c.kernel), c.nIn, c.nOut)
	b.own(l, "vars", "kernel", true, shape, c.put(name, shape))
	if c.bias {
		b.own(l, "vars", "bias", true, []int{c.nOut}, plainly(name+"_b"))
	}
	return in.bare().with(name, append(c.out(l, in.shape)[:n], c.nOut)...)
}

// layer returns the layer for these numbers of channels and filters.
func (c *convolved) layer(nIn, nOut int) layer.Layer {
	none := layer.Not(!c.bias)
	switch len(c.kernel) {
	case 1:
		return layer.Convolution1D{Base: c.base, NIn: nIn, NOut: nOut, Activation: c.activation, NoBias: none,
			Kernel: [2]int{c.kernel[0], 1}, Stride: [2]int{c.stride[0], 1}, Dilation: [2]int{c.dilation[0], 1}, Mode: c.mode,
			Format: inputtype.NWC}
	case 2:
		return layer.Convolution2D{Base: c.base, NIn: nIn, NOut: nOut, Activation: c.activation, NoBias: none,
			Kernel: two(c.kernel), Stride: two(c.stride), Dilation: two(c.dilation), Mode: c.mode, Format: nhwc}
	}
	return layer.Convolution3D{Base: c.base, NIn: nIn, NOut: nOut, Activation: c.activation, NoBias: none,
		Kernel: three(c.kernel), Stride: three(c.stride), Dilation: three(c.dilation), Mode: c.mode, Format: ndhwc}
}

// put returns a function that copies a kernel [k…, in, out] to the layer with this name.
func (c *convolved) put(name string, shape []int) func(parameters, []float32) {
	n := len(c.kernel)
	if n == 1 {
		return plainly(name + "_W")
	}
	return transposed(name+"_W", shape, append([]int{n + 1, n}, counted(n)...)...)
}

// counted returns 0 to n−1.
func counted(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// flat returns a 1D kernel's window as one over images of width 1.
func (w window) flat() window {
	return window{[]int{w.kernel[0], 1}, []int{w.stride[0], 1}, []int{w.dilation[0], 1}, w.mode}
}

// throughImage converts sequences to images of width 1, applies f, and converts back.
func throughImage(b *builder, l *kerasLayer, in value, f func(in value, name string) value) value {
	image := b.rearranged(l.name+"-image", in.bare(), nil, []int{0, 1, in.channels()},
		in.shape[0], 1, in.channels())
	out := f(image, l.name)
	return b.rearranged(l.name+"-sequence", out, nil, []int{0, out.channels()}, out.shape[0], out.channels())
}

// depthwise reads DepthwiseConv2D or DepthwiseConv1D.
func depthwise(b *builder, l *kerasLayer, in value) value {
	n := spatial(l.class)
	l.rankOf(in, n+1)
	w, nIn, m := l.window(n, "kernel_size"), l.features(in), l.int("depth_multiplier", 1, 1)
	if w.mode == layer.Causal {
		l.refuse("padding is \"causal\", which this class does not have here")
	}
	a, bias := readActivation(b, l.settings, "activation", "linear"), l.bool("use_bias", true)
	key := "depthwise"
	if _, ok := l.m["kernel_regularizer"]; ok {
		key = "kernel"
	}
	l.get("filters")
	l.get("groups")
	for _, other := range []string{"kernel", "depthwise"} {
		if other != key {
			l.get(other + "_regularizer")
			l.get(other + "_constraint")
		}
	}
	base := trainedBase(b, l, weight{key, "W", []int{0, 1, 2, 3}[4-n-2:], false}, weight{"bias",
		"b", []int{0}, true})
	emit := func(in value, name string) value {
		w := w
		if n == 1 {
			w = w.flat()
		}
		of := layer.DepthwiseConvolution2D{Base: base, NIn: nIn, NOut: nIn * m, DepthMultiplier: m,
			Activation: a,
			NoBias:     layer.Not(!bias), Kernel: two(w.kernel), Stride: two(w.stride), Dilation: two(w.dilation), Mode: w.mode,
			Format: nhwc}
		name = b.add(name, l.freeze(of), in.from)
		b.own(l, "vars", "kernel", true, append(l.times("kernel_size", n, 1, 1), nIn, m), plainly(name+"_W"))
		if bias {
			b.own(l, "vars", "bias", true, []int{nIn * m}, plainly(name+"_b"))
		}
		return in.with(name, append(w.out(l, in.shape)[:2], nIn*m)...)
	}
	if n == 1 {
		return throughImage(b, l, in, emit)
	}
	return emit(in.bare(), l.name)
}

// separable reads SeparableConv2D or SeparableConv1D.
func separable(b *builder, l *kerasLayer, in value) value {
	n := spatial(l.class)
	l.rankOf(in, n+1)
	w, nIn, m, nOut := l.window(n, "kernel_size"), l.features(in), l.int("depth_multiplier", 1,
		1), l.need("filters", 1)
	if g := l.int("groups", 1, 1); g != 1 {
		l.refuse("groups is %d: convolutions in groups are not read", g)
	}
	a, bias := readActivation(b, l.settings, "activation", "linear"), l.bool("use_bias", true)
	axes := []int{2, 3, 1, 0}[2-n:]
	base := trainedBase(b, l, weight{"depthwise", "W", axes, false}, weight{"pointwise", "pW",
		[]int{2, 3, 1, 0}[2-n:], false},
		weight{"bias", "b", []int{0}, true})
	for _, key := range []string{"kernel_regularizer", "kernel_constraint"} {
		l.no(key, "this class has depthwise and pointwise ones")
	}
	size := slices.Clone(w.kernel)
	emit := func(in value, name string) value {
		w := w
		before := in
		if n == 1 {
			if w = w.flat(); w.mode == layer.Causal { // zeros in front only
				pad := layer.ZeroPadding2D{Padding: [4]int{(w.kernel[0] - 1) * w.dilation[0], 0, 0, 0},
					Format: nhwc}
				steps := in.shape[0]
				if steps >= 0 {
					steps += pad.Padding[0]
				}
				before = in.with(b.add(name+"-padding", pad, in.from), steps, 1, nIn)
				w.mode = layer.Truncate
			}
		}
		of := layer.SeparableConvolution2D{Base: base, NIn: nIn, NOut: nOut, DepthMultiplier: m, Activation: a,
			NoBias: layer.Not(!bias), Kernel: two(w.kernel), Stride: two(w.stride), Dilation: two(w.dilation), Mode: w.mode,
			Format: nhwc}
		name = b.add(name, l.freeze(of), before.from)
		deep, ones := append(slices.Clone(size), nIn, m), slices.Repeat([]int{1}, n)
		b.own(l, "vars", "depthwise_kernel", true, deep, transposed(name+"_W", deep,
			append([]int{n + 1, n}, counted(n)...)...))
		point := append(ones, nIn*m, nOut)
		b.own(l, "vars", "pointwise_kernel", true, point, transposed(name+"_pW", point,
			append([]int{n + 1, n}, counted(n)...)...))
		if bias {
			b.own(l, "vars", "bias", true, []int{nOut}, plainly(name+"_b"))
		}
		return in.with(name, append(w.out(l, before.shape)[:2], nOut)...)
	}
	if n == 1 {
		return throughImage(b, l, in, emit)
	}
	return emit(in.bare(), l.name)
}

// pooling is a maximum or a mean over windows.
func pooling(b *builder, l *kerasLayer, in value) value {
	n := spatial(l.class)
	l.rankOf(in, n+1)
	w := l.window(n, "pool_size")
	kind := layer.MaxPooling
	if strings.HasPrefix(l.class, "A") {
		kind = layer.AvgPooling
	}
	return in.bare().with(addPool(b, l.name, in, w, kind), append(w.out(l, in.shape)[:n], in.channels())...)
}

// addPool adds a pooling layer.
func addPool(b *builder, name string, in value, w window, kind layer.PoolingType) string {
	var of layer.Layer
	switch len(w.kernel) {
	case 1:
		of = layer.Subsampling1D{Pooling: kind, Kernel: [2]int{w.kernel[0], 1}, Stride: [2]int{w.stride[0], 1},
			Dilation: [2]int{1, 1}, Mode: w.mode, Format: nhwc}
	case 2:
		of = layer.Subsampling{Pooling: kind, Kernel: two(w.kernel), Stride: two(w.stride),
			Dilation: [2]int{1, 1}, Mode: w.mode, Format: nhwc}
	case 3:
		of = layer.Subsampling3D{Pooling: kind, Kernel: three(w.kernel), Stride: three(w.stride),
			Dilation: [3]int{1, 1, 1},
			Mode:     w.mode, Format: ndhwc}
	}
	return b.add(name, of, in.from)
}

// globalPooling reads a maximum or a mean over all dimensions except the channels.
func globalPooling(b *builder, l *kerasLayer, in value) value {
	n := spatial(l.class)
	l.rankOf(in, n+1)
	of := layer.GlobalPooling{Pooling: layer.MaxPooling, PNorm: 2, Dimensions: counted(n + 1)[1:]}
	keep := l.bool("keepdims", false)
	of.KeepDimensions = layer.Not(keep)
	from := in.from
	if strings.Contains(l.class, "Average") {
		if of.Pooling = layer.AvgPooling; in.mask != "" && n == 1 {
			from = b.add(l.name+"-masked", vertex.Masked{}, in.from, in.mask)
		}
	}
	shape := []int{in.channels()}
	if keep {
		shape = append(slices.Repeat([]int{1}, n), in.channels())
	}
	return in.bare().with(b.add(l.name, of, from), shape...)
}
