package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

// Dense is a fully connected layer: x [batch, nIn] → act(x·W + b) [batch, nOut]
// (Deeplearning4j: DenseLayer). Images are laid out as rows before it.
type Dense struct {
	Base
	// NIn follows from the input type where it is 0.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"`
	NoBias     Not                   `dl4j:"hasBias"`
	// LayerNorm normalises the pre-activations of each row to mean 0 and variance 1, before a gain g and the bias (Ba,
	// Kiros and Hinton, "Layer normalization", 2016). There is no epsilon: a row of equal values becomes 0, and no gradient
	// goes through it.
	LayerNorm bool `dl4j:"hasLayerNorm"`
}

// Sizes gives nIn and nOut.
func (l Dense) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// InputType is rows of nIn.
func (l Dense) InputType() inputtype.Type { return rowOf(l.NIn) }

// Complete fills what is open.
func (l Dense) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	base, err := l.Base.complete(d)
	if err != nil {
		return nil, err
	}
	l.Base = base
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	l.NIn, err = rowSize(l.NIn, in)
	if err == nil {
		err = affineCheck(l.Base, l.NIn, l.NOut)
	}
	return l, err
}

// Preprocessor makes rows of images.
func (l Dense) Preprocessor(in inputtype.Type) Preprocessor { return toRows(in) }

// OutputType is a vector of nOut.
func (l Dense) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return affineType(in, l.NIn, l.NOut)
}

// Params are W [nIn, nOut], b [nOut] and the gain g [nOut].
func (l Dense) Params() []Param {
	ps := affineParams(l.Base, l.NIn, l.NOut, l.NoBias)
	if l.LayerNorm {
		ps = append(ps, l.gain(l.NOut))
	}
	return ps
}

// Forward emits the formula. A mask [batch, 1] multiplies pre-activations and activations.
func (l Dense) Forward(c *Context, in []Activation) Activation {
	z := c.MatMulT(in[0].Value, c.Params["W"])
	if l.LayerNorm {
		z = c.Mul(normaliseRows(c.Builder, z), c.Params["g"])
	}
	if !l.NoBias {
		z = c.Add(z, c.Params["b"])
	}
	z = c.Mask(z, in[0].Mask)
	a := l.Activation.Apply(c.Builder, z, activation.Env{Training: c.Training, Stream: c.Stream + 1})
	return Activation{c.Mask(a, in[0].Mask), in[0].Mask, inputtype.FeedForward(l.NOut)}
}

// normaliseRows gives (z − mean)/std of each row, std being that of the population; 0 where std is 0.
func normaliseRows(c *program.Builder, z *program.Value) *program.Value {
	n := c.Fill(float64(z.Shape[1]))
	mean := c.Div(c.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(1), Keep: true}, z), n)
	centred := c.Sub(z, mean)
	squares := c.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(1), Keep: true}, c.Unary(program.Square, centred))
	variance := c.Div(squares, n)
	flat := c.Binary(program.Equal, variance, c.Fill(0))
	factor := c.Div(c.Fill(1), c.Unary(program.Sqrt, c.Select(flat, c.Fill(1), variance)))
	return c.Mul(centred, c.Select(flat, c.Fill(0), factor))
}

// rowSize gives nIn, from the input's type where it is not set.
func rowSize(nIn int, in []inputtype.Type) (int, error) {
	t, err := single(in)
	if nIn == 0 && t.Kind != inputtype.Unknown {
		nIn = t.Elements()
	}
	return nIn, err
}

func affineCheck(b Base, nIn, nOut int) error {
	if err := positive(nIn, nOut); err != nil {
		return err
	}
	return b.WeightInit.Validate([]int{nOut, nIn})
}

func affineType(in []inputtype.Type, nIn, nOut int) (inputtype.Type, error) {
	t, err := single(in)
	if err != nil {
		return t, err
	}
	row := t.Kind == inputtype.FeedForwardKind || t.Kind == inputtype.ConvolutionalFlatKind
	if !row || t.Elements() != nIn {
		return t, fmt.Errorf("takes vectors of %d (nIn), got %v", nIn, t)
	}
	return inputtype.FeedForward(nOut).Over(t), nil
}

func affineParams(b Base, nIn, nOut int, noBias Not) []Param {
	w := b.weight(Param{Name: "W", Shape: []int{nIn, nOut}, Order: 'f',
		Init: drawn(b.WeightInit, []int{nOut, nIn}, weights.FanInOut{In: float64(nIn), Out: float64(nOut)})})
	if noBias {
		return []Param{w}
	}
	return []Param{w, b.bias(nOut)}
}

func toRows(in inputtype.Type) Preprocessor {
	switch in.Kind {
	case inputtype.RecurrentKind:
		if in.Format == "" {
			in.Format = inputtype.NCW
		}
		return RnnToFeedForward{Format: in.Format}
	case inputtype.ConvolutionalKind:
		format := nchw
		if in.ChannelsLast {
			format = nhwc
		}
		return CnnToFeedForward{Height: in.Height, Width: in.Width, Channels: in.Channels, Format: format}
	case inputtype.Convolutional3DKind:
		return Cnn3DToFeedForward{Depth: in.Depth, Height: in.Height, Width: in.Width, Channels: in.Channels,
			NCDHW: !in.ChannelsLast}
	}
	return nil
}

// rowOf is a row of n; not known where n is 0.
func rowOf(n int) inputtype.Type {
	if n == 0 {
		return inputtype.Type{}
	}
	return inputtype.FeedForward(n)
}
