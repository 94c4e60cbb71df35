package layer

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// BatchNormalization normalises vectors per element and images per channel: y = γ·(x − μ)/sqrt(σ² + Eps) + β. It uses
// the minibatch's mean and population variance in training, and running statistics in inference (Ioffe and Szegedy,
// "Batch normalization", 2015; Deeplearning4j: BatchNormalization). The running statistics are stored as parameters, so
// workers average them, too. They move by pseudo-gradients: the mean by (1 − Decay)·(mean − μ). The activation in files
// has no effect, as in Deeplearning4j.
type BatchNormalization struct {
	Base
	// NIn and NOut are the number of elements or channels; if they are 0, they follow from the input type.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"`
	Decay      float64               `dl4j:"decay"`
	Eps        float64               `dl4j:"eps"`
	Gamma      float64               `dl4j:"gamma"` // initial, or fixed, factor
	Beta       float64               `dl4j:"beta"`  // initial, or fixed, shift
	// LockGammaBeta fixes γ and β: the layer has statistics only.
	LockGammaBeta bool `dl4j:"lockGammaBeta"`
	// UseLogStd keeps log10 of the running standard deviation instead of the variance, which averages better.
	UseLogStd bool   `dl4j:"useLogStd"`
	Format    string `dl4j:"cnn2DFormat"` // of images: NCHW or NHWC; by default, that of the input type
	Inert     dl4j.Inert
}

// NewBatchNormalization returns a layer with Deeplearning4j's defaults: Decay 0.9, Eps 1e-5, γ 1, β 0, UseLogStd.
func NewBatchNormalization() BatchNormalization {
	return BatchNormalization{Decay: 0.9, Eps: 1e-5, Gamma: 1, UseLogStd: true}
}

// InertFields are a switch of cuDNN and a setting that has no effect in Deeplearning4j either.
func (l BatchNormalization) InertFields() dl4j.Object {
	return dl4j.Object{{Name: "cudnnAllowFallback", Value: true}, {Name: "minibatch", Value: true}}
}

// Sizes returns nIn and nOut.
func (l BatchNormalization) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// Follows marks the layer as a [Follower]: it has as many outputs as inputs.
func (l BatchNormalization) Follows() {}

// Complete fills in settings that are left open.
func (l BatchNormalization) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	base, err := l.Base.Completed(d)
	if err != nil {
		return nil, err
	}
	l.Base = base
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	l.Format = imageFormat(l.Format, d, in)
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	if l.NIn == 0 && t.Kind != inputtype.Unknown {
		l.NIn = channels(t.Read(l.last(t)))
	}
	if l.NOut == 0 {
		l.NOut = l.NIn
	}
	if !(l.Eps > 0) || !(l.Decay >= 0 && l.Decay <= 1) {
		return nil, fmt.Errorf("decay %g must be in [0, 1] and eps %g positive; NewBatchNormalization has the usual values",
			l.Decay, l.Eps)
	}
	if err := checkFormat(l.Format); err != nil {
		return nil, err
	}
	return l, positive(l.NIn, l.NOut)
}

// last reports whether the channels of an input are in the last dimension.
func (l BatchNormalization) last(t inputtype.Type) bool {
	return t.Kind == inputtype.ConvolutionalKind && l.Format == nhwc
}

func channels(t inputtype.Type) int {
	if t.Kind == inputtype.ConvolutionalKind {
		return t.Channels
	}
	return t.Elements()
}

// Preprocessor restores the shape of flat images.
func (l BatchNormalization) Preprocessor(in inputtype.Type) Preprocessor {
	return toImages(in)
}

// OutputType is the type of the input.
func (l BatchNormalization) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := Single(in)
	t = t.Read(l.last(t))
	if err == nil && (t.Kind != inputtype.FeedForwardKind && t.Kind != inputtype.ConvolutionalKind ||
		channels(t) != l.NIn) {
		err = fmt.Errorf("takes vectors of %d or images with %d channels (nIn), got %v", l.NIn, l.NIn, t)
	}
	return t, err
}

// Params are gamma and beta, unless they are locked, mean, and either var or log10stdev; each [nIn].
func (l BatchNormalization) Params() []Param {
	var ps []Param
	if !l.LockGammaBeta {
		ps = append(ps, l.Scale("gamma", l.NIn, l.Gamma), l.Scale("beta", l.NIn, l.Beta))
	}
	statistic := func(name string, initial float64) Param {
		return Param{Name: name, Shape: []int{l.NIn}, Order: 'f', Kind: Statistic, Updater: updater.NoOp{},
			Init: Constant(initial)}
	}
	ps = append(ps, statistic("mean", 0))
	if l.UseLogStd {
		return append(ps, statistic("log10stdev", 0))
	}
	return append(ps, statistic("var", 1))
}

// Forward emits the formula.
func (l BatchNormalization) Forward(c *Context, in []Activation) Activation {
	gamma, beta := c.Params["gamma"], c.Params["beta"]
	if l.LockGammaBeta {
		gamma, beta = c.Fill(l.Gamma, l.NIn), c.Fill(l.Beta, l.NIn)
	}
	return l.normalised(c, in[0], gamma, beta, false)
}

// normalised emits the formula for γ and β. Unbiased corrects the variance that the running one averages.
func (l BatchNormalization) normalised(
	c *Context, out Activation, gamma, beta *program.Value, unbiased bool,
) Activation {
	out.Type = out.Type.Read(l.last(out.Type))
	last := out.Type.ChannelsLast
	out.Value = channelsFirst(c, out.Value, last)
	mean, variance := c.Params["mean"], c.Params["var"]
	if l.UseLogStd {
		variance = c.Unary(program.Exp, c.Mul(c.Params["log10stdev"], c.Fill(2*math.Ln10)))
	}
	if !c.Training {
		perChannel := func(v *program.Value) *program.Value { return v }
		if out.Type.Kind == inputtype.ConvolutionalKind {
			perChannel = func(v *program.Value) *program.Value { return c.Reshape(v, l.NIn, 1, 1) }
		}
		scale := c.Div(gamma, c.Unary(program.Sqrt, c.Add(variance, c.Fill(l.Eps))))
		out.Value = c.Add(c.Mul(c.Sub(out.Value, perChannel(mean)), perChannel(scale)), perChannel(beta))
		out.Value = channelsLast(c, out.Value, last)
		return out
	}
	y := c.ApplyAll(program.BatchNorm{Eps: l.Eps}, out.Value, gamma, beta)
	out.Value = channelsLast(c, y[0], last)
	spread := y[2]
	if n := out.Value.Shape.Size() / l.NIn; unbiased && n > 1 {
		spread = c.Mul(spread, c.Fill(float64(n)/float64(n-1)))
	}
	fresh := c.Fill(1 - l.Decay)
	c.SetGradient("mean", c.Mul(c.Sub(mean, y[1]), fresh))
	if l.UseLogStd {
		mixed := c.Add(c.Mul(variance, c.Fill(l.Decay)), c.Mul(spread, fresh))
		c.SetGradient("log10stdev", c.Sub(c.Params["log10stdev"], c.Mul(c.Unary(program.Log, mixed), c.Fill(0.5/math.Ln10))))
	} else {
		c.SetGradient("var", c.Mul(c.Sub(variance, spread), fresh))
	}
	return out
}
