package keras

import (
	"slices"

	"github.com/dl4go/dl4go/nn/layer"
)

// transposition says how the result of a transposed convolution is cut from the whole one, whose extent is (in − 1) ·
// stride + the dilated kernel. Cells are cut off, or further cells, which only have the bias, are added.
type transposition struct {
	window
	before, after []int // cells that are cut off; a negative after adds cells
}

// dilated returns the extent of the kernel with its gaps.
func (w window) dilated(i int) int { return (w.kernel[i]-1)*w.dilation[i] + 1 }

// transposition reads the window of a transposed convolution. Keras defines how much is padded before the convolution
// that computes it; the cells to cut off follow from that.
// The window has n dimensions, 1 or 2; the result always has 2.
func (l *kerasLayer) transposition(n int) transposition {
	t := transposition{window: l.window(n, "kernel_size"), before: make([]int, 2), after: make([]int, 2)}
	var more []int // output_padding
	if l.get("output_padding") != nil {
		more = l.times("output_padding", n, 0, 0)
	}
	for i, stride := range t.stride {
		k := t.dilated(i)
		if more != nil && more[i] > 1<<16 {
			l.refuse("output_padding is %v: at most %d", more, 1<<16)
		}
		switch {
		case t.mode == layer.Same && more == nil:
			t.cut(i, k-stride)
		case t.mode == layer.Same:
			t.cut(i, k-k%2-more[i])
		case more == nil:
			t.after[i] = min(0, k-stride)
		default:
			t.after[i] = -more[i]
		}
	}
	if n == 1 {
		t.window = t.flat()
	}
	return t
}

// cut cuts off this many cells, the smaller half of them before.
func (t transposition) cut(i, cells int) {
	t.before[i] = max(0, cells/2)
	t.after[i] = cells - t.before[i]
}

// out returns the extents of the result.
func (t transposition) out(in []int) []int {
	out := slices.Clone(in)
	for i := range t.kernel {
		if in[i] >= 0 {
			out[i] = (in[i]-1)*t.stride[i] + t.dilated(i) - t.before[i] - t.after[i]
		}
	}
	return out
}

// convolutionTranspose reads Conv2DTranspose, or Conv1DTranspose as one of images of width 1.
func convolutionTranspose(b *builder, l *kerasLayer, in value) value {
	n := spatial(l.class)
	l.rankOf(in, n+1)
	if n == 1 {
		return throughImage(b, l, in, func(in value, _ string) value { return transposedImage(b, l, in, n) })
	}
	return transposedImage(b, l, in.bare(), n)
}

// transposedImage adds a transposed convolution of images, whose kernel has n dimensions in Keras. If our layer would
// cut off other cells, it keeps all cells, and a cropping layer follows. For further cells, the kernel is extended with
// zeros.
func transposedImage(b *builder, l *kerasLayer, in value, n int) value {
	t, nIn, nOut := l.transposition(n), l.features(in), l.need("filters", 1)
	if t.mode == layer.Causal {
		l.refuse("padding is \"causal\", which transposed convolutions do not have")
	}
	if g := l.int("groups", 1, 1); g != 1 {
		l.refuse("groups is %d: transposed convolutions in groups are not read", g)
	}
	a, bias := readActivation(b, l.settings, "activation", "linear"), l.bool("use_bias", true)
	base := trainedBase(b, l, weight{"kernel", "W", [][]int{{2, 1, 0}, {2, 3, 1, 0}}[n-1], false},
		weight{"bias", "b", []int{0}, true})
	size, out := slices.Clone(t.kernel), t.out(in.shape)
	for i, extent := range out[:2] {
		if in.shape[i] >= 0 && extent < 1 {
			l.refuse("its input has the shape %s, and nothing is left of its result", dims(in.shape))
		}
	}
	border := t.widen(b, l, nIn, nOut)
	mode := layer.Truncate
	if t.mode == layer.Same && border == t.ours() {
		mode, border = layer.Same, [4]int{}
	}
	name := l.name
	if border != [4]int{} {
		name += "-whole"
	}
	whole := b.add(name, l.freeze(layer.Deconvolution2D{Base: base, NIn: nIn, NOut: nOut,
		Activation: a, NoBias: layer.Not(!bias),
		Kernel: two(t.kernel), Stride: two(t.stride), Dilation: two(t.dilation), Mode: mode, Format: nhwc}), in.from)
	shape := []int{size[0], size[1], nOut, nIn}
	put := transposed(whole+"_W", shape, 3, 2, 0, 1)
	if !slices.Equal(size, t.kernel) {
		put = widened(whole+"_W", shape, t.kernel)
	}
	b.own(l, "vars", "kernel", true, append(slices.Clone(size[:n]), nOut, nIn), put)
	if bias {
		b.own(l, "vars", "bias", true, []int{nOut}, plainly(whole+"_b"))
	}
	if name = whole; border != [4]int{} {
		name = b.add(l.name, layer.Cropping2D{Cropping: border, Format: nhwc}, whole)
	}
	out[2] = nOut
	return in.with(name, out...)
}

// maxSpread limits the numbers of a kernel that is extended with zeros.
const maxSpread = 1 << 27

// widen extends the kernel so that the whole result includes the further cells. It returns the numbers of cells to cut
// off: top, bottom, left, right.
func (t transposition) widen(b *builder, l *kerasLayer, nIn, nOut int) (border [4]int) {
	for i := range t.kernel {
		if t.after[i] < 0 {
			rows := (t.dilation[i] - t.after[i] - 1) / t.dilation[i]
			t.kernel[i] += rows
			t.after[i] += rows * t.dilation[i]
			if maxSpread/nIn/nOut/t.kernel[0]/t.kernel[1] == 0 {
				l.refuse("strides or output_padding are too large for %d channels and %d filters", nIn, nOut)
			}
			b.cannot("layer %s has results that its kernel does not reach (strides or output_padding)", l.name)
		}
		border[2*i], border[2*i+1] = t.before[i], t.after[i]
	}
	return border
}

// ours returns the cells that [layer.Same] cuts off.
func (t transposition) ours() (border [4]int) {
	for i, stride := range t.stride {
		n := t.dilated(i) - stride
		border[2*i], border[2*i+1] = n/2, n-n/2
	}
	return border
}

// widened copies a kernel [h, w, out, in] to a larger one [in, out, H, W], and fills the rest with zeros.
func widened(key string, shape, to []int) func(parameters, []float32) {
	return func(params parameters, x []float32) {
		dst := params(key)
		clear(dst)
		h, w, out, in := shape[0], shape[1], shape[2], shape[3]
		for i := range h {
			for k := range w {
				for o := range out {
					for c := range in {
						dst[((c*out+o)*to[0]+i)*to[1]+k] = x[((i*w+k)*out+o)*in+c]
					}
				}
			}
		}
	}
}
