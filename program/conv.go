package program

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// Window says how a kernel moves over the height and the width of an image. Strides and dilations are at least 1. Cells
// of the padding are outside the image.
type Window struct {
	StrideH, StrideW    int
	DilationH           int
	DilationW           int
	PadTop, PadLeft     int
	PadBottom, PadRight int
}

// Out returns the extent of the result along height and width for an image of h by wd and a kernel of kh by kw:
// floor((in + pads − ((k − 1)·dilation + 1)) / stride) + 1, or 0 if the kernel does not fit.
func (w Window) Out(h, wd, kh, kw int) (int, int) {
	return positions(h+w.PadTop+w.PadBottom-(kh-1)*w.DilationH-1, w.StrideH),
		positions(wd+w.PadLeft+w.PadRight-(kw-1)*w.DilationW-1, w.StrideW)
}

func positions(room, stride int) int {
	if room < 0 {
		return 0
	}
	return room/stride + 1
}

func (w Window) check(h, wd, kh, kw int) error {
	if w.StrideH < 1 || w.StrideW < 1 || w.DilationH < 1 || w.DilationW < 1 || kh < 1 || kw < 1 {
		return fmt.Errorf("kernel %dx%d, stride %dx%d and dilation %dx%d must be positive", kh, kw, w.StrideH, w.StrideW,
			w.DilationH, w.DilationW)
	}
	if h+w.PadTop+w.PadBottom < (kh-1)*w.DilationH+1 || wd+w.PadLeft+w.PadRight < (kw-1)*w.DilationW+1 {
		return fmt.Errorf("the kernel of %dx%d, dilated by %dx%d, is larger than the padded image of %dx%d",
			kh, kw, w.DilationH, w.DilationW, h+w.PadTop+w.PadBottom, wd+w.PadLeft+w.PadRight)
	}
	return nil
}

// Conv2D is the cross-correlation of images x [batch, in, h, w] with filters w [out, in, kh, kw]:
// y[n, o, i, j] = Σ_{c, u, v} x[n, c, i·stride + u·dilation − pad, j·stride + v·dilation − pad] · w[o, c, u, v].
type Conv2D struct{ Window Window }

// Name is "conv2d".
func (o Conv2D) Name() string { return "conv2d" }

// Infer returns [batch, out, oh, ow].
func (o Conv2D) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 2 || len(in[0]) != 4 || len(in[1]) != 4 {
		return nil, fmt.Errorf("takes images [batch, channels, height, width] and filters [out, in, height, width]")
	}
	x, w := in[0], in[1]
	if x[1] != w[1] {
		return nil, fmt.Errorf("images of %d channels and filters for %d", x[1], w[1])
	}
	if err := o.Window.check(x[2], x[3], w[2], w[3]); err != nil {
		return nil, err
	}
	oh, ow := o.Window.Out(x[2], x[3], w[2], w[3])
	return []tensor.Shape{{x[0], w[0], oh, ow}}, nil
}

// Grad uses the two operations below.
func (o Conv2D) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	x, w := n.In[0], n.In[1]
	return []*Value{
		b.Apply(Conv2DGradInput{o.Window, x.Shape[2], x.Shape[3]}, dout[0], w),
		b.Apply(Conv2DGradFilter{o.Window, w.Shape[2], w.Shape[3]}, x, dout[0]),
	}
}

// Conv2DGradInput is the gradient of [Conv2D] with respect to the images, the transposed convolution: dy [batch, out,
// oh, ow], w [out, in, kh, kw] → dx [batch, in, H, W].
type Conv2DGradInput struct {
	Window Window
	H, W   int
}

// Name is "conv2d-grad-input".
func (o Conv2DGradInput) Name() string { return "conv2d-grad-input" }

// Infer returns [batch, in, H, W].
func (o Conv2DGradInput) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 2 || len(in[0]) != 4 || len(in[1]) != 4 || in[0][1] != in[1][0] {
		return nil, fmt.Errorf("takes gradients [batch, out, height, width] and filters [out, in, height, width]")
	}
	if err := o.Window.check(o.H, o.W, in[1][2], in[1][3]); err != nil {
		return nil, err
	}
	if oh, ow := o.Window.Out(o.H, o.W, in[1][2], in[1][3]); oh != in[0][2] || ow != in[0][3] {
		return nil, fmt.Errorf("an image of %dx%d gives %dx%d", o.H, o.W, oh, ow)
	}
	return []tensor.Shape{{in[0][0], in[1][1], o.H, o.W}}, nil
}

// Grad uses that the operation is linear in both operands.
func (o Conv2DGradInput) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	w := n.In[1]
	return []*Value{
		b.Apply(Conv2D{o.Window}, dout[0], w),
		b.Apply(Conv2DGradFilter{o.Window, w.Shape[2], w.Shape[3]}, dout[0], n.In[0]),
	}
}

// Conv2DGradFilter is the gradient of [Conv2D] with respect to the filters, summed over the minibatch: x [batch, in, h,
// w], dy [batch, out, oh, ow] → dw [out, in, KH, KW].
type Conv2DGradFilter struct {
	Window Window
	KH, KW int
}

// Name is "conv2d-grad-filter".
func (o Conv2DGradFilter) Name() string { return "conv2d-grad-filter" }

// Infer returns [out, in, KH, KW].
func (o Conv2DGradFilter) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 2 || len(in[0]) != 4 || len(in[1]) != 4 || in[0][0] != in[1][0] {
		return nil, fmt.Errorf("takes images and gradients of one batch")
	}
	x, dy := in[0], in[1]
	if err := o.Window.check(x[2], x[3], o.KH, o.KW); err != nil {
		return nil, err
	}
	if oh, ow := o.Window.Out(x[2], x[3], o.KH, o.KW); oh != dy[2] || ow != dy[3] {
		return nil, fmt.Errorf("a kernel of %dx%d gives %dx%d", o.KH, o.KW, oh, ow)
	}
	return []tensor.Shape{{dy[1], x[1], o.KH, o.KW}}, nil
}

// Grad uses that the operation is linear in both operands.
func (o Conv2DGradFilter) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	x := n.In[0]
	return []*Value{
		b.Apply(Conv2DGradInput{o.Window, x.Shape[2], x.Shape[3]}, n.In[1], dout[0]),
		b.Apply(Conv2D{o.Window}, x, dout[0]),
	}
}
