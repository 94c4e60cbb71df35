package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	Classes.Register(javaPackage+"LocallyConnected1D", func() Layer { return LocallyConnected1D{} })
}

// LocallyConnected1D slides filters over sequences, with different filters at each step: x [batch, nIn, t] → act(y +
// b) [batch, nOut, ot], with W [ot, nIn·k, nOut] (Deeplearning4j: LocallyConnected1D). As in Deeplearning4j, a
// dilation shortens the result, but does not dilate the windows. A mask must fit the result and is passed on.
type LocallyConnected1D struct {
	SameDiff
	NIn        int    `dl4j:"nin"`
	NOut       int    `dl4j:"nout"`
	Activation string `dl4j:"activation"` // a name of Deeplearning4j's enum Activation; TANH if it is empty
	NoBias     Not    `dl4j:"hasBias"`
	Kernel     int    `dl4j:"kernel"` // 2 if it is 0
	Stride     int    `dl4j:"stride"` // 1 if it is 0
	// Padding follows from the sizes in mode Same.
	Padding  int             `dl4j:"padding"`
	PaddingR int             `dl4j:"paddingR"` // padding at the end in mode Same; ignored otherwise
	Dilation int             `dl4j:"dilation"` // 1 if it is 0
	Mode     ConvolutionMode `dl4j:"cm"`       // Same if it is empty
	// InputSize is the length of the sequences; it follows from the input type if that is known.
	InputSize int `dl4j:"inputSize"`
	// OutputSize and FeatureDim, nIn·k, are computed.
	OutputSize int `dl4j:"outputSize"`
	FeatureDim int `dl4j:"featureDim"`
}

// Sizes returns nIn and nOut.
func (l LocallyConnected1D) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

func (l LocallyConnected1D) window() window1D {
	return newWindow1D([2]int{l.Kernel}, [2]int{l.Stride}, [2]int{l.Padding}, [2]int{l.Dilation}, l.Mode)
}

// Complete fills in settings that are left open.
func (l LocallyConnected1D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
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
	if l.Kernel == 0 {
		l.Kernel = 2
	}
	if l.Stride == 0 {
		l.Stride = 1
	}
	if l.Dilation == 0 {
		l.Dilation = 1
	}
	if _, err := sameDiffActivation(l.Activation); err != nil {
		return nil, err
	}
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	if t.Kind == inputtype.RecurrentKind && !d.FromFile {
		if t.TimeSteps > 0 {
			l.InputSize = t.TimeSteps
		}
		if l.NIn == 0 {
			l.NIn = t.Size
		}
	}
	if err := l.window().window2D.check(); err != nil {
		return nil, fmt.Errorf("%w (as an image of width 1)", err)
	}
	if err := checkTaps(l.Kernel); err != nil {
		return nil, err
	}
	if err := positive(l.NIn, l.NOut); err != nil {
		return nil, err
	}
	if l.InputSize < 1 {
		return nil, fmt.Errorf("inputSize is %d: set it, or the length in the network's input type", l.InputSize)
	}
	over, out, err := l.window().over(l.InputSize)
	if err != nil {
		return nil, err
	}
	l.OutputSize, l.FeatureDim = out, l.NIn*l.Kernel
	if l.Mode == Same {
		l.Padding, l.PaddingR = over.PadTop, over.PadBottom
	}
	if _, err := (tensor.Shape{out, l.FeatureDim, l.NOut}).CheckedSize(1 << 31); err != nil {
		return nil, err
	}
	l.SameDiff = l.withParams(l.Params())
	return l, l.CheckWeights(l.Params())
}

// Preprocessor combines vectors and images, which are steps, into sequences.
func (l LocallyConnected1D) Preprocessor(in inputtype.Type) Preprocessor {
	return toSequence(in, inputtype.NCW)
}

// OutputType is a sequence of vectors of nOut elements.
func (l LocallyConnected1D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := sequence(in, l.NIn, "")
	if err == nil && t.TimeSteps > 0 && t.TimeSteps != l.InputSize {
		err = fmt.Errorf("takes sequences of %d steps (inputSize), got %d", l.InputSize, t.TimeSteps)
	}
	t.Size, t.TimeSteps = l.NOut, l.OutputSize
	return t, err
}

// Params are W [ot, nIn·k, nOut] and b [nOut].
func (l LocallyConnected1D) Params() []Param {
	ps := []Param{l.weight("W", weights.FanInOut{In: float64(l.NIn * l.Kernel),
		Out: float64(l.NOut*l.Kernel) / float64(l.Stride)},
		l.OutputSize, l.FeatureDim, l.NOut)}
	if !l.NoBias {
		ps = append(ps, l.base().Bias("b", l.NOut))
	}
	return ps
}

// Forward emits the formula.
func (l LocallyConnected1D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	last := t.Format == inputtype.NWC
	w, out, _ := l.window().over(l.InputSize)
	x := padded(c, channelsFirst(c, in[0].Value, last), 2, w.PadTop, w.PadBottom)
	var cells []*program.Value
	for u := range l.Kernel {
		cells = append(cells, c.Reshape(strided(c, x, 2, u, out, l.Stride), x.Shape[0], l.NIn, 1, out, 1))
	}
	y := locally(c, c.Concat(2, cells...), c.Params["W"])
	z := c.Transpose(y, 1, 2, 0)
	if !l.NoBias {
		z = c.Add(z, c.Reshape(c.Params["b"], l.NOut, 1))
	}
	act, _ := sameDiffActivation(l.Activation)
	return Activation{activate(c, act, z, last), in[0].Mask, t}
}
