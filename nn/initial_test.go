package nn

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/weights"
)

// initialWeights are statistics of the weights that the real Deeplearning4j draws: see
// testdata/oracle/make/InitCases.java.
type initialWeights struct {
	Schemes map[string][]float64            // deciles of 200x450 weights, least and largest included
	Fans    map[string]map[string][]float64 // largest magnitudes by VAR_SCALING_UNIFORM_FAN_IN and …_OUT
}

func readInitialWeights(t *testing.T) (w initialWeights) {
	text, err := os.ReadFile(filepath.Join("..", "testdata", "oracle", "initial.json"))
	if err == nil {
		err = json.Unmarshal(text, &w)
	}
	if err != nil || len(w.Schemes) == 0 || len(w.Fans) == 0 {
		t.Fatalf("%d schemes, %d layers: %v", len(w.Schemes), len(w.Fans), err)
	}
	return w
}

// draw returns a layer's initial parameters by key.
func draw(t *testing.T, l layer.Layer, in inputtype.Type, init weights.Init, seed uint64) map[string][]float32 {
	t.Helper()
	net, err := New(Configuration{Activation: activation.TanH{}, WeightInit: init, InputType: in, Layers: []layer.Layer{l},
		AnyOutput: true})
	if err != nil {
		t.Fatalf("%T: %v", l, err)
	}
	net.Init(seed)
	of := map[string][]float32{}
	for _, p := range net.ParamTable() {
		of[strings.TrimPrefix(p.Key, "0_")] = net.Params()[p.Offset : p.Offset+p.Size]
	}
	return of
}

// TestInitialFans: each layer's parameters are drawn with Deeplearning4j's fan-in and fan-out. The test reads them off
// the largest of many uniformly distributed weights. Biases have their own initialisation.
func TestInitialFans(t *testing.T) {
	k2, s2, k3, s3 := [2]int{3, 2}, [2]int{2, 1}, [3]int{2, 3, 2}, [3]int{1, 2, 1}
	ff, rnn := inputtype.FeedForward(60), inputtype.Recurrent(40, 6)
	image, volume := inputtype.Convolutional(12, 10, 20), inputtype.Convolutional3D(8, 8, 8, 12)
	sequenced := layer.NewEmbeddingSequence(100, 60)
	for name, byName := range readInitialWeights(t).Fans {
		var got [2]map[string][]float32
		for i, scheme := range []string{"VAR_SCALING_UNIFORM_FAN_IN", "VAR_SCALING_UNIFORM_FAN_OUT"} {
			by := layer.SameDiff{WeightInit: scheme}
			c, ok := map[string]struct {
				in    inputtype.Type
				layer layer.Layer
			}{
				"Dense":           {ff, layer.Dense{NOut: 90}},
				"Convolution2D":   {image, layer.Convolution2D{Kernel: k2, Stride: s2, NOut: 50}},
				"Convolution1D":   {rnn, layer.Convolution1D{Kernel: [2]int{3, 3}, Stride: [2]int{2, 2}, NOut: 60}},
				"Convolution3D":   {volume, layer.Convolution3D{Kernel: k3, Stride: s3, NOut: 40}},
				"Deconvolution2D": {image, layer.Deconvolution2D{Kernel: k2, Stride: s2, NOut: 50}},
				"Deconvolution3D": {volume, layer.Deconvolution3D{Kernel: k3, Stride: s3, NOut: 40}},
				"DepthwiseConvolution2D": {image, layer.DepthwiseConvolution2D{Kernel: [2]int{5, 4}, Stride: s2,
					DepthMultiplier: 12}},
				"SeparableConvolution2D": {image, layer.SeparableConvolution2D{Kernel: [2]int{5, 4}, Stride: s2,
					DepthMultiplier: 12, NOut: 40}},
				"LSTM":                    {rnn, layer.NewLSTM(50)},
				"GravesLSTM":              {rnn, layer.NewGravesLSTM(50)},
				"GravesBidirectionalLSTM": {rnn, layer.NewGravesBidirectionalLSTM(50)},
				"SimpleRnn":               {rnn, layer.SimpleRnn{NOut: 80}},
				"Embedding":               {inputtype.FeedForward(1), layer.NewEmbedding(100, 60)},
				"EmbeddingSequence":       {inputtype.Recurrent(1, 5), sequenced},
				"AutoEncoder":             {ff, layer.NewAutoEncoder(90)},
				"VariationalAutoencoder":  {ff, layer.VariationalAutoencoder{Encoder: []int{80, 70}, Decoder: []int{90}, NOut: 75}},
				"ElementWise":             {inputtype.FeedForward(6000), layer.ElementWise{NOut: 6000}},
				"OCNN":                    {ff, layer.NewOCNNOutput(90)},
				"LocallyConnected1D": {rnn, layer.LocallyConnected1D{SameDiff: by, Kernel: 3, Stride: 2, Mode: layer.Same,
					NOut: 50}},
				"LocallyConnected2D": {image, layer.LocallyConnected2D{SameDiff: by, Kernel: k2, Stride: s2, Mode: layer.Same,
					NOut: 10}},
				"SelfAttention": {rnn, layer.SelfAttention{SameDiff: by, NOut: 120, NHeads: 2, HeadSize: 70,
					ProjectInput: true}},
				"LearnedSelfAttention": {rnn, layer.LearnedSelfAttention{SameDiff: by, NOut: 120, NHeads: 2, HeadSize: 70,
					ProjectInput: true, NQueries: 130}},
				"RecurrentAttention": {rnn, layer.RecurrentAttention{SameDiff: by, NOut: 120, NHeads: 2, HeadSize: 70}},
				"PrimaryCapsules": {image, layer.PrimaryCapsules{SameDiff: by, CapsuleDimensions: 8, Channels: 30, Kernel: k2,
					Stride: s2}},
				"Capsules": {inputtype.Recurrent(12, 10), layer.Capsules{SameDiff: by, Capsules: 14, CapsuleDimensions: 16,
					Routings: 2}},
			}[name]
			if !ok {
				t.Errorf("there is no layer for %s", name)
				continue
			}
			init, err := weights.ByName(scheme)
			if err != nil {
				t.Fatal(err)
			}
			got[i] = draw(t, c.layer, c.in, init, 7)
		}
		for key, want := range byName {
			for i, by := range []string{"fan-in", "fan-out"} {
				x := got[i][key]
				if len(x) == 0 {
					t.Errorf("%s has no %s", name, key)
					continue
				}
				most := 0.0
				for _, v := range x {
					most = max(most, math.Abs(float64(v)))
				}
				if !near.Equal(most, want[i], want[i]*(0.001+8/float64(len(x))), 0) {
					t.Errorf("%s: %s reaches %.5g by its %s, want %.5g", name, key, most, by, want[i])
				}
			}
			delete(got[0], key)
		}
		for key := range got[0] {
			t.Errorf("%s has %s, which Deeplearning4j's has not", name, key)
		}
	}
}

// initialFan determines the scale of weights; ends is computed from the first two extents of the weights.
type initialFan struct{ in, out, ends float64 }

// distributionOf returns the cumulative distribution function of a scheme; nil for schemes with a single value.
func distributionOf(name string, f initialFan) func(x float64) float64 {
	phi := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	normal := func(mean, std float64) func(float64) float64 {
		return func(x float64) float64 { return phi((x - mean) / std) }
	}
	uniform := func(lower, upper float64) func(float64) float64 {
		return func(x float64) float64 { return min(1, max(0, (x-lower)/(upper-lower))) }
	}
	truncated := func(mean, std float64) func(float64) float64 {
		return func(x float64) float64 {
			return min(1, max(0, (phi((x-mean)/std)-phi(-2))/(phi(2)-phi(-2))))
		}
	}
	around := func(bound float64) func(float64) float64 { return uniform(-bound, bound) }
	mean := (f.in + f.out) / 2
	switch name {
	case "SIGMOID_UNIFORM":
		return around(4 * math.Sqrt(6/(f.in+f.out)))
	case "NORMAL", "LECUN_NORMAL", "XAVIER_FAN_IN":
		return normal(0, 1/math.Sqrt(f.in))
	case "UNIFORM":
		return around(1 / math.Sqrt(f.in))
	case "XAVIER":
		return normal(0, math.Sqrt(2/(f.in+f.out)))
	case "XAVIER_UNIFORM":
		return around(math.Sqrt(6 / (f.in + f.out)))
	case "XAVIER_LEGACY":
		return normal(0, 1/math.Sqrt(f.ends))
	case "RELU":
		return normal(0, math.Sqrt(2/f.in))
	case "RELU_UNIFORM":
		return around(math.Sqrt(6 / f.in))
	case "LECUN_UNIFORM", "VAR_SCALING_UNIFORM_FAN_IN":
		return around(3 / math.Sqrt(f.in))
	case "VAR_SCALING_UNIFORM_FAN_OUT":
		return around(3 / math.Sqrt(f.out))
	case "VAR_SCALING_UNIFORM_FAN_AVG":
		return around(3 / math.Sqrt(mean))
	case "VAR_SCALING_NORMAL_FAN_IN":
		return truncated(0, 1/math.Sqrt(f.in))
	case "VAR_SCALING_NORMAL_FAN_OUT":
		return truncated(0, 1/math.Sqrt(f.out))
	case "VAR_SCALING_NORMAL_FAN_AVG":
		return truncated(0, 1/math.Sqrt(mean))
	case "NormalDistribution", "GaussianDistribution":
		return normal(0.5, 0.2)
	case "UniformDistribution":
		return uniform(-1, 2)
	case "TruncatedNormalDistribution":
		return truncated(1, 0.5)
	case "LogNormalDistribution":
		return func(x float64) float64 { return phi((math.Log(x) - 0.1) / 0.2) }
	case "BinomialDistribution":
		return func(x float64) float64 {
			sum, term := 0.0, math.Pow(0.75, 5)
			for k := 0.0; k <= math.Floor(x); k++ {
				sum += term
				term *= (5 - k) / (k + 1) * 0.25 / 0.75
			}
			return sum
		}
	}
	return nil
}

// TestInitialDistributions compares each scheme, in layers of three kinds, with the distribution that it names, using
// the Kolmogorov-Smirnov test. In a dense layer it also compares the deciles with those of Deeplearning4j.
func TestInitialDistributions(t *testing.T) {
	schemes := map[string]weights.Init{}
	for _, name := range weights.Names() {
		schemes[name], _ = weights.ByName(name)
	}
	for name, d := range map[string]weights.Distribution{
		"NormalDistribution": weights.NormalDistribution{Mean: 0.5, Std: 0.2},
		"GaussianDistribution": weights.GaussianDistribution{NormalDistribution: weights.NormalDistribution{Mean: 0.5,
			Std: 0.2}},
		"UniformDistribution":         weights.UniformDistribution{Lower: -1, Upper: 2},
		"TruncatedNormalDistribution": weights.TruncatedNormalDistribution{Mean: 1, Std: 0.5},
		"LogNormalDistribution":       weights.LogNormalDistribution{Mean: 0.1, Std: 0.2},
		"BinomialDistribution":        weights.BinomialDistribution{NumberOfTrials: 5, ProbabilityOfSuccess: 0.25},
		"ConstantDistribution":        weights.ConstantDistribution{Value: 0.5},
	} {
		schemes[name] = weights.FromDistribution{Distribution: d}
	}
	for _, class := range weights.Distributions.Names() {
		// has a test of its own
		if name := class[strings.LastIndex(class, ".")+1:]; schemes[name] == nil && name != "OrthogonalDistribution" {
			t.Errorf("no check has %s", class)
		}
	}
	theirs := readInitialWeights(t).Schemes
	for name, init := range schemes {
		if name == "IDENTITY" {
			continue
		}
		want := theirs[name]
		if want == nil {
			t.Errorf("there are no deciles of %s", name)
			continue
		}
		for _, c := range []struct {
			layer layer.Layer
			in    inputtype.Type
			key   string
			fan   initialFan
		}{
			{layer.Dense{NOut: 450}, inputtype.FeedForward(200), "W", initialFan{200, 450, 650}},
			{layer.Convolution2D{NOut: 60, Kernel: [2]int{3, 2}, Stride: [2]int{2, 1}}, inputtype.Convolutional(8, 8, 30), "W",
				initialFan{180, 180, 90}},
			{layer.NewLSTM(50), inputtype.Recurrent(40, 3), "W", initialFan{50, 90, 240}},
			{layer.NewLSTM(50), inputtype.Recurrent(40, 3), "RW", initialFan{50, 90, 250}},
		} {
			x := slices.Clone(draw(t, c.layer, c.in, init, 11)[c.key])
			slices.Sort(x)
			n := float64(len(x))
			cdf := distributionOf(name, c.fan)
			if cdf == nil { // one value
				if float64(x[0]) != want[0] || x[len(x)-1] != x[0] {
					t.Errorf("%s: weights from %g to %g, want %g", name, x[0], x[len(x)-1], want[0])
				}
				continue
			}
			apart := 0.0
			for i, v := range x {
				p := cdf(float64(v))
				if i+1 == len(x) || x[i+1] != v {
					apart = max(apart, math.Abs(p-float64(i+1)/n))
				}
				if name != "BinomialDistribution" {
					apart = max(apart, math.Abs(p-float64(i)/n))
				}
			}
			if apart*math.Sqrt(n) > 1.63 { // one in a hundred correct samples exceeds it
				t.Errorf("%s in %T: the distribution functions are %.2g apart, %.2g/√n", name, c.layer, apart, apart*math.Sqrt(n))
			}
			if len(x) != 200*450 {
				continue
			}
			for k := 1; k < 10; k++ {
				// One in fifty of Deeplearning4j's truncated normal numbers is the mean itself.
				if got := cdf(want[k]); !near.Equal(got, float64(k)/10, 0.012, 0) && name != "BinomialDistribution" {
					t.Errorf("%s: %.3g of the weights are below Deeplearning4j's decile %d", name, got, k)
				}
				if at := float64(x[k*len(x)/10]); name == "BinomialDistribution" && at != want[k] {
					t.Errorf("%s: decile %d is %g, want %g", name, k, at, want[k])
				}
			}
		}
	}
	square := draw(t, layer.Dense{NOut: 4}, inputtype.FeedForward(4), schemes["IDENTITY"], 1)["W"]
	if !slices.Equal(square, []float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}) {
		t.Errorf("IDENTITY is %v", square)
	}
}
