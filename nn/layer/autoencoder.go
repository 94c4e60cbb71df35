package layer

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/loss"
)

// AutoEncoder is a denoising autoencoder (Vincent and others, "Extracting and composing robust features with denoising
// autoencoders", 2008; Deeplearning4j: AutoEncoder). In a network that is trained by labels it is a dense layer:
// x [batch, nIn] → act(x·W + b) [batch, nOut]. Pretraining reconstructs x as act(y·Wᵀ + vb).
type AutoEncoder struct {
	Base
	// NIn follows from the input type if it is 0.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"`
	// CorruptionLevel is the probability that pretraining sets an input to 0. It is 0.3 in NewAutoEncoder and if a
	// literal leaves it out.
	CorruptionLevel float64 `dl4j:"corruptionLevel"`
	// Sparsity, if not 0, changes the gradient of pretraining: see Pretrain.
	Sparsity float64 `dl4j:"sparsity"`
	// LossFunction is the name of pretraining's loss: RECONSTRUCTION_CROSSENTROPY if it is empty.
	LossFunction string `dl4j:"lossFunction"`
	// VisibleBiasInit is the initial value of vb.
	VisibleBiasInit float64 `dl4j:"visibleBiasInit"`

	meant bool // see package literal
}

const usualCorruption = float64(float32(0.3))

// NewAutoEncoder returns an autoencoder with Deeplearning4j's corruption level, 0.3.
func NewAutoEncoder(nOut int) AutoEncoder {
	return AutoEncoder{NOut: nOut, CorruptionLevel: usualCorruption, meant: true}
}

// Sizes returns nIn and nOut.
func (l AutoEncoder) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// InputType is rows of nIn.
func (l AutoEncoder) InputType() inputtype.Type { return RowInput(l.NIn) }

// Complete fills in settings that are left open.
func (l AutoEncoder) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	base, err := l.Base.Completed(d)
	if err != nil {
		return nil, err
	}
	l.Base = base
	literal.Fill(&l.meant, d.FromFile, literal.Usually(&l.CorruptionLevel, usualCorruption))
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	if l.LossFunction == "" {
		l.LossFunction = "RECONSTRUCTION_CROSSENTROPY"
	}
	if l.NIn, err = RowSize(l.NIn, in); err != nil {
		return nil, err
	}
	if _, err := loss.ByName(l.LossFunction); err != nil {
		return nil, fmt.Errorf("lossFunction: %w", err)
	}
	if !(l.CorruptionLevel >= 0 && l.CorruptionLevel < 1) {
		return nil, fmt.Errorf("corruptionLevel is %g: it must be in [0, 1)", l.CorruptionLevel)
	}
	if x := l.Sparsity + l.VisibleBiasInit; math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, fmt.Errorf("sparsity %g and visibleBiasInit %g must be numbers", l.Sparsity, l.VisibleBiasInit)
	}
	return l, l.CheckMatrix(l.NIn, l.NOut)
}

// Preprocessor flattens images.
func (l AutoEncoder) Preprocessor(in inputtype.Type) Preprocessor { return ToRows(in) }

// OutputType is a vector of nOut.
func (l AutoEncoder) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return RowOutput(in, l.NIn, l.NOut)
}

// Params are W [nIn, nOut], b [nOut] and the bias of the reconstruction, vb [nIn].
func (l AutoEncoder) Params() []Param {
	return append(affineParams(l.Base, l.NIn, l.NOut, false), Param{Name: "vb", Shape: []int{l.NIn}, Order: 'f',
		Kind: PretrainOnly, Updater: l.Updater, Init: Constant(l.VisibleBiasInit)})
}

// Forward emits the dense layer's formula. A mask [batch, 1] multiplies the gradient, not the activations, as in
// Deeplearning4j; the layers above apply it.
func (l AutoEncoder) Forward(c *Context, in []Activation) Activation {
	z := c.Affine(in[0].Value, "W", "b")
	if m := in[0].Mask; m != nil {
		z = c.WithGradient(z, z, c.BroadcastTo(m, z.Shape...))
	}
	a := c.Activate(l.Activation, z)
	return Activation{a, in[0].Mask, inputtype.FeedForward(l.NOut)}
}

func init() { Classes.Register(javaPackage+"AutoEncoder", func() Layer { return AutoEncoder{} }) }
