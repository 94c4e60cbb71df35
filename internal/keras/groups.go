package keras

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// maxGroups limits the number of convolutions that a grouped convolution becomes.
const maxGroups = 1024

// groupsOf returns the number of groups of a convolution.
func groupsOf(l *kerasLayer, nIn, nOut int) int {
	groups := l.int("groups", 1, 1)
	if nIn%groups != 0 || nOut%groups != 0 {
		l.refuse("groups is %d, which does not divide %d channels and %d filters", groups, nIn, nOut)
	}
	return groups
}

// inGroups reads a grouped convolution: each group convolves some of the channels with some of the filters. For images,
// groups of one channel become a depthwise convolution. Other groups become convolutions side by side.
func (c *convolved) inGroups(b *builder, l *kerasLayer, in value, groups int) value {
	n := len(c.kernel)
	if c.channelwise(groups) {
		return c.byChannel(b, l, in)
	}
	if groups > maxGroups {
		l.refuse("groups is %d: at most %d are read, but for images with as many groups as channels", groups, maxGroups)
	}
	if t := b.training; t != nil && t.norms() {
		b.cannot("layer %s is a convolution in groups, and the optimizer takes norms of weights (Lamb, clipnorm)", l.name)
	}
	nIn, nOut := c.nIn/groups, c.nOut/groups
	to, back := []int{n + 1}, []int{}
	shape := []int{c.nIn}
	for i := range n {
		to, back, shape = append(to, i+1), append(back, i+2), append(shape, in.shape[i])
	}
	first := b.rearranged(l.name+"-channels", in.bare(), to, nil, shape...)
	own := append(slices.Clone(c.kernel), nIn, nOut)
	var parts []string
	var kernels, biases []func(parameters, []float32)
	for g := range groups {
		name := fmt.Sprintf("%s-group-%d", l.name, g)
		some := b.add(name+"-channels", vertex.Subset{From: g * nIn, To: (g+1)*nIn - 1}, first.from)
		part := b.rearranged(name+"-images", first.with(some), append(back, 1), nil,
			append(slices.Clone(in.shape[:n]), nIn)...)
		name = b.add(name, l.freeze(c.layer(nIn, nOut)), part.from)
		parts = append(parts, name)
		kernels, biases = append(kernels, c.put(name, own)), append(biases, plainly(name+"_b"))
	}
	whole := append(slices.Clone(c.kernel), nIn, c.nOut)
	b.own(l, "vars", "kernel", true, whole, columns(kernels, nOut))
	if c.bias {
		b.own(l, "vars", "bias", true, []int{c.nOut}, columns(biases, nOut))
	}
	return in.bare().with(b.add(l.name, vertex.Merge{Axis: n + 1}, parts...), append(c.out(l, in.shape)[:n], c.nOut)...)
}

// columns splits an array [rows, n·size] into n arrays of size columns, and calls each function of to with one.
func columns(to []func(parameters, []float32), size int) func(parameters, []float32) {
	return func(params parameters, x []float32) {
		row := size * len(to)
		part := make([]float32, len(x)/len(to))
		for k, put := range to {
			for r := range len(x) / row {
				copy(part[r*size:(r+1)*size], x[r*row+k*size:])
			}
			put(params, part)
		}
	}
}

// channelwise reports whether a convolution in groups is one of images with a channel in each group.
func (c *convolved) channelwise(groups int) bool {
	return groups > 1 && groups == c.nIn && len(c.kernel) == 2 && c.mode != layer.Causal
}

// byChannel reads a convolution of images with groups of one channel.
func (c *convolved) byChannel(b *builder, l *kerasLayer, in value) value {
	name := b.add(l.name, l.freeze(layer.DepthwiseConvolution2D{Base: c.base, NIn: c.nIn, NOut: c.nOut,
		DepthMultiplier: c.nOut / c.nIn, Activation: c.activation, NoBias: layer.Not(!c.bias), Kernel: two(c.kernel),
		Stride: two(c.stride), Dilation: two(c.dilation), Mode: c.mode, Format: nhwc}), in.from)
	b.own(l, "vars", "kernel", true, append(slices.Clone(c.kernel), 1, c.nOut), plainly(name+"_W"))
	if c.bias {
		b.own(l, "vars", "bias", true, []int{c.nOut}, plainly(name+"_b"))
	}
	return in.bare().with(name, append(c.out(l, in.shape)[:2], c.nOut)...)
}
