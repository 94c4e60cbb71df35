package regularization

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

const many = 1 << 16

// changed applies the noise to weights of 2. It checks that their gradient is that of the changed weights.
func changed(t *testing.T, n Noise) []float64 {
	t.Helper()
	b := program.NewBuilder()
	w, v := b.Input("w", many), b.Input("value")
	y := n.Emit(b, w, v, 3)
	b.Output("y", y)
	b.Output("dw", b.Gradients(y, nil, []*program.Value{w})[0])
	e, err := naive.Compile[float64](b.Build())
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, many)
	for i := range x {
		x[i] = 2
	}
	if err := e.Run(&naive.Bindings[float64]{Inputs: [][]float64{x, {n.Value(0, 0)}}}); err != nil {
		t.Fatal(err)
	}
	for i, g := range e.Output(1) {
		if g != 1 {
			t.Fatalf("%+v: the gradient of weight %d is %g", n, i, g)
		}
	}
	return append([]float64(nil), e.Output(0)...)
}

func moments(x []float64) (mean, std float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		std += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, math.Sqrt(std)
}

func TestDropConnect(t *testing.T) {
	mean, std := moments(changed(t, NewDropConnect(0.7)))
	if !near.Equal(mean, 1.4, 0.02, 0) || !near.Equal(std, 2*math.Sqrt(0.21), 0.02, 0) {
		t.Errorf("mean %g and deviation %g", mean, std)
	}
}

func TestDistributionsOfNoise(t *testing.T) {
	tail := 2 * math.Exp(-2) / math.Sqrt(2*math.Pi) / (1 - math.Erfc(math.Sqrt2)) // for the variance of a truncated normal
	for _, c := range []struct {
		d         weights.Distribution
		mean, std float64
		lo, hi    float64
	}{
		{weights.NormalDistribution{Mean: 0.5, Std: 0.2}, 0.5, 0.2, -0.7, 1.7},
		{weights.GaussianDistribution{NormalDistribution: weights.NormalDistribution{Mean: -1, Std: 0.5}}, -1, 0.5, -4, 2},
		{weights.TruncatedNormalDistribution{Mean: 1, Std: 0.5}, 1, 0.5 * math.Sqrt(1-2*tail), 0, 2},
		{weights.LogNormalDistribution{Mean: 0.1, Std: 0.3}, math.Exp(0.145),
			math.Exp(0.145) * math.Sqrt(math.Expm1(0.09)), 0.1, 8},
		{weights.UniformDistribution{Lower: -1, Upper: 3}, 1, 4 / math.Sqrt(12), -1, 3},
		{weights.ConstantDistribution{Value: 3}, 3, 0, 3, 3},
		{weights.BinomialDistribution{NumberOfTrials: 5, ProbabilityOfSuccess: 0.3}, 1.5, math.Sqrt(5 * 0.21), 0, 5},
	} {
		n := NewWeightNoise(c.d)
		for _, additive := range []bool{true, false} {
			n.Additive = additive
			if err := n.Validate(); err != nil {
				t.Error(err)
			}
			y := changed(t, n)
			for i := range y {
				if additive {
					y[i] -= 2
				} else {
					y[i] /= 2
				}
				if y[i] < c.lo-1e-5 || y[i] > c.hi+1e-5 {
					t.Fatalf("%T: a number is %g", c.d, y[i])
				}
			}
			if mean, std := moments(y); !near.Equal(mean, c.mean, 0.02, 0) || !near.Equal(std, c.std, 0.02, 0) {
				t.Errorf("%T: mean %g and deviation %g, want %g and %g", c.d, mean, std, c.mean, c.std)
			}
		}
	}
}

func TestNoisesReadAndWriteAsDeeplearning4jDoes(t *testing.T) {
	want, err := os.ReadFile("testdata/noises.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []Noise
	if err := dl4j.Unmarshal(want, &list); err != nil {
		t.Fatal(err)
	}
	if got, err := dl4j.Marshal(list); err != nil || string(got) != string(want) {
		t.Errorf("%v, written as\n%s", err, got)
	}
	if len(list) != 3 || list[0].Biases() || !list[1].Biases() || !list[2].Biases() || list[2].Value(0, 2) != 0.45 {
		t.Errorf("read as %+v", list)
	}
}

func TestInvalidNoises(t *testing.T) {
	for want, n := range map[string]Noise{
		"DropConnect: weightRetainProb is 0": DropConnect{},
		"DropConnect: StepSchedule":          DropConnect{PSchedule: updater.StepSchedule{Type: updater.Epoch}},
		"it has no distribution":             WeightNoise{},
		"deviation -1":                       NewWeightNoise(weights.NormalDistribution{Std: -1}),
		"at most 64": NewWeightNoise(weights.BinomialDistribution{NumberOfTrials: 65,
			ProbabilityOfSuccess: 0.5}),
		"OrthogonalDistribution cannot": NewWeightNoise(weights.OrthogonalDistribution{Gain: 1}),
	} {
		if err := n.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", n, err, want)
		}
	}
}
