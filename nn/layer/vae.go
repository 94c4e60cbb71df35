package layer

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	Classes.Register(javaPackage+"variational.VariationalAutoencoder", func() Layer { return VariationalAutoencoder{} })
}

// VariationalAutoencoder is a variational autoencoder (Kingma and Welling, "Auto-encoding variational Bayes", 2014;
// Deeplearning4j: VariationalAutoencoder). In a network that is trained with labels, it consists of the dense layers
// of its encoder, and outputs the mean of z: x [batch, nIn] → PzxActivation(h·pZXMeanW + pZXMeanb) [batch, nOut]. Its
// decoder is only for pretraining. Masks are an error.
type VariationalAutoencoder struct {
	Base
	// NIn follows from the input type if it is 0.
	NIn  int `dl4j:"nin"`
	NOut int `dl4j:"nout"` // elements of z
	// Activation is the activation of the encoder's and the decoder's layers.
	Activation activation.Activation `dl4j:"activationFn"`
	Encoder    []int                 `dl4j:"encoderLayerSizes"` // 100 if it is empty
	Decoder    []int                 `dl4j:"decoderLayerSizes"` // 100 if it is empty
	// Output is a GaussianReconstruction with TanH if it is nil, as in Deeplearning4j's builder.
	Output Reconstruction `dl4j:"outputDistribution"`
	// PzxActivation is the activation of the mean and of the logarithm of the variance of z; nil means identity.
	PzxActivation activation.Activation `dl4j:"pzxActivationFn"`
	// NumSamples is the number of z that pretraining draws for each example; 0 means 1.
	NumSamples int `dl4j:"numSamples"`
	// LossFunction and VisibleBiasInit are ignored: Deeplearning4j writes them.
	LossFunction    string  `dl4j:"lossFunction"`
	VisibleBiasInit float64 `dl4j:"visibleBiasInit"`
}

// The bounds of a variational autoencoder.
const (
	maxCoderLayers = 100
	maxSamples     = 10000
)

// Sizes returns nIn and nOut.
func (l VariationalAutoencoder) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// Complete fills in settings that are left open.
func (l VariationalAutoencoder) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	base, err := l.Base.Completed(d)
	if err != nil {
		return nil, err
	}
	l.Base = base
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	if l.PzxActivation == nil {
		l.PzxActivation = activation.Identity{}
	}
	if l.Output == nil {
		l.Output = GaussianReconstruction{activation.TanH{}}
	}
	if len(l.Encoder) == 0 {
		l.Encoder = []int{100}
	}
	if len(l.Decoder) == 0 {
		l.Decoder = []int{100}
	}
	if l.NumSamples == 0 {
		l.NumSamples = 1
	}
	if l.LossFunction == "" {
		l.LossFunction = "RECONSTRUCTION_CROSSENTROPY"
	}
	if l.NIn, err = RowSize(l.NIn, in); err != nil {
		return nil, err
	}
	if err := l.CheckMatrix(l.NIn, l.NOut); err != nil {
		return nil, err
	}
	for name, sizes := range map[string][]int{"encoderLayerSizes": l.Encoder, "decoderLayerSizes": l.Decoder} {
		before := l.NIn
		if len(sizes) > maxCoderLayers {
			return nil, fmt.Errorf("%s has %d layers: at most %d are possible", name, len(sizes), maxCoderLayers)
		}
		for _, n := range sizes {
			if n < 1 {
				return nil, fmt.Errorf("%s %v: sizes must be positive", name, sizes)
			}
			if _, err := (tensor.Shape{before, n}).CheckedSize(1 << 31); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			before = n
		}
	}
	if l.NumSamples < 1 || l.NumSamples > maxSamples {
		return nil, fmt.Errorf("numSamples is %d: it must be from 1 to %d", l.NumSamples, maxSamples)
	}
	if _, err := loss.ByName(l.LossFunction); err != nil {
		return nil, fmt.Errorf("lossFunction: %w", err)
	}
	if math.IsNaN(l.VisibleBiasInit) || math.IsInf(l.VisibleBiasInit, 0) {
		return nil, fmt.Errorf("visibleBiasInit is %g: it must be a number", l.VisibleBiasInit)
	}
	if l.Output, err = l.Output.Complete(l.NIn); err != nil {
		return nil, fmt.Errorf("outputDistribution: %w", err)
	}
	return l, nil
}

// Preprocessor flattens images.
func (l VariationalAutoencoder) Preprocessor(in inputtype.Type) Preprocessor {
	return ToRows(in)
}

// OutputType is a vector of nOut.
func (l VariationalAutoencoder) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return RowOutput(in, l.NIn, l.NOut)
}

// Params are, for each layer of the encoder, e0W [nIn, size] and e0b [size] and so on; pZXMeanW [size, nOut] and
// pZXMeanb [nOut]; and for pretraining pZXLogStd2W and pZXLogStd2b of the same shapes, d0W, d0b and so on of the
// decoder, pXZW and pXZb of the reconstruction. Biases start at 0.
func (l VariationalAutoencoder) Params() []Param { return l.params(false) }

func (l VariationalAutoencoder) params(pretraining bool) []Param {
	var ps []Param
	add := func(name string, in, out int, pretrain bool) {
		w, b := l.Matrix(name+"W", in, out), l.Bias(name+"b", out)
		b.Init = Constant(0)
		if pretrain && !pretraining {
			w.Kind, b.Kind = PretrainOnly, PretrainOnly
			w.Regularization, b.Regularization = nil, nil
		}
		ps = append(ps, w, b)
	}
	size := l.NIn
	for i, n := range l.Encoder {
		add(fmt.Sprintf("e%d", i), size, n, false)
		size = n
	}
	add("pZXMean", size, l.NOut, false)
	add("pZXLogStd2", size, l.NOut, true)
	size = l.NOut
	for i, n := range l.Decoder {
		add(fmt.Sprintf("d%d", i), size, n, true)
		size = n
	}
	add("pXZ", size, l.Output.Size(l.NIn), true)
	return ps
}

func (l VariationalAutoencoder) affine(c *Context, name string, x *program.Value) *program.Value {
	return c.Affine(x, name+"W", name+"b")
}

// coder emits the layers of encoder or decoder.
func (l VariationalAutoencoder) coder(c *Context, name string, layers int, x *program.Value,
	stream uint64) *program.Value {
	for i := range layers {
		z := l.affine(c, fmt.Sprintf("%s%d", name, i), x)
		x = l.Activation.Apply(c.Builder, z, activation.Env{Training: c.Training, Stream: c.Stream + stream + uint64(i)})
	}
	return x
}

// Forward emits the encoder's formula.
func (l VariationalAutoencoder) Forward(c *Context, in []Activation) Activation {
	if m := in[0].Mask; m != nil {
		panic(&program.ShapeError{Op: "variational autoencoder", Shapes: []tensor.Shape{m.Shape}, Reason: "it takes no mask"})
	}
	z := l.affine(c, "pZXMean", l.coder(c, "e", len(l.Encoder), in[0].Value, 8))
	a := c.Activate(l.PzxActivation, z)
	return Activation{a, nil, inputtype.FeedForward(l.NOut)}
}
