package layer

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/program"
)

// Reconstruction is the distribution of data x [rows, n], given the output z of a variational autoencoder's decoder
// (Deeplearning4j: ReconstructionDistribution). A nil activation means Deeplearning4j's default.
type Reconstruction interface {
	// Size returns the number of columns of z for n columns of x.
	Size(n int) int
	// NegLog emits −log p(x | z) of each row, [rows].
	NegLog(b *program.Builder, x, z *program.Value) *program.Value
	// Mean emits the mean of the n columns of x for z (Deeplearning4j: generateAtMean).
	Mean(b *program.Builder, z *program.Value, n int) *program.Value
	// Complete fills in settings that are left open, and checks them for n columns of x.
	Complete(n int) (Reconstruction, error)
}

// Reconstructions are the distributions that configurations may name.
var Reconstructions = dl4j.NewClasses[Reconstruction]("reconstruction distribution")

func init() {
	const variational = javaPackage + "variational."
	Reconstructions.Register(variational+"GaussianReconstructionDistribution",
		func() Reconstruction { return GaussianReconstruction{} })
	Reconstructions.Register(variational+"BernoulliReconstructionDistribution",
		func() Reconstruction { return BernoulliReconstruction{} })
	Reconstructions.Register(variational+"ExponentialReconstructionDistribution",
		func() Reconstruction { return ExponentialReconstruction{} })
	Reconstructions.Register(variational+"CompositeReconstructionDistribution",
		func() Reconstruction { return CompositeReconstruction{} })
	Reconstructions.Register(variational+"LossFunctionWrapper", func() Reconstruction { return LossReconstruction{} })
}

// GaussianReconstruction is for real numbers. act(z) holds means, then logarithms of variances (Deeplearning4j:
// GaussianReconstructionDistribution).
type GaussianReconstruction struct {
	Activation activation.Activation `dl4j:"activationFn"` // identity if it is nil
}

// Size is 2n.
func (r GaussianReconstruction) Size(n int) int { return 2 * n }

// NegLog is Σ (log 2π + log σ² + (x − μ)²/σ²)/2.
func (r GaussianReconstruction) NegLog(b *program.Builder, x, z *program.Value) *program.Value {
	n := x.Shape[1]
	out := r.Activation.Apply(b, z, activation.Env{})
	mean, logVariance := b.Slice(out, 1, 0, n), b.Slice(out, 1, n, 2*n)
	off := b.Mul(b.Unary(program.Square, b.Sub(x, mean)), b.Unary(program.Exp, b.Neg(logVariance)))
	e := b.Add(b.Add(off, logVariance), b.Scalar(math.Log(2*math.Pi)))
	return b.Sum(b.Mul(e, b.Scalar(0.5)), 1)
}

// Mean is act of the first n columns of z.
func (r GaussianReconstruction) Mean(b *program.Builder, z *program.Value, n int) *program.Value {
	return r.Activation.Apply(b, b.Slice(z, 1, 0, n), activation.Env{})
}

// Complete fills the activation.
func (r GaussianReconstruction) Complete(int) (Reconstruction, error) {
	if r.Activation == nil {
		r.Activation = activation.Identity{}
	}
	return r, nil
}

// BernoulliReconstruction is for numbers from 0 to 1. act(z) holds the probabilities of 1 (Deeplearning4j:
// BernoulliReconstructionDistribution).
type BernoulliReconstruction struct {
	Activation activation.Activation `dl4j:"activationFn"` // sigmoid if it is nil
}

// Size is n.
func (r BernoulliReconstruction) Size(n int) int { return n }

// NegLog is −Σ (x·log p + (1 − x)·log(1 − p)).
func (r BernoulliReconstruction) NegLog(b *program.Builder, x, z *program.Value) *program.Value {
	if _, sigmoid := r.Activation.(activation.Sigmoid); sigmoid {
		return b.Sum(b.Sub(b.Unary(program.Softplus, z), b.Mul(x, z)), 1)
	}
	p, one := r.Activation.Apply(b, z, activation.Env{}), b.Scalar(1)
	log := func(p *program.Value) *program.Value { return b.Unary(program.Log, b.Max(p, b.Scalar(1e-30))) }
	return b.Neg(b.Sum(b.Add(b.Mul(x, log(p)), b.Mul(b.Sub(one, x), log(b.Sub(one, p)))), 1))
}

// Mean is the probability of 1, act(z).
func (r BernoulliReconstruction) Mean(b *program.Builder, z *program.Value, n int) *program.Value {
	return r.Activation.Apply(b, z, activation.Env{})
}

// Complete fills the activation.
func (r BernoulliReconstruction) Complete(int) (Reconstruction, error) {
	if r.Activation == nil {
		r.Activation = activation.Sigmoid{}
	}
	return r, nil
}

// ExponentialReconstruction is for numbers of at least 0. act(z) holds the logarithms γ of the rates (Deeplearning4j:
// ExponentialReconstructionDistribution).
type ExponentialReconstruction struct {
	Activation activation.Activation `dl4j:"activationFn"` // identity if it is nil
}

// Size is n.
func (r ExponentialReconstruction) Size(n int) int { return n }

// NegLog is Σ (x·e^γ − γ).
func (r ExponentialReconstruction) NegLog(b *program.Builder, x, z *program.Value) *program.Value {
	gamma := r.Activation.Apply(b, z, activation.Env{})
	return b.Sum(b.Sub(b.Mul(x, b.Unary(program.Exp, gamma)), gamma), 1)
}

// Mean is e^−γ.
func (r ExponentialReconstruction) Mean(b *program.Builder, z *program.Value, n int) *program.Value {
	return b.Unary(program.Exp, b.Neg(r.Activation.Apply(b, z, activation.Env{})))
}

// Complete fills the activation.
func (r ExponentialReconstruction) Complete(int) (Reconstruction, error) {
	if r.Activation == nil {
		r.Activation = activation.Identity{}
	}
	return r, nil
}

// LossReconstruction is not a distribution: it uses a loss instead of −log p (Deeplearning4j: LossFunctionWrapper).
type LossReconstruction struct {
	Activation activation.Activation `dl4j:"activationFn"` // identity if it is nil
	Loss       loss.Loss             `dl4j:"lossFunction"`
}

// Size is n.
func (r LossReconstruction) Size(n int) int { return n }

// NegLog is the loss with x as labels.
func (r LossReconstruction) NegLog(b *program.Builder, x, z *program.Value) *program.Value {
	return r.Loss.Rows(b, x, z, r.Activation, nil)
}

// Mean is act(z).
func (r LossReconstruction) Mean(b *program.Builder, z *program.Value, n int) *program.Value {
	return r.Activation.Apply(b, z, activation.Env{})
}

// Complete fills the activation, and checks the loss.
func (r LossReconstruction) Complete(n int) (Reconstruction, error) {
	if r.Activation == nil {
		r.Activation = activation.Identity{}
	}
	switch {
	case r.Loss == nil:
		return nil, fmt.Errorf("the reconstruction's lossFunction is not set")
	case r.Loss.Labels(n+1) != n+1:
		return nil, fmt.Errorf("the reconstruction's lossFunction takes class numbers: it must compare values")
	}
	return r, r.Loss.Validate(n, r.Activation)
}

// CompositeReconstruction uses a distribution for each group of neighbouring columns of x (Deeplearning4j:
// CompositeReconstructionDistribution).
type CompositeReconstruction struct {
	Sizes     []int            `dl4j:"distributionSizes"` // columns of each part
	Parts     []Reconstruction `dl4j:"reconstructionDistributions"`
	TotalSize int              `dl4j:"totalSize"` // the sum of Sizes; computed if it is 0
}

// Size is the sum of the parts' sizes.
func (r CompositeReconstruction) Size(int) int {
	n := 0
	for i, p := range r.Parts {
		n += p.Size(r.Sizes[i])
	}
	return n
}

// NegLog is the sum of the parts' NegLogs.
func (r CompositeReconstruction) NegLog(b *program.Builder, x, z *program.Value) *program.Value {
	var total *program.Value
	atX, atZ := 0, 0
	for i, p := range r.Parts {
		n, m := r.Sizes[i], p.Size(r.Sizes[i])
		e := p.NegLog(b, b.Slice(x, 1, atX, atX+n), b.Slice(z, 1, atZ, atZ+m))
		atX, atZ = atX+n, atZ+m
		if total != nil {
			e = b.Add(total, e)
		}
		total = e
	}
	return total
}

// Mean concatenates the means of the parts.
func (r CompositeReconstruction) Mean(b *program.Builder, z *program.Value, n int) *program.Value {
	var all []*program.Value
	at := 0
	for i, p := range r.Parts {
		m := p.Size(r.Sizes[i])
		all = append(all, p.Mean(b, b.Slice(z, 1, at, at+m), r.Sizes[i]))
		at += m
	}
	return b.Concat(1, all...)
}

// Complete completes the parts. Their sizes must add up to n.
func (r CompositeReconstruction) Complete(n int) (Reconstruction, error) {
	if len(r.Sizes) == 0 || len(r.Sizes) != len(r.Parts) {
		return nil, fmt.Errorf("distributionSizes has %d numbers for %d reconstructionDistributions: each needs one",
			len(r.Sizes), len(r.Parts))
	}
	parts, total := make([]Reconstruction, len(r.Parts)), 0
	for i, p := range r.Parts {
		if p == nil || r.Sizes[i] < 1 || r.Sizes[i] > n {
			return nil, fmt.Errorf("reconstruction distribution %d: it must be set, and its size, %d, from 1 to nIn, %d", i,
				r.Sizes[i], n)
		}
		var err error
		if parts[i], err = p.Complete(r.Sizes[i]); err != nil {
			return nil, fmt.Errorf("reconstruction distribution %d: %w", i, err)
		}
		total += r.Sizes[i]
	}
	if r.Parts = parts; r.TotalSize == 0 {
		r.TotalSize = total
	}
	if total != n || r.TotalSize != n {
		return nil, fmt.Errorf("distributionSizes add up to %d (totalSize %d): it must be nIn, %d", total, r.TotalSize, n)
	}
	return r, nil
}
