package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	Classes.Register(javaPackage+"LocallyConnected2D", func() Layer { return LocallyConnected2D{Format: nchw} })
}

// LocallyConnected2D slides filters over images, with different filters at each place: x [batch, nIn, h, w] → act(y +
// b) [batch, nOut, oh, ow] (Deeplearning4j: LocallyConnected2D). Each pair is height and width.
//
// W [oh·ow, nIn·kh·kw, nOut] holds the filters of each place. Two oddities are Deeplearning4j's. The filters W[p]
// compute the pixel in row p/ow and column p mod ow of the result, but from the window in row p mod oh and column p/oh.
// And a dilation makes the result smaller, but does not dilate the windows.
type LocallyConnected2D struct {
	SameDiff
	NIn        int    `dl4j:"nin"`
	NOut       int    `dl4j:"nout"`
	Activation string `dl4j:"activation"` // a name of Deeplearning4j's enum Activation; TANH if it is empty
	NoBias     Not    `dl4j:"hasBias"`
	Kernel     [2]int `dl4j:"kernel"` // 2x2 if both are 0
	Stride     [2]int `dl4j:"stride"` // 1x1 if both are 0
	// Padding follows from the sizes in mode Same.
	Padding   [2]int          `dl4j:"padding"`
	PaddingBR *[2]int         `dl4j:"paddingBr"` // padding at the bottom and the right in mode Same; ignored otherwise
	Dilation  [2]int          `dl4j:"dilation"`  // 1x1 if both are 0
	Mode      ConvolutionMode `dl4j:"cm"`        // Same if it is empty
	// InputSize is the size of the images; by default, that of the input type.
	InputSize [2]int `dl4j:"inputSize"`
	// OutputSize and FeatureDim, nIn·kh·kw, are computed.
	OutputSize [2]int `dl4j:"outputSize"`
	FeatureDim int    `dl4j:"featureDim"`
	Format     string `dl4j:"format"` // NCHW or NHWC; by default, that of the input type
}

// Sizes returns nIn and nOut.
func (l LocallyConnected2D) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

func (l LocallyConnected2D) window() window2D {
	return window2D{l.Kernel, l.Stride, l.Padding, l.Dilation, l.Mode, l.Format}
}

// Complete fills in settings that are left open.
func (l LocallyConnected2D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	s, err := l.SameDiff.complete(d)
	if err != nil {
		return nil, err
	}
	l.SameDiff = s
	if l.Activation == "" {
		l.Activation = "TANH"
	}
	if l.Mode == "" {
		l.Mode = Same
	}
	if l.Kernel == [2]int{} {
		l.Kernel = [2]int{2, 2}
	}
	l.Stride, l.Dilation = ones(l.Stride), ones(l.Dilation)
	l.Format = imageFormat(l.Format, d, in)
	if _, err := sameDiffActivation(l.Activation); err != nil {
		return nil, err
	}
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	if t.Kind == inputtype.ConvolutionalKind && !d.FromFile {
		t = t.Read(l.Format == nhwc)
		l.InputSize = [2]int{t.Height, t.Width}
		if l.NIn == 0 {
			l.NIn = t.Channels
		}
	}
	if err := l.window().check(); err != nil {
		return nil, err
	}
	if err := checkTaps(l.Kernel[0] * l.Kernel[1]); err != nil {
		return nil, err
	}
	if err := positive(l.NIn, l.NOut); err != nil {
		return nil, err
	}
	if l.InputSize[0] < 1 || l.InputSize[1] < 1 {
		return nil, fmt.Errorf("inputSize is %v: set it, or the network's input type", l.InputSize)
	}
	over, out, err := l.window().over(l.InputSize[0], l.InputSize[1])
	if err != nil {
		return nil, err
	}
	l.OutputSize, l.FeatureDim = out, l.NIn*l.Kernel[0]*l.Kernel[1]
	if l.Mode == Same {
		l.Padding, l.PaddingBR = [2]int{over.PadTop, over.PadLeft}, &[2]int{over.PadBottom, over.PadRight}
	}
	if _, err := (tensor.Shape{out[0], out[1], l.FeatureDim, l.NOut}).CheckedSize(1 << 31); err != nil {
		return nil, err
	}
	l.SameDiff = l.withParams(l.Params())
	return l, l.CheckWeights(l.Params())
}

// Preprocessor restores the shape of flat images.
func (l LocallyConnected2D) Preprocessor(in inputtype.Type) Preprocessor {
	return toImages(in)
}

// OutputType is an image of nOut channels.
func (l LocallyConnected2D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := image(in, l.NIn, l.Format)
	if err == nil && (t.Height != l.InputSize[0] || t.Width != l.InputSize[1]) {
		err = fmt.Errorf("takes images of %dx%d (inputSize), got %v", l.InputSize[0], l.InputSize[1], t)
	}
	t.Height, t.Width, t.Channels = l.OutputSize[0], l.OutputSize[1], l.NOut
	return t, err
}

// Params are W [oh·ow, nIn·kh·kw, nOut] and b [nOut].
func (l LocallyConnected2D) Params() []Param {
	area := float64(l.Kernel[0] * l.Kernel[1])
	ps := []Param{l.weight("W", weights.FanInOut{In: float64(l.NIn) * area,
		Out: float64(l.NOut) * area / float64(l.Stride[0]*l.Stride[1])},
		l.OutputSize[0]*l.OutputSize[1], l.FeatureDim, l.NOut)}
	if !l.NoBias {
		ps = append(ps, l.base().Bias("b", l.NOut))
	}
	return ps
}

// Forward emits the formula.
func (l LocallyConnected2D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	w, out, _ := l.window().over(l.InputSize[0], l.InputSize[1])
	x := padded(c, channelsFirst(c, in[0].Value, t.ChannelsLast), 2, w.PadTop, w.PadBottom, w.PadLeft, w.PadRight)
	var cells []*program.Value
	for u := range l.Kernel[0] {
		rows := strided(c, x, 2, u, out[0], w.StrideH)
		for v := range l.Kernel[1] {
			cells = append(cells, c.Reshape(strided(c, rows, 3, v, out[1], w.StrideW), x.Shape[0], l.NIn, 1, out[0], out[1]))
		}
	}
	y := locally(c, c.Concat(2, cells...), c.Params["W"])
	z := c.Transpose(c.Reshape(y, out[0], out[1], x.Shape[0], l.NOut), 2, 3, 0, 1)
	if !l.NoBias {
		z = c.Add(z, c.Reshape(c.Params["b"], l.NOut, 1, 1))
	}
	act, _ := sameDiffActivation(l.Activation)
	return Activation{activate(c, act, z, t.ChannelsLast), passed(in[0].Mask), t}
}

// locally multiplies the windows [batch, nIn, k, oh, ow] by the filters of each place. The result is [ow·oh, batch,
// nOut], the row varying fastest.
func locally(c *Context, windows, filters *program.Value) *program.Value {
	s := windows.Shape
	rows := c.Reshape(c.Transpose(windows, 4, 3, 0, 1, 2), s[4]*s[3], s[0], s[1]*s[2])
	return c.Apply(program.MatMul{}, rows, filters)
}
