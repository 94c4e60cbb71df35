package layer

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Pretrainer is a layer that can be trained without labels.
type Pretrainer interface {
	Layer
	// CanPretrain returns the reason why the layer cannot be pretrained, or nil.
	CanPretrain() error
	// PretrainParams returns Params in the same order, with the kinds and the regularisation of pretraining.
	PretrainParams() []Param
	// Pretrain emits the loss of each row of inputs, whose gradient reaches the parameters.
	Pretrain(c *Context, in Activation) *program.Value
}

// CanPretrain refuses losses that do not compare values.
func (l AutoEncoder) CanPretrain() error {
	f := l.pretrainLoss()
	if f.Labels(l.NIn+1) != l.NIn+1 {
		return fmt.Errorf("lossFunction %s takes class numbers: pretraining compares values", l.LossFunction)
	}
	return f.Validate(l.NIn, l.Activation)
}

func (l AutoEncoder) pretrainLoss() loss.Loss {
	if strings.EqualFold(l.LossFunction, "RECONSTRUCTION_CROSSENTROPY") {
		return loss.NewXENT()
	}
	f, _ := loss.ByName(l.LossFunction)
	return f
}

// PretrainParams makes vb a bias, without regularisation.
func (l AutoEncoder) PretrainParams() []Param {
	ps := l.Params()
	ps[2].Kind = Bias
	return ps
}

// Pretrain emits the loss of x against its reconstruction act(y·Wᵀ + vb) from y = act(x'·W + b). x' is x with random
// elements set to 0, each with the probability CorruptionLevel. RECONSTRUCTION_CROSSENTROPY is the binary
// cross-entropy here, for x from 0 to 1.
//
// With a Sparsity s, the gradient that passes through y uses y∘(y − s) for the derivative of the activation. This is
// Deeplearning4j's rule. It is not the gradient of any loss.
func (l AutoEncoder) Pretrain(c *Context, in Activation) *program.Value {
	refuseMask(in)
	x, corrupted := in.Value, in.Value
	if l.CorruptionLevel > 0 {
		keep := c.Binary(program.GreaterEqual, c.Random(c.Stream+2, x.Shape...), c.Fill(l.CorruptionLevel))
		corrupted = c.Mul(x, keep)
	}
	z := c.Affine(corrupted, "W", "b")
	y := l.Activation.Apply(c.Builder, z, activation.Env{Training: true, Stream: c.Stream + 1})
	if l.Sparsity != 0 {
		y = c.WithGradient(y, z, c.Mul(y, c.Sub(y, c.Fill(l.Sparsity))))
	}
	back := c.Add(c.Apply(program.MatMul{}, y, c.Params["W"]), c.Params["vb"])
	return l.pretrainLoss().Rows(c.Builder, x, back, l.Activation, nil)
}

// CanPretrain returns nil.
func (l VariationalAutoencoder) CanPretrain() error { return nil }

// PretrainParams makes the decoder's parameters weights and biases.
func (l VariationalAutoencoder) PretrainParams() []Param { return l.params(true) }

// Pretrain emits the negative lower bound of the evidence: −Σ (1 + log σ² − μ² − σ²)/2 − log p(x | z). μ and log σ²
// are the activations of pZXMean and pZXLogStd2. The bound is the mean over NumSamples draws of z = μ + σ·ε, with ε
// from N(0, 1).
func (l VariationalAutoencoder) Pretrain(c *Context, in Activation) *program.Value {
	refuseMask(in)
	x := in.Value
	rows := x.Shape[0]
	h := l.coder(c, "e", len(l.Encoder), x, 8)
	of := func(name string, stream uint64) *program.Value {
		return l.PzxActivation.Apply(c.Builder, l.affine(c, name, h),
			activation.Env{Training: true, Stream: c.Stream + stream})
	}
	mean, logVariance := of("pZXMean", 1), of("pZXLogStd2", 2)
	variance := c.Unary(program.Exp, logVariance)
	e := c.Sub(c.Add(c.Unary(program.Square, mean), variance), c.Add(logVariance, c.Fill(1)))
	total := c.Mul(c.Sum(e, 1), c.Fill(0.5))
	deviation := c.Unary(program.Exp, c.Mul(logVariance, c.Fill(0.5)))
	draws := c.Normal(c.Stream+3, l.NumSamples, rows, l.NOut)
	for i := range l.NumSamples {
		draw := c.Reshape(c.Slice(draws, 0, i, i+1), rows, l.NOut)
		d := l.coder(c, "d", len(l.Decoder), c.Add(mean, c.Mul(deviation, draw)), 8+maxCoderLayers)
		lost := l.Output.NegLog(c.Builder, x, l.affine(c, "pXZ", d))
		total = c.Add(total, c.Mul(lost, c.Fill(1/float64(l.NumSamples))))
	}
	return total
}

func refuseMask(in Activation) {
	if in.Mask != nil {
		panic(&program.ShapeError{Op: "pretraining", Shapes: []tensor.Shape{in.Mask.Shape}, Reason: "it takes no mask"})
	}
}
