package keras

import (
	"math"
	"slices"

	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// batchNormalization normalises along one dimension, which is moved to the end.
func batchNormalization(b *builder, l *kerasLayer, in value) value {
	l.rankOf(in, 1, 2, 3, 4)
	l.no("renorm", "batch renormalization is not read")
	n := in.rank()
	axes := l.list("axis", -8)
	if axes == nil {
		axes = []int{-1}
	}
	if len(axes) != 1 {
		l.refuse("axis is %s: it must be one dimension", shown(l.m["axis"]))
	}
	axis := l.axis(axes[0], n)
	if axis == n {
		return lowerBatchNorm(b, l, in, l.name)
	}
	order := []int{}
	for i := 1; i <= n; i++ {
		if i != axis {
			order = append(order, i)
		}
	}
	order = append(order, axis)
	shape, back := make([]int, n), make([]int, n)
	for i, d := range order {
		shape[i], back[d-1] = in.shape[d-1], i+1
	}
	moved := b.rearranged(l.name+"-moved", in, order, nil, shape...)
	return b.rearranged(l.name+"-back", lowerBatchNorm(b, l, moved, l.name), back, nil, in.shape...)
}

// lowerBatchNorm emits batch normalisation along the last dimension. It converts sequences and volumes to images.
func lowerBatchNorm(b *builder, l *kerasLayer, in value, name string) value {
	n := l.features(in)
	momentum, eps := l.float("momentum", 0.99), l.float("epsilon", 1e-3)
	scale, center := l.bool("scale", true), l.bool("center", true)
	base := trainedBase(b, l, weight{keras: "gamma", ours: "gamma", axes: []int{0}},
		weight{"beta", "beta", []int{0}, true})
	if len(base.Constraints) > 0 || readRegularizer(b, l,
		"gamma_regularizer") != nil || readRegularizer(b, l, "beta_regularizer") != nil {
		b.cannot("layer %s has regularizers or constraints on gamma or beta", l.name)
	}
	base.Constraints = nil
	if !b.a.since(2, 4) && !l.frozen {
		b.cannot("layer %s is of Keras before 2.4, whose running statistics have a state that is not in the file", l.name)
	}
	partial := layer.KerasBatchNormalization{Base: base, NIn: n, Decay: momentum, Eps: eps, Format: nhwc,
		NoScale: layer.Not(!scale), NoCenter: layer.Not(!center), Unbiased: !b.a.since(3, 0) && in.rank() > 2}
	var of layer.Layer = partial
	if scale == center && !partial.Unbiased {
		of = partial.Plain()
	}
	image := in
	switch in.rank() {
	case 2:
		image = b.rearranged(name+"-image", in, nil, []int{0, 1, n}, in.shape[0], 1, n)
	case 4:
		shape := in.known(l.settings)
		image = b.rearranged(name+"-image", in, nil, []int{0, -1, n}, shape[0], shape[1]*shape[2], n)
	}
	own := b.add(name, l.freeze(of), image.from)
	for _, v := range []struct {
		name, ours    string
		there, learns bool
	}{{"gamma", "gamma", scale, true}, {"beta", "beta", center, true}, {"moving_mean", "mean",
		true, false}, {"moving_variance", "var", true, false}} {
		if v.there {
			b.own(l, "vars", v.name, v.learns, []int{n}, plainly(own+"_"+v.ours))
		}
	}
	out := in.with(own, in.shape...)
	switch in.rank() {
	case 2:
		out = b.rearranged(name+"-sequence", out, nil, []int{0, n}, in.shape...)
	case 4:
		out = b.rearranged(name+"-volume", out, nil, []int{0, in.shape[1], in.shape[2], n}, in.shape...)
	}
	return out
}

// layerNormalization normalises each example separately.
func layerNormalization(b *builder, l *kerasLayer, in value) value {
	l.no("rms_scaling", "it is not read")
	axes := l.list("axis", -8)
	if axes == nil {
		axes = []int{-1}
	}
	for i := range axes {
		axes[i] = l.axis(axes[i], in.rank())
	}
	slices.Sort(axes)
	of := layer.LayerNormalization{Axes: slices.Compact(axes), Eps: l.float("epsilon", 1e-3)}
	for _, a := range of.Axes {
		if in.shape[a-1] < 1 {
			l.refuse("its input has the shape %s: the extents along axis must be known", dims(in.shape))
		}
		of.Shape = append(of.Shape, in.shape[a-1])
	}
	scale, center := l.bool("scale", true), l.bool("center", true)
	of.NoScale, of.NoCenter = layer.Not(!scale), layer.Not(!center)
	of.Base = trainedBase(b, l, weight{keras: "gamma", ours: "gamma", axes: counted(len(axes))},
		weight{"beta", "beta", counted(len(axes)), true})
	if readRegularizer(b, l, "gamma_regularizer") != nil || readRegularizer(b, l, "beta_regularizer") != nil {
		b.cannot("layer %s has regularizers on gamma or beta", l.name)
	}
	own := b.add(l.name, l.freeze(of), in.from)
	if scale {
		b.own(l, "vars", "gamma", true, of.Shape, plainly(own+"_gamma"))
	}
	if center {
		b.own(l, "vars", "beta", true, of.Shape, plainly(own+"_beta"))
	}
	out := in
	out.from = own
	return out
}

// rescaling computes x·scale + offset.
func rescaling(b *builder, l *kerasLayer, in value) value {
	factor, shape := l.numbers("scale")
	offset, shape2 := []float64{0}, []int(nil)
	if l.get("offset") != nil {
		offset, shape2 = l.numbers("offset")
	}
	out := in
	if len(shape)+len(shape2) == 0 {
		name := l.name
		if offset[0] != 0 {
			name += "-scale"
		}
		if factor[0] != 0 {
			out.from = b.add(name, vertex.Scale{Factor: factor[0]}, in.from)
		} else {
			out.from = b.add(name, vertex.Affine{Factor: factor}, in.from)
		}
		if offset[0] != 0 {
			out.from = b.add(l.name, vertex.Shift{By: offset[0]}, out.from)
		}
		return out
	}
	out.from = in.from
	if len(factor) > 0 {
		out.from = b.add(l.name+"-scale", vertex.Affine{Shape: l.alongLast(in, shape), Factor: factor}, in.from)
	}
	out.from = b.add(l.name, vertex.Affine{Shape: l.alongLast(in, shape2), Offset: offset}, out.from)
	return out
}

// alongLast checks that an array of a shape can be broadcast to an input.
func (l *kerasLayer) alongLast(in value, shape []int) []int {
	if len(shape) > in.rank() {
		l.refuse("numbers of the shape %v do not fit to its input %s", shape, dims(in.shape))
	}
	for i, n := range shape {
		if d := in.shape[in.rank()-len(shape)+i]; n != 1 && d >= 0 && d != n {
			l.refuse("numbers of the shape %v do not fit to its input %s", shape, dims(in.shape))
		}
	}
	return shape
}

// normalization computes (x − mean)/max(√variance, 10⁻⁷), with numbers of the file.
func normalization(b *builder, l *kerasLayer, in value) value {
	var axes []int
	if v, ok := l.m["axis"]; ok && v == nil {
		l.get("axis")
	} else if axes = l.list("axis", -8); axes == nil {
		axes = []int{-1}
	}
	shape, own := slices.Repeat([]int{1}, in.rank()), []int{}
	for _, a := range axes {
		a = l.axis(a, in.rank())
		if shape[a-1] = in.shape[a-1]; shape[a-1] < 1 {
			l.refuse("its input has the shape %s: the extents along axis must be known", dims(in.shape))
		}
	}
	for i, n := range shape {
		for _, a := range axes {
			if l.axis(a, in.rank()) == i+1 {
				own = append(own, n)
			}
		}
	}
	n := size(shape)
	if n > 1<<22 {
		l.refuse("it normalises %d elements by numbers of their own: at most %d", n, 1<<22)
	}
	invert := l.bool("invert", false)
	out := in
	out.from = b.add(l.name, vertex.Affine{}, in.from)
	place := b.at[out.from]
	var mean, variance []float64
	fill := func() {
		v := vertex.Affine{Shape: shape, Center: mean, Factor: make([]float64, n)}
		for i, x := range variance {
			v.Factor[i] = 1 / math.Max(math.Sqrt(x), 1e-7)
		}
		if invert {
			for i := range v.Factor {
				v.Factor[i] = 1 / v.Factor[i]
			}
			v.Center, v.Offset = nil, mean
		}
		b.vertices[place].Vertex = v
	}
	if l.get("mean") != nil {
		mean, _ = l.numbers("mean")
		variance, _ = l.numbers("variance")
		mean, variance = l.filled(mean, n), l.filled(variance, n)
		b.after = append(b.after, fill)
		return out
	}
	l.get("variance")
	wide := func(to *[]float64) func([]float32) {
		return func(x []float32) {
			*to = nil
			for _, v := range x {
				*to = append(*to, float64(v))
			}
		}
	}
	if l.lowered == 0 {
		l.vars = append(l.vars, &variable{layer: l, name: "mean", path: "vars/mean", shape: own,
			keep: wide(&mean)},
			&variable{layer: l, name: "variance", path: "vars/variance", shape: own, keep: wide(&variance)},
			&variable{layer: l, name: "count", path: "vars/count", shape: []int{}, keep: func([]float32) {}})
	} else {
		l.vars[0].also(wide(&mean))
		l.vars[1].also(wide(&variance))
	}
	b.after = append(b.after, fill)
	return out
}

// filled repeats a single number n times.
func (l *kerasLayer) filled(x []float64, n int) []float64 {
	if len(x) == 1 && n != 1 {
		x = slices.Repeat(x, n)
	}
	if len(x) != n {
		l.refuse("mean or variance has %d numbers, and %d are needed", len(x), n)
	}
	return x
}
