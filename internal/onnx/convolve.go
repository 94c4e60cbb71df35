package onnx

import (
	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/program"
)

// window returns the attributes of a window over images.
func window(w program.Window, kh, kw int) []*onnxfile.Attribute {
	list := []*onnxfile.Attribute{integers("kernel_shape", kh, kw), integers("strides", w.StrideH, w.StrideW),
		integers("pads", w.PadTop, w.PadLeft, w.PadBottom, w.PadRight)}
	if w.DilationH != 1 || w.DilationW != 1 {
		list = append(list, integers("dilations", w.DilationH, w.DilationW))
	}
	return list
}

// convolution writes a cross-correlation; in may have a bias.
func (t *translation) convolution(n *program.Node, op program.Conv2D, in []string) (string, error) {
	k := n.In[1].Shape
	var all []program.Window
	for _, o := range opsOf[program.Conv2D](t, n) {
		all = append(all, o.Window)
	}
	attributes, err := windows(t, n, all, k[2], k[3])
	if err != nil {
		return "", err
	}
	return t.node("Conv", in, attributes...), nil
}

// windows returns the attributes of a window, which is given at every point. Padding may follow from the size of images
// as in the mode Same.
func windows(t *translation, n *program.Node, all []program.Window, kh, kw int) ([]*onnxfile.Attribute, error) {
	first := all[0]
	size := t.extents(n.In[0])
	equal, same := true, first.DilationH == 1 && first.DilationW == 1
	for i, w := range all {
		equal = equal && w == first
		same = same && w == paddedSame(first, size[2][i], size[3][i], kh, kw)
	}
	switch {
	case equal:
		return window(first, kh, kw), nil
	case same:
		return []*onnxfile.Attribute{integers("kernel_shape", kh, kw), integers("strides", first.StrideH, first.StrideW),
			text("auto_pad", "SAME_UPPER")}, nil
	}
	return nil, errNoFormula
}

// paddedSame returns a window with the padding of the mode Same for images of a size.
func paddedSame(w program.Window, height, width, kh, kw int) program.Window {
	pad := func(n, stride, kernel int) (before, after int) {
		total := max(((n+stride-1)/stride-1)*stride+kernel-n, 0)
		return total / 2, total - total/2
	}
	w.PadTop, w.PadBottom = pad(height, w.StrideH, kh)
	w.PadLeft, w.PadRight = pad(width, w.StrideW, kw)
	return w
}

// groupedConvolution writes a depthwise convolution: a Conv whose channels are groups of their own.
func groupedConvolution(t *translation, n *program.Node, op program.DepthwiseConv2D, in []string) (string, error) {
	k := n.In[1].Shape
	var all []program.Window
	for _, o := range opsOf[program.DepthwiseConv2D](t, n) {
		all = append(all, o.Window)
	}
	attributes, err := windows(t, n, all, k[2], k[3])
	if err != nil {
		return "", err
	}
	filters := t.node("Reshape", []string{in[1], t.ints(int64(k[0]*k[1]), 1, int64(k[2]), int64(k[3]))})
	return t.node("Conv", []string{in[0], filters}, append(attributes, integer("group", k[0]))...), nil
}

// deconvolution writes a transposed convolution: filters [out, in, kh, kw] of the convolution that it transposes.
func (t *translation) deconvolution(n *program.Node, op program.Conv2DGradInput, in []string) (string, error) {
	for _, o := range opsOf[program.Conv2DGradInput](t, n) {
		if o != op {
			return "", errNoFormula
		}
	}
	k, dy, w := n.In[1].Shape, n.In[0].Shape, op.Window
	// The image may be larger than its windows cover: the rest is 0.
	reach := func(out, stride, kernel, dilation, before, after int) int {
		return (out-1)*stride + (kernel-1)*dilation + 1 - before - after
	}
	restH := op.H - reach(dy[2], w.StrideH, k[2], w.DilationH, w.PadTop, w.PadBottom)
	restW := op.W - reach(dy[3], w.StrideW, k[3], w.DilationW, w.PadLeft, w.PadRight)
	attributes := window(w, k[2], k[3])
	if restH != 0 || restW != 0 {
		attributes = append(attributes, integers("output_padding", restH, restW))
	}
	return t.node("ConvTranspose", in, attributes...), nil
}

// pool writes a pooling.
func (t *translation) pool(n *program.Node, op program.Pool2D, x string) (string, error) {
	var all []program.Window
	for _, o := range opsOf[program.Pool2D](t, n) {
		all = append(all, o.Window)
		if o.Window = op.Window; o != op {
			return t.wholePool(n, x)
		}
	}
	attributes, err := windows(t, n, all, op.KH, op.KW)
	if err != nil {
		return t.wholePool(n, x)
	}
	if op.Kind == program.MaxPool {
		return t.node("MaxPool", []string{x}, attributes...), nil
	}
	if op.IncludePad {
		attributes = append(attributes, integer("count_include_pad", 1))
	}
	if op.Window.DilationH != 1 || op.Window.DilationW != 1 {
		t.need(dilatedAverageOpset)
	}
	return t.node("AveragePool", []string{x}, attributes...), nil
}

// wholePool writes the maximum over all pixels of images with an open height.
func (t *translation) wholePool(n *program.Node, x string) (string, error) {
	size := t.extents(n.In[0])
	for i, o := range opsOf[program.Pool2D](t, n) {
		whole := program.Window{StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}
		if o.Kind != program.MaxPool || o.Window != whole || o.KH != size[2][i] || o.KW != size[3][i] {
			return "", errNoFormula
		}
	}
	return t.reduced("ReduceMax", x, 1, 2, 3), nil
}
