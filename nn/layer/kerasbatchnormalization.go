package layer

import (
	"github.com/dl4go/dl4go/nn/inputtype"
)

// KerasBatchNormalization is [BatchNormalization] with two settings of Keras: γ and β can be left out one by one, and
// the running variance can average unbiased variances.
//
// Deeplearning4j differs: it has no such layer.
type KerasBatchNormalization struct {
	Base
	NIn   int     `dl4j:"nin"` // number of elements or channels; if it is 0, it follows from the input type
	Decay float64 `dl4j:"decay"`
	Eps   float64 `dl4j:"eps"`
	// NoScale and NoCenter leave γ and β out.
	NoScale  Not `dl4j:"scale"`
	NoCenter Not `dl4j:"center"`
	// Unbiased has the running variance average σ²·n/(n − 1) instead of σ², for n values of a minibatch. Keras 2 does so
	// with images and volumes.
	Unbiased bool   `dl4j:"unbiased"`
	Format   string `dl4j:"cnn2DFormat"` // of images: NCHW or NHWC; by default, that of the input type
}

// Plain returns the layer that computes the same in inference, where γ is 1 and β is 0 if they are left out.
func (l KerasBatchNormalization) Plain() BatchNormalization {
	return BatchNormalization{Base: l.Base, NIn: l.NIn, NOut: l.NIn, Decay: l.Decay, Eps: l.Eps, Gamma: 1,
		Format: l.Format, LockGammaBeta: bool(l.NoScale && l.NoCenter)}
}

// Sizes returns nIn twice.
func (l KerasBatchNormalization) Sizes() (nIn, nOut int) { return l.NIn, l.NIn }

// Follows marks the layer as a [Follower]: it has as many outputs as inputs.
func (l KerasBatchNormalization) Follows() {}

// Complete fills in settings that are left open.
func (l KerasBatchNormalization) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	of, err := l.Plain().Complete(d, in)
	if err != nil {
		return nil, err
	}
	full := of.(BatchNormalization)
	l.Base, l.NIn, l.Format = full.Base, full.NIn, full.Format
	return l, nil
}

// Preprocessor restores the shape of flat images.
func (l KerasBatchNormalization) Preprocessor(in inputtype.Type) Preprocessor { return toImages(in) }

// OutputType is the type of the input.
func (l KerasBatchNormalization) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return l.Plain().OutputType(in)
}

// Params are gamma and beta, unless NoScale or NoCenter leaves them out, mean and var; each [nIn].
func (l KerasBatchNormalization) Params() []Param {
	var ps []Param
	for _, p := range l.Plain().Params() {
		if p.Name == "gamma" && bool(l.NoScale) || p.Name == "beta" && bool(l.NoCenter) {
			continue
		}
		ps = append(ps, p)
	}
	return ps
}

// Forward emits the formula.
func (l KerasBatchNormalization) Forward(c *Context, in []Activation) Activation {
	gamma, beta := c.Params["gamma"], c.Params["beta"]
	if l.NoScale {
		gamma = c.Fill(1, l.NIn)
	}
	if l.NoCenter {
		beta = c.Fill(0, l.NIn)
	}
	return l.Plain().normalised(c, in[0], gamma, beta, l.Unbiased)
}

func init() {
	Classes.Register(ownPackage+"KerasBatchNormalization", func() Layer { return KerasBatchNormalization{} })
}
