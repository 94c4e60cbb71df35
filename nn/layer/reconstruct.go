package layer

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// Reconstructor is an autoencoder that can reconstruct its input. It then runs as in inference, without corruption.
type Reconstructor interface {
	Pretrainer
	// Reconstruct emits the reconstruction of x [batch, nIn]: [batch, nIn].
	Reconstruct(c *Context, in Activation) *program.Value
}

// Reconstruct emits act(y·Wᵀ + vb) of y = act(x·W + b).
func (l AutoEncoder) Reconstruct(c *Context, in Activation) *program.Value {
	refuseMask(in)
	act := func(z *program.Value, stream uint64) *program.Value {
		return l.Activation.Apply(c.Builder, z, activation.Env{Stream: c.Stream + stream})
	}
	y := act(c.Affine(in.Value, "W", "b"), 1)
	return act(c.Add(c.Apply(program.MatMul{}, y, c.Params["W"]), c.Params["vb"]), 3)
}

// Reconstruct emits the mean of x that the decoder computes from the mean of z (Deeplearning4j: generateAtMeanGivenZ).
func (l VariationalAutoencoder) Reconstruct(c *Context, in Activation) *program.Value {
	z := l.Forward(c, []Activation{in}).Value
	return l.Output.Mean(c.Builder, l.Decode(c, z), l.NIn)
}

// Encode emits the encoder's mean and standard deviation of z, each [batch, nOut].
func (l VariationalAutoencoder) Encode(c *Context, in Activation) (mean, deviation *program.Value) {
	mean = l.Forward(c, []Activation{in}).Value
	h := l.coder(c, "e", len(l.Encoder), in.Value, 8)
	logVariance := l.PzxActivation.Apply(c.Builder, l.affine(c, "pZXLogStd2", h), activation.Env{Stream: c.Stream + 2})
	return mean, c.Unary(program.Exp, c.Mul(logVariance, c.Fill(0.5)))
}

// Decode emits the decoder's result for z [batch, nOut], which is the input of Output.
func (l VariationalAutoencoder) Decode(c *Context, z *program.Value) *program.Value {
	return l.affine(c, "pXZ", l.coder(c, "d", len(l.Decoder), z, 8+maxCoderLayers))
}
