package weights

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/tensor"
)

// The mean, standard deviation and largest magnitude of 200 x 300 weights with 200 inputs and 450 outputs (a
// convolution's fans need not be its extents).
func TestDistributionsOfWeights(t *testing.T) {
	shape, fan := tensor.Shape{200, 300}, FanInOut{In: 200, Out: 450}
	scale := 0.25
	const cut = 0.879626 // the standard deviation of N(0, 1) cut off at 2
	unbounded := math.Inf(1)
	type moments struct{ mean, std, bound float64 }
	uniform := func(bound float64) moments { return moments{0, bound / math.Sqrt(3), bound} }
	for init, want := range map[Init]moments{
		Xavier{}:         {0, math.Sqrt(2.0 / 650), unbounded},
		XavierUniform{}:  uniform(math.Sqrt(6.0 / 650)),
		XavierLegacy{}:   {0, math.Sqrt(1.0 / 500), unbounded},
		SigmoidUniform{}: uniform(4 * math.Sqrt(6.0/650)),
		Relu{}:           {0, 0.1, unbounded},
		ReluUniform{}:    uniform(math.Sqrt(6.0 / 200)),
		Normal{}:         {0, math.Sqrt(1.0 / 200), unbounded},
		Uniform{}:        uniform(1 / math.Sqrt(200)),
		LecunUniform{}:   uniform(3 / math.Sqrt(200)),

		VarScalingNormalFanIn{}:         {0, cut / math.Sqrt(200), 2 / math.Sqrt(200)},
		VarScalingNormalFanOut{&scale}:  {0, 0.5 * cut / math.Sqrt(450), 1 / math.Sqrt(450)},
		VarScalingNormalFanAvg{}:        {0, cut / math.Sqrt(325), 2 / math.Sqrt(325)},
		VarScalingUniformFanIn{&scale}:  uniform(0.75 / math.Sqrt(200)),
		VarScalingUniformFanOut{}:       uniform(3 / math.Sqrt(450)),
		VarScalingUniformFanAvg{&scale}: uniform(0.75 / math.Sqrt(325)),
		Constant{Value: -3}:             {-3, 0, 3},

		FromDistribution{NormalDistribution{Mean: 0.5, Std: 0.2}}:                       {0.5, 0.2, unbounded},
		FromDistribution{GaussianDistribution{NormalDistribution{Mean: 0.5, Std: 0.2}}}: {0.5, 0.2, unbounded},
		FromDistribution{UniformDistribution{-1, 2}}:                                    {0.5, math.Sqrt(0.75), 2},
		FromDistribution{TruncatedNormalDistribution{Mean: 1, Std: 0.5}}:                {1, 0.5 * cut, 2},
		FromDistribution{LogNormalDistribution{Mean: 0.1, Std: 0.2}}: {math.Exp(0.12),
			math.Exp(0.12) * math.Sqrt(math.Expm1(0.04)), unbounded},
		FromDistribution{BinomialDistribution{NumberOfTrials: 5, ProbabilityOfSuccess: 0.25}}: {1.25,
			math.Sqrt(5 * 0.25 * 0.75), 5},
		FromDistribution{ConstantDistribution{0.5}}: {0.5, 0, 0.5},
	} {
		if err := init.Validate(shape); err != nil {
			t.Errorf("%T %+v: %v", init, init, err)
		}
		x := make([]float32, shape.Size())
		init.Fill(x, shape, fan, NewSource(5))
		var sum, squares, most float64
		for _, v := range x {
			sum += float64(v)
			most = max(most, math.Abs(float64(v)))
		}
		mean := sum / float64(len(x))
		for _, v := range x {
			squares += (float64(v) - mean) * (float64(v) - mean)
		}
		std := math.Sqrt(squares / float64(len(x)))
		if !near.Equal(mean, want.mean, 0.02*want.std, 0) || !near.Equal(std, want.std, 0, 0.02) {
			t.Errorf("%T %+v: mean %g and deviation %g, want %g and %g", init, init, mean, std, want.mean, want.std)
		}
		if most > want.bound*1.000001 || !math.IsInf(want.bound, 0) && most < want.bound*0.99 {
			t.Errorf("%T %+v: magnitudes up to %g, want %g", init, init, most, want.bound)
		}
		again := make([]float32, shape.Size())
		init.Fill(again, shape, fan, NewSource(5))
		if !slices.Equal(x, again) {
			t.Errorf("%T: the same seed gives other weights", init)
		}
	}
}

func TestOrthogonal(t *testing.T) {
	for _, shape := range []tensor.Shape{{6, 6}, {20, 7}, {7, 20}, {3, 4, 5}, {1, 3}, {4}} {
		x := make([]float32, shape.Size())
		init := FromDistribution{OrthogonalDistribution{Gain: 1.5}}
		init.Fill(x, shape, FanInOut{}, NewSource(3))
		columns := shape[len(shape)-1]
		rows := len(x) / columns
		vectors, length := columns, rows
		at := func(v, i int) float64 { return float64(x[i*columns+v]) }
		if rows < columns {
			vectors, length = rows, columns
			at = func(v, i int) float64 { return float64(x[v*columns+i]) }
		}
		for v := range vectors {
			for w := range v + 1 {
				product, want := 0.0, 0.0
				for i := range length {
					product += at(v, i) * at(w, i)
				}
				if v == w {
					want = 1.5 * 1.5
				}
				if !near.Equal(product, want, 1e-6, 0) {
					t.Errorf("shape %v: the product of vectors %d and %d is %g, want %g", shape, v, w, product, want)
				}
			}
		}
	}
}

func TestIdentity(t *testing.T) {
	two := 2.0
	for _, c := range []struct {
		init  Identity
		shape tensor.Shape
		ones  []int
		one   float32
	}{
		{Identity{}, tensor.Shape{3, 3}, []int{0, 4, 8}, 1},
		{Identity{&two}, tensor.Shape{2, 2, 3, 5}, []int{7, 52}, 2},
	} {
		x := make([]float32, c.shape.Size())
		for i := range x {
			x[i] = 9
		}
		c.init.Fill(x, c.shape, FanInOut{}, nil)
		for i, v := range x {
			want := float32(0)
			if slices.Contains(c.ones, i) {
				want = c.one
			}
			if v != want {
				t.Errorf("shape %v: element %d is %g, want %g", c.shape, i, v, want)
			}
		}
	}
}

func TestObjectsReadAndWriteAsDeeplearning4jDoes(t *testing.T) {
	want, err := os.ReadFile("testdata/objects.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []Init
	if err := dl4j.Unmarshal(want, &list); err != nil {
		t.Fatal(err)
	}
	if got, err := dl4j.Marshal(list); err != nil || string(got) != string(want) {
		t.Errorf("%v, written as\n%s", err, got)
	}
}

func TestByName(t *testing.T) {
	if len(Names()) != 20 {
		t.Errorf("names %v, want the 20 of Deeplearning4j that need no settings", Names())
	}
	if init, err := ByName("ones"); err != nil || init != (Constant{Value: 1}) {
		t.Errorf("%+v, %v", init, err)
	}
	if _, err := ByName("warp"); err == nil ||
		!strings.Contains(err.Error(), `unknown weight initialisation "warp": there are IDENTITY,`) {
		t.Error(err)
	}
}

func TestInvalidSettings(t *testing.T) {
	square, negative := tensor.Shape{3, 3}, -1.0
	for want, err := range map[string]error{
		"the shape is [3, 4]":       Identity{}.Validate(tensor.Shape{3, 4}),
		"the shape is [3, 3, 2, 3]": Identity{}.Validate(tensor.Shape{3, 3, 2, 3}),
		"the shape is [3]":          Identity{}.Validate(tensor.Shape{3}),
		"a scale of -1":             VarScalingNormalFanIn{&negative}.Validate(square),
		"constant weights of NaN":   Constant{math.NaN()}.Validate(square),
		"none is set":               FromDistribution{}.Validate(square),
		"standard deviation -1":     FromDistribution{NormalDistribution{Mean: 0, Std: -1}}.Validate(square),
		"from 2 to 1":               FromDistribution{UniformDistribution{2, 1}}.Validate(square),
		"2000000000 trials": FromDistribution{BinomialDistribution{NumberOfTrials: 2e9,
			ProbabilityOfSuccess: 0.5}}.Validate(square),
		"orthogonal distribution with": FromDistribution{OrthogonalDistribution{Gain: math.NaN()}}.Validate(square),
		"truncated normal distribution ": FromDistribution{TruncatedNormalDistribution{Mean: 0,
			Std: math.Inf(1)}}.Validate(square),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// TestSettingsLeftOut: a distribution without a spread is refused if a literal leaves it out; a 0 from a file is
// intended.
func TestSettingsLeftOut(t *testing.T) {
	for want, d := range map[string]Distribution{
		"normal distribution: std is 0; set it":  NormalDistribution{Mean: 1},
		"truncated normal distribution: std":     TruncatedNormalDistribution{},
		"log-normal distribution: std":           LogNormalDistribution{},
		"binomial distribution: numberOfTrials":  BinomialDistribution{ProbabilityOfSuccess: 0.5},
		"binomial distribution: probabilityOfSu": BinomialDistribution{NumberOfTrials: 3},
		"orthogonal distribution: gain":          OrthogonalDistribution{},
		"uniform distribution from 0 to 0":       UniformDistribution{},
	} {
		if err := (FromDistribution{d}).Validate(tensor.Shape{2, 2}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: %v, want an error with %q", d, err, want)
		}
	}
	if err := (GaussianDistribution{}).Validate(); err == nil {
		t.Error("a Gaussian distribution without a deviation is valid")
	}
	const class = `{"type":"org.deeplearning4j.nn.conf.distribution.`
	for _, text := range []string{
		class + `NormalDistribution","mean":0.5,"std":0.0}`,
		class + `GaussianDistribution","mean":0.5,"std":0.0}`,
		class + `TruncatedNormalDistribution","mean":0.5,"std":0.0}`,
		class + `LogNormalDistribution","mean":0.5,"std":0.0}`,
		class + `BinomialDistribution","numberOfTrials":0,"probabilityOfSuccess":0.0}`,
		class + `OrthogonalDistribution","gain":0.0}`,
	} {
		var d Distribution
		if err := dl4j.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		if err := d.Validate(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		again, err := dl4j.Marshal(&d)
		if got := strings.Join(strings.Fields(string(again)), ""); err != nil || got != text {
			t.Errorf("%s is written as %s, %v", text, got, err)
		}
	}
}
