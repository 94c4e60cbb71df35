package layer

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

// The data formats of images and volumes at the layer's inputs and outputs. Computation is in NCHW and NCDHW.
const (
	nchw  = "NCHW"  // [batch, channels, height, width]
	nhwc  = "NHWC"  // [batch, height, width, channels]
	ncdhw = "NCDHW" // [batch, channels, depth, height, width]
	ndhwc = "NDHWC" // [batch, depth, height, width, channels]
)

// imageFormat returns a layer's data format. As in Deeplearning4j, that is the format of the input type, if it is
// known, or else the one that is set, or else NCHW. A layer from a file keeps the file's format.
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

// volumeFormat is imageFormat for volumes.
func volumeFormat(format string, d Defaults, in []inputtype.Type) string {
	known := len(in) == 1 && in[0].Kind == inputtype.Convolutional3DKind && !d.FromFile
	switch {
	case known && in[0].ChannelsLast:
		return ndhwc
	case known || format == "":
		return ncdhw
	}
	return format
}

func checkVolumeFormat(format string) error {
	if format != ncdhw && format != ndhwc {
		return fmt.Errorf("the data format %q is unknown: NCDHW and NDHWC are known", format)
	}
	return nil
}

// volume checks that the only input is a volume, of nIn channels unless that is 0, and reads it in the given data
// format.
func volume(in []inputtype.Type, nIn int, format string) (inputtype.Type, error) {
	t, err := Single(in)
	if err != nil {
		return t, err
	}
	if t.Kind != inputtype.Convolutional3DKind {
		return t, fmt.Errorf("takes volumes [batch, channels, depth, height, width], got %v; set the network's input type", t)
	}
	if t.ChannelsLast && format != ndhwc {
		return t, fmt.Errorf("has the data format %s, and gets %v; leave the format open where the input type is set",
			format, t)
	}
	t = t.Read(format == ndhwc)
	if nIn != 0 && t.Channels != nIn {
		return t, fmt.Errorf("takes volumes with %d channels (nIn), got %v", nIn, t)
	}
	return t, nil
}

// channelsFirst moves the channels to the second dimension if they are in the last one.
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

// reordered transposes x. If x is the result of the inverse transposition, it returns the original, so that layers of
// one format pass on their results without transpositions.
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

// activate applies the activation to z, whose channels are in the second dimension, and returns the result in the
// layer's format. A softmax runs along the last dimension of the format, as in Deeplearning4j.
func activate(c *Context, a activation.Activation, z *program.Value, last bool) *program.Value {
	env := activation.Env{Training: c.Training, Stream: c.Stream + 1}
	switch a.(type) {
	case activation.Softmax, activation.LogSoftmax:
		return a.Apply(c.Builder, channelsLast(c, z, last), env)
	}
	return channelsLast(c, a.Apply(c.Builder, z, env), last)
}
