package layer

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

// The data formats of images, as arrays at the layer's edges have them. Computation is in NCHW.
const (
	nchw = "NCHW" // [batch, channels, height, width]
	nhwc = "NHWC" // [batch, height, width, channels]
)

// imageFormat gives a layer's data format: that of a known type of the inputs, as in Deeplearning4j, else what is set, else
// NCHW. A layer from a file has what the file says.
func imageFormat(format string, d Defaults, in []inputtype.Type) string {
	known := len(in) == 1 && in[0].Kind == inputtype.ConvolutionalKind && !d.FromFile
	switch {
	case known && in[0].ChannelsLast:
		return nhwc
	case known || format == "":
		return nchw
	}
	return format
}

func checkFormat(format string) error {
	if format != nchw && format != nhwc {
		return fmt.Errorf("the data format %q is unknown: NCHW and NHWC are known", format)
	}
	return nil
}

// channelsFirst gives x with the channels in the second dimension, where they are in the last one.
func channelsFirst(c *Context, x *program.Value, last bool) *program.Value {
	if !last {
		return x
	}
	perm := []int{0, len(x.Shape) - 1}
	for i := 1; i < len(x.Shape)-1; i++ {
		perm = append(perm, i)
	}
	return reordered(c, x, perm)
}

// channelsLast is the inverse of channelsFirst.
func channelsLast(c *Context, x *program.Value, last bool) *program.Value {
	if !last {
		return x
	}
	perm := []int{0}
	for i := 2; i < len(x.Shape); i++ {
		perm = append(perm, i)
	}
	return reordered(c, x, append(perm, 1))
}

// reordered transposes. A transposition that undoes another one gives what was before it, so that layers of one format
// pass on what they have computed.
func reordered(c *Context, x *program.Value, perm []int) *program.Value {
	if x.Kind == program.FromNode {
		if t, ok := x.Node.Op.(program.Transpose); ok {
			undone := true
			for i, p := range perm {
				undone = undone && t.Perm.List()[p] == i
			}
			if undone {
				return x.Node.In[0]
			}
		}
	}
	return c.Transpose(x, slices.Clone(perm)...)
}

// activate applies the activation to z, whose channels are in the second dimension, and gives it in the layer's format. A
// softmax is along the last dimension of the format, as in Deeplearning4j.
func activate(c *Context, a activation.Activation, z *program.Value, last bool) *program.Value {
	env := activation.Env{Training: c.Training, Stream: c.Stream + 1}
	if _, softmax := a.(activation.Softmax); softmax {
		return a.Apply(c.Builder, channelsLast(c, z, last), env)
	}
	return channelsLast(c, a.Apply(c.Builder, z, env), last)
}
