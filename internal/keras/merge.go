package keras

import (
	"slices"

	"github.com/dl4go/dl4go/nn/vertex"
)

// unmasked refuses masks, because versions of Keras join them by different rules.
func (l *kerasLayer) unmasked(in []value) {
	if len(in) < 2 {
		l.refuse("it has %d inputs: it takes two or more", len(in))
	}
	for _, t := range in {
		if t.mask != "" {
			l.refuse("it joins sequences with a mask, which is not read")
		}
		if t.rank() != in[0].rank() || t.rank() == 0 {
			l.refuse("its inputs have the shapes %s and %s: they must have equally many dimensions",
				dims(in[0].shape), dims(t.shape))
		}
	}
}

// names returns the vertices of tensors.
func names(in []value) (out []string) {
	for _, t := range in {
		out = append(out, t.from)
	}
	return out
}

// elementwise reads the layers that combine inputs element by element.
func elementwise(b *builder, l *kerasLayer, in []value) []value {
	l.unmasked(in)
	shape := slices.Clone(in[0].shape)
	for _, t := range in[1:] {
		for i, n := range t.shape {
			switch {
			case shape[i] == n || n == 1 || shape[i] < 0 && n < 0:
			case shape[i] == 1 || shape[i] < 0:
				shape[i] = n
			case n > 0:
				l.refuse("its inputs have the shapes %s and %s, which do not fit", dims(in[0].shape),
					dims(t.shape))
			}
		}
	}
	last := in[0].last
	ops := map[string]vertex.Operation{"Add": vertex.Add, "Subtract": vertex.Subtract,
		"Multiply": vertex.Product,
		"Average":  vertex.Average, "Maximum": vertex.Max, "Minimum": vertex.Max}
	op := ops[l.class]
	if op == vertex.Subtract && len(in) != 2 {
		l.refuse("it has %d inputs: it takes two", len(in))
	}
	from := names(in)
	name := l.name
	if l.class == "Minimum" { // as the maximum of the negated inputs
		for i := range from {
			from[i] = b.add(l.name+"-negative", vertex.Scale{Factor: -1}, from[i])
		}
		name += "-largest"
	}
	own := b.add(name, vertex.ElementWise{Op: op}, from...)
	if l.class == "Minimum" {
		own = b.add(l.name, vertex.Scale{Factor: -1}, own)
	}
	out := in[0].with(own, shape...)
	out.last = last || out.rank() < 2
	return []value{out}
}

// concatenate joins inputs along a dimension.
func concatenate(b *builder, l *kerasLayer, in []value) []value {
	l.unmasked(in)
	axes := l.list("axis", -8)
	if axes == nil {
		axes = []int{-1}
	}
	axis := l.axis(axes[0], in[0].rank())
	shape := slices.Clone(in[0].shape)
	for _, t := range in[1:] {
		for i, n := range t.shape {
			switch {
			case i == axis-1 && (n < 0 || shape[i] < 0):
				shape[i] = -1
			case i == axis-1:
				shape[i] += n
			case shape[i] < 0:
				shape[i] = n
			case n >= 0 && n != shape[i]:
				l.refuse("its inputs have the shapes %s and %s, which do not fit", dims(in[0].shape),
					dims(t.shape))
			}
		}
	}
	out := in[0].with(b.add(l.name, vertex.Merge{Axis: axis, Modified: true}, names(in)...), shape...)
	out.last = in[0].last || out.rank() < 2
	return []value{out}
}

// dot sums products along a dimension of each of two inputs.
func dot(b *builder, l *kerasLayer, in []value) []value {
	if len(in) != 2 || in[0].mask+in[1].mask != "" {
		l.refuse("it takes two inputs without a mask, and has %d", len(in))
	}
	axes := l.list("axes", -8)
	if len(axes) == 1 {
		axes = []int{axes[0], axes[0]}
	}
	if len(axes) != 2 {
		l.wrong("axes", "one or two dimensions")
	}
	v := vertex.Dot{Normalize: l.bool("normalize", false)}
	var shape []int
	for i, t := range in {
		v.Axes[i] = l.axis(axes[i], t.rank())
		for d, n := range t.shape {
			if d != v.Axes[i]-1 {
				shape = append(shape, n)
			}
		}
	}
	if n, m := in[0].shape[v.Axes[0]-1], in[1].shape[v.Axes[1]-1]; n >= 0 && m >= 0 && n != m {
		l.refuse("its inputs have %d and %d elements along the axes", n, m)
	}
	if len(shape) == 0 {
		shape = []int{1}
	}
	if len(shape) > 4 {
		l.refuse("its result has %d dimensions: at most 4 and the batch's", len(shape))
	}
	return []value{in[0].with(b.add(l.name, v, names(in)...), shape...)}
}
