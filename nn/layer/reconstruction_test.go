package layer

import (
	"math"
	"testing"

	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/program"
)

// TestReconstructions compares each distribution with its density.
func TestReconstructions(t *testing.T) {
	x, z := []float64{0.25, 1, 0.75, 0.5}, []float64{0.3, -1.2, 0.7, 2, -0.4, 0.1, 1.1, -0.6}
	gaussian := func(x, mean, logVariance float64) float64 {
		s := math.Exp(logVariance / 2)
		return -math.Log(math.Exp(-(x-mean)*(x-mean)/(2*s*s)) / (s * math.Sqrt(2*math.Pi)))
	}
	bernoulli := func(x, p float64) float64 { return -math.Log(math.Pow(p, x) * math.Pow(1-p, 1-x)) }
	sigmoid := func(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
	exponential := func(x, rate float64) float64 { return -math.Log(rate * math.Exp(-rate*x)) }
	for name, c := range map[string]struct {
		r    Reconstruction
		size int        // of x's two columns
		want [2]float64 // of the rows
	}{
		"Gaussian": {GaussianReconstruction{}, 4, [2]float64{
			gaussian(x[0], z[0], z[2]) + gaussian(x[1], z[1], z[3]), gaussian(x[2], z[4], z[6]) + gaussian(x[3], z[5], z[7])}},
		"Gaussian, tanh": {GaussianReconstruction{activation.TanH{}}, 4, [2]float64{
			gaussian(x[0], math.Tanh(z[0]), math.Tanh(z[2])) + gaussian(x[1], math.Tanh(z[1]), math.Tanh(z[3])),
			gaussian(x[2], math.Tanh(z[4]), math.Tanh(z[6])) + gaussian(x[3], math.Tanh(z[5]), math.Tanh(z[7]))}},
		"Bernoulli": {BernoulliReconstruction{}, 2, [2]float64{
			bernoulli(x[0], sigmoid(z[0])) + bernoulli(x[1], sigmoid(z[1])),
			bernoulli(x[2], sigmoid(z[2])) + bernoulli(x[3], sigmoid(z[3]))}},
		"Bernoulli, hard sigmoid": {BernoulliReconstruction{activation.HardSigmoid{}}, 2, [2]float64{
			bernoulli(x[0], 0.2*z[0]+0.5) + bernoulli(x[1], 0.2*z[1]+0.5),
			bernoulli(x[2], 0.2*z[2]+0.5) + bernoulli(x[3], 0.2*z[3]+0.5)}},
		"exponential": {ExponentialReconstruction{}, 2, [2]float64{
			exponential(x[0], math.Exp(z[0])) + exponential(x[1], math.Exp(z[1])),
			exponential(x[2], math.Exp(z[2])) + exponential(x[3], math.Exp(z[3]))}},
		"loss": {LossReconstruction{activation.TanH{}, loss.L2{}}, 2, [2]float64{
			math.Pow(x[0]-math.Tanh(z[0]), 2) + math.Pow(x[1]-math.Tanh(z[1]), 2),
			math.Pow(x[2]-math.Tanh(z[2]), 2) + math.Pow(x[3]-math.Tanh(z[3]), 2)}},
		"composite": {CompositeReconstruction{Sizes: []int{1, 1},
			Parts: []Reconstruction{GaussianReconstruction{}, ExponentialReconstruction{}}}, 3,
			[2]float64{gaussian(x[0], z[0], z[1]) + exponential(x[1], math.Exp(z[2])),
				gaussian(x[2], z[3], z[4]) + exponential(x[3], math.Exp(z[5]))}},
	} {
		r, err := c.r.Complete(2)
		if err != nil {
			t.Fatal(err)
		}
		if r.Size(2) != c.size {
			t.Fatalf("%s: %d columns for 2, want %d", name, r.Size(2), c.size)
		}
		b := program.NewBuilder()
		b.Output("rows", r.NegLog(b, b.Input("x", 2, 2), b.Input("z", 2, c.size)))
		e, err := naive.Compile[float64](b.Build())
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Run(&naive.Bindings[float64]{Inputs: [][]float64{x, z[:2*c.size]}}); err != nil {
			t.Fatal(err)
		}
		for i, got := range e.Output(0) {
			if !near.Equal(got, c.want[i], 1e-12, 1e-12) {
				t.Errorf("%s: row %d is %v, want %v", name, i, got, c.want[i])
			}
		}
	}
}
