package keras

import (
	"slices"
	"strings"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// flatten turns arrays into vectors.
func flatten(b *builder, l *kerasLayer, in value) value {
	if in.rank() == 0 {
		l.refuse("its input is a single number")
	}
	in = in.bare()
	if in.rank() == 1 {
		return in
	}
	return addReshape(b, l, in, []int{size(in.known(l.settings))})
}

// addReshape gives examples another shape, without open extents.
func addReshape(b *builder, l *kerasLayer, in value, shape []int) value {
	out := in.bare().with(b.add(l.name, vertex.NewReshape(append([]int{-1}, shape...)...), in.from), shape...)
	out.last = len(shape) < 2
	return out
}

// reshape reads the layer Reshape.
func reshape(b *builder, l *kerasLayer, in value) value {
	target := slices.Clone(l.list("target_shape", -1))
	all := size(in.known(l.settings))
	if len(target) == 0 || len(target) > 4 {
		l.wrong("target_shape", "1 to 4 numbers")
	}
	rest, open := 1, -1
	for i, d := range target {
		switch {
		case d == 0 || d < 0 && open >= 0:
			l.wrong("target_shape", "positive numbers, and at most one -1")
		case d < 0:
			open = i
		default:
			rest = size([]int{rest, d})
		}
	}
	if open >= 0 {
		target[open] = all / rest
	}
	if size(target) != all || slices.Contains(target, 0) {
		l.refuse("target_shape is %s: its input %s does not fill it", shown(l.m["target_shape"]),
			dims(in.shape))
	}
	return addReshape(b, l, in, target)
}

// permute reorders dimensions.
func permute(b *builder, l *kerasLayer, in value) value {
	order := l.list("dims", 1)
	shape := slices.Clone(in.shape)
	sorted := slices.Sorted(slices.Values(order))
	if len(order) != len(shape) {
		l.wrong("dims", "the dimensions of its input "+dims(in.shape))
	}
	for i, d := range sorted {
		if d != i+1 {
			l.wrong("dims", "each dimension once, from 1 on")
		}
	}
	for i, d := range order {
		shape[i] = in.shape[d-1]
	}
	return b.rearranged(l.name, in.bare(), order, nil, shape...)
}

// repeatVector makes sequences of equal steps.
func repeatVector(b *builder, l *kerasLayer, in value) value {
	l.rankOf(in, 1)
	n := l.need("n", 1)
	of := layer.RepeatVector{NIn: l.features(in), N: n, Format: inputtype.NWC}
	return in.bare().with(b.add(l.name, of, in.from), n, in.channels())
}

// pairs reads begin and end for each of n dimensions.
func (l *kerasLayer) pairs(key string, n int) []int {
	v := l.get(key)
	list, nested := v.([]any)
	if v == nil {
		l.refuse("%s is missing", key)
	}
	var out []int
	if nested && n == 1 && len(list) == 2 {
		out = l.list(key, 0)
	} else if nested && len(list) == n {
		for i, x := range list {
			one := newSettings(l.where, map[string]any{key: x})
			pair := one.list(key, 0)
			if len(pair) == 1 {
				pair = append(pair, pair[0])
			}
			if len(pair) != 2 {
				l.wrong(key, "two numbers for each dimension")
			}
			out = append(out, list2(pair)...)
			_ = i
		}
	} else {
		one := l.times(key, 1, 0, 0)
		out = slices.Repeat(one[:1], 2*n)
	}
	if len(out) != 2*n || slices.Max(out) > 1<<16 {
		l.wrong(key, "two numbers for each dimension, at most 65536")
	}
	return out
}

func list2(pair []int) []int { return pair[:2] }

// borders reads zero padding or cropping.
func borders(b *builder, l *kerasLayer, in value) value {
	n := spatial(l.class)
	l.rankOf(in, n+1)
	key, sign := "padding", 1
	if strings.HasPrefix(l.class, "Cropping") {
		key, sign = "cropping", -1
	}
	p := l.pairs(key, n)
	shape := slices.Clone(in.shape)
	for i := range n {
		if shape[i] < 0 {
			continue
		}
		if shape[i] += sign * (p[2*i] + p[2*i+1]); shape[i] < 1 {
			l.refuse("%s is %s: nothing of its input %s is left", key, shown(l.m[key]), dims(in.shape))
		}
	}
	if n != 2 {
		in = b.lastTyped(in)
	}
	var of layer.Layer
	switch l.class {
	case "ZeroPadding1D":
		of = layer.ZeroPadding1D{Padding: [2]int(p)}
	case "ZeroPadding2D":
		of = layer.ZeroPadding2D{Padding: [4]int(p), Format: nhwc}
	case "ZeroPadding3D":
		of = layer.ZeroPadding3D{Padding: [6]int(p)}
	case "Cropping1D":
		of = layer.Cropping1D{Cropping: [2]int(p)}
	case "Cropping2D":
		of = layer.Cropping2D{Cropping: [4]int(p), Format: nhwc}
	case "Cropping3D":
		of = layer.Cropping3D{Cropping: [6]int(p)}
	}
	return in.bare().with(b.add(l.name, of, in.from), shape...)
}

// upsampling repeats cells, or interpolates between them.
func upsampling(b *builder, l *kerasLayer, in value) value {
	n := spatial(l.class)
	l.rankOf(in, n+1)
	factors := l.times("size", n, 1, 2)
	shape := slices.Clone(in.shape)
	for i, f := range factors {
		if f > 1<<12 {
			l.refuse("size is %d: at most %d", f, 1<<12)
		}
		if shape[i] > 0 {
			shape[i] *= f
		}
	}
	size(shape)
	in = b.lastTyped(in)
	var of any
	switch how := l.text("interpolation", "nearest"); {
	case how == "bilinear" && n == 2:
		of = vertex.Bilinear{Size: two(factors)}
	case how != "nearest":
		l.refuse("interpolation is %s: \"nearest\" and, for images, \"bilinear\" are read", shown(how))
	case n == 1:
		of = layer.Upsampling1D{Size: [2]int{factors[0], factors[0]}}
	case n == 2:
		of = layer.Upsampling2D{Size: two(factors), Format: nhwc}
	default:
		of = layer.Upsampling3D{Size: three(factors), Format: ndhwc}
	}
	return in.bare().with(b.add(l.name, of, in.from), shape...)
}
