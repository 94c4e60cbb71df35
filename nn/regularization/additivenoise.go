package regularization

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

// WeightNoise adds random numbers of a distribution to the weights, or multiplies them by such numbers.
// (Deeplearning4j: WeightNoise, which changes biases in inference, too.)
type WeightNoise struct {
	// Additive adds the numbers; otherwise they multiply the weights.
	Additive    bool `dl4j:"additive"`
	ApplyToBias bool `dl4j:"applyToBias"`
	// Distribution is any distribution except the orthogonal one. A binomial one may have at most 64 trials.
	Distribution weights.Distribution `dl4j:"distribution"`
}

// NewWeightNoise returns a noise that adds numbers of a distribution to weights, but not to biases.
func NewWeightNoise(d weights.Distribution) WeightNoise {
	return WeightNoise{Additive: true, Distribution: d}
}

// Biases returns ApplyToBias.
func (n WeightNoise) Biases() bool { return n.ApplyToBias }

// Value returns 0; it has no effect.
func (n WeightNoise) Value(iteration, epoch int) float64 { return 0 }

// Emit returns w + r or w·r, with r from the distribution.
func (n WeightNoise) Emit(b *program.Builder, w, _ *program.Value, stream uint64) *program.Value {
	r, err := draw(b, n.Distribution, stream, w.Shape)
	if err != nil {
		panic(&program.ShapeError{Op: "WeightNoise", Reason: err.Error()})
	}
	if n.Additive {
		return seen(b, b.Add(w, r), w)
	}
	return seen(b, b.Mul(w, r), w)
}

// maxTrials bounds the number of uniform numbers for each element.
const maxTrials = 64

// Validate checks the distribution.
func (n WeightNoise) Validate() error {
	if n.Distribution == nil {
		return fmt.Errorf("WeightNoise: it has no distribution")
	}
	if err := n.Distribution.Validate(); err != nil {
		return fmt.Errorf("WeightNoise: %w", err)
	}
	if _, err := draw(program.NewBuilder(), n.Distribution, 0, []int{1}); err != nil {
		return fmt.Errorf("WeightNoise: %w", err)
	}
	return nil
}

// draw returns numbers of a distribution.
func draw(b *program.Builder, d weights.Distribution, stream uint64, shape []int) (*program.Value, error) {
	normal := func(mean, std float64, z *program.Value) *program.Value {
		return b.Add(b.Mul(z, b.Scalar(std)), b.Scalar(mean))
	}
	switch d := d.(type) {
	case weights.NormalDistribution:
		return normal(d.Mean, d.Std, b.Normal(stream, shape...)), nil
	case weights.GaussianDistribution:
		return normal(d.Mean, d.Std, b.Normal(stream, shape...)), nil
	case weights.LogNormalDistribution:
		return b.Unary(program.Exp, normal(d.Mean, d.Std, b.Normal(stream, shape...))), nil
	case weights.TruncatedNormalDistribution:
		// Quantiles between those of two standard deviations.
		low := 0.5 * math.Erfc(math.Sqrt2)
		u := b.Add(b.Mul(b.Random(stream, shape...), b.Scalar(1-2*low)), b.Scalar(low))
		return normal(d.Mean, d.Std, b.Quantile(u)), nil
	case weights.UniformDistribution:
		return b.Add(b.Mul(b.Random(stream, shape...), b.Scalar(d.Upper-d.Lower)), b.Scalar(d.Lower)), nil
	case weights.ConstantDistribution:
		return b.Fill(d.Value, shape...), nil
	case weights.BinomialDistribution:
		if d.NumberOfTrials > maxTrials {
			return nil, fmt.Errorf("a binomial distribution of %d trials: at most %d are possible", d.NumberOfTrials, maxTrials)
		}
		trials := append([]int{int(d.NumberOfTrials)}, shape...)
		return b.Sum(b.Binary(program.Greater, b.Scalar(d.ProbabilityOfSuccess), b.Random(stream, trials...)), 0), nil
	}
	return nil, fmt.Errorf("numbers of a %T cannot be drawn one by one: normal, log-normal, truncated normal, uniform, "+
		"constant and binomial distributions can", d)
}

func init() { NoiseClasses.Register(noisePackage+"WeightNoise", func() Noise { return WeightNoise{} }) }
