package program

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// DepthwiseConv2D is the cross-correlation of each channel of images x [batch, in, h, w] with multiplier filters of its
// own, w [in, multiplier, kh, kw]:
// y[n, c·multiplier + k, i, j] =
// Σ_{u, v} x[n, c, i·stride + u·dilation − pad, j·stride + v·dilation − pad] · w[c, k, u, v].
type DepthwiseConv2D struct{ Window Window }

// Name is "depthwise-conv2d".
func (o DepthwiseConv2D) Name() string { return "depthwise-conv2d" }

// Infer returns [batch, in·multiplier, oh, ow].
func (o DepthwiseConv2D) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 2 || len(in[0]) != 4 || len(in[1]) != 4 {
		return nil, fmt.Errorf("takes images [batch, channels, height, width] and filters " +
			"[channels, multiplier, height, width]")
	}
	x, w := in[0], in[1]
	if x[1] != w[0] {
		return nil, fmt.Errorf("images of %d channels and filters for %d", x[1], w[0])
	}
	if err := o.Window.check(x[2], x[3], w[2], w[3]); err != nil {
		return nil, err
	}
	oh, ow := o.Window.Out(x[2], x[3], w[2], w[3])
	return []tensor.Shape{{x[0], x[1] * w[1], oh, ow}}, nil
}

// Grad uses the two operations below.
func (o DepthwiseConv2D) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	x, w := n.In[0], n.In[1]
	return []*Value{
		b.Apply(DepthwiseConv2DGradInput{o.Window, x.Shape[2], x.Shape[3]}, dout[0], w),
		b.Apply(DepthwiseConv2DGradFilter{o.Window, w.Shape[2], w.Shape[3]}, x, dout[0]),
	}
}

// DepthwiseConv2DGradInput is the gradient of [DepthwiseConv2D] with respect to the images: dy [batch, in·multiplier,
// oh, ow], w [in, multiplier, kh, kw] → dx [batch, in, H, W].
type DepthwiseConv2DGradInput struct {
	Window Window
	H, W   int
}

// Name is "depthwise-conv2d-grad-input".
func (o DepthwiseConv2DGradInput) Name() string { return "depthwise-conv2d-grad-input" }

// Infer returns [batch, in, H, W].
func (o DepthwiseConv2DGradInput) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 2 || len(in[0]) != 4 || len(in[1]) != 4 || in[0][1] != in[1][0]*in[1][1] {
		return nil, fmt.Errorf("takes gradients [batch, channels·multiplier, height, width] and filters " +
			"[channels, multiplier, height, width]")
	}
	if err := o.Window.check(o.H, o.W, in[1][2], in[1][3]); err != nil {
		return nil, err
	}
	if oh, ow := o.Window.Out(o.H, o.W, in[1][2], in[1][3]); oh != in[0][2] || ow != in[0][3] {
		return nil, fmt.Errorf("an image of %dx%d gives %dx%d", o.H, o.W, oh, ow)
	}
	return []tensor.Shape{{in[0][0], in[1][0], o.H, o.W}}, nil
}

// Grad uses that the operation is linear in both operands.
func (o DepthwiseConv2DGradInput) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	w := n.In[1]
	return []*Value{
		b.Apply(DepthwiseConv2D{o.Window}, dout[0], w),
		b.Apply(DepthwiseConv2DGradFilter{o.Window, w.Shape[2], w.Shape[3]}, dout[0], n.In[0]),
	}
}

// DepthwiseConv2DGradFilter is the gradient of [DepthwiseConv2D] with respect to the filters, summed over the
// minibatch: x [batch, in, h, w], dy [batch, in·multiplier, oh, ow] → dw [in, multiplier, KH, KW].
type DepthwiseConv2DGradFilter struct {
	Window Window
	KH, KW int
}

// Name is "depthwise-conv2d-grad-filter".
func (o DepthwiseConv2DGradFilter) Name() string { return "depthwise-conv2d-grad-filter" }

// Infer returns [in, multiplier, KH, KW].
func (o DepthwiseConv2DGradFilter) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 2 || len(in[0]) != 4 || len(in[1]) != 4 || in[0][0] != in[1][0] {
		return nil, fmt.Errorf("takes images and gradients of one batch")
	}
	x, dy := in[0], in[1]
	if x[1] == 0 || dy[1]%x[1] != 0 {
		return nil, fmt.Errorf("images of %d channels and gradients of %d, which is not a multiple", x[1], dy[1])
	}
	if err := o.Window.check(x[2], x[3], o.KH, o.KW); err != nil {
		return nil, err
	}
	if oh, ow := o.Window.Out(x[2], x[3], o.KH, o.KW); oh != dy[2] || ow != dy[3] {
		return nil, fmt.Errorf("a kernel of %dx%d gives %dx%d", o.KH, o.KW, oh, ow)
	}
	return []tensor.Shape{{x[1], dy[1] / x[1], o.KH, o.KW}}, nil
}

// Grad uses that the operation is linear in both operands.
func (o DepthwiseConv2DGradFilter) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	x := n.In[0]
	return []*Value{
		b.Apply(DepthwiseConv2DGradInput{o.Window, x.Shape[2], x.Shape[3]}, n.In[1], dout[0]),
		b.Apply(DepthwiseConv2D{o.Window}, x, dout[0]),
	}
}
