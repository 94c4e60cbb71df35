package train_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/train"
)

// some has eight examples of two classes; rows lists the indices of those in the source.
func some(t *testing.T, rows []int, weights []float32) source.Source {
	t.Helper()
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(8, 3)}, Labels: []*tensor.Dense{tensor.New(8, 2)}}
	for i := range 8 {
		for k := range 3 {
			m.Features[0].Data[3*i+k] = float32((i*5+k*7)%11)/5 - 1
		}
		class := 0
		if i >= 6 {
			class = 1
		}
		m.Labels[0].Data[2*i+class] = 1
	}
	if rows != nil {
		m = m.Select(rows)
	}
	if weights != nil {
		m.Weights = tensor.MustOf(weights, 8, 1)
	}
	s, err := source.InMemory(source.InfoOf("some", m), m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func small(t *testing.T) *nn.MultiLayer {
	t.Helper()
	net, err := nn.New(nn.Configuration{Seed: 3, InputType: inputtype.FeedForward(3),
		Updater: updater.Sgd{LearningRate: 0.3},
		Layers: []layer.Layer{layer.Dense{NOut: 4, Activation: activation.TanH{}},
			layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// TestWeightsTrain: with each method, training with weights equals training on repeated rows, if all rows are one
// minibatch. Weights of classes are equivalent, and a common factor changes nothing.
func TestWeightsTrain(t *testing.T) {
	repeated := []int{6, 6, 7, 7, 0, 1, 2, 3, 4, 5, 6, 7} // the six of class 0 once, the two of class 1 three times
	fit := func(t *testing.T, method func(*train.Config), c train.Config) []float32 {
		c.Network, c.Epochs, c.Seed, c.HeldOut = small(t), 3, 1, some(t, nil, nil)
		method(&c)
		if c.Batch == 0 {
			c.Batch = 8
		}
		if _, err := train.Fit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		return c.Network.Base().Params()
	}
	same := func(t *testing.T, what string, got, want []float32, tolerance float64) {
		t.Helper()
		if err := near.All(got, want, tolerance, 0); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	weights := []float32{1, 1, 1, 1, 1, 1, 3, 3}
	doubled := []float32{2, 2, 2, 2, 2, 2, 6, 6}
	for name, method := range methods(t) {
		t.Run(name, func(t *testing.T) {
			one := fit(t, method, train.Config{Data: some(t, nil, weights)})
			same(t, "twice the weights", fit(t, method, train.Config{Data: some(t, nil, doubled)}), one, 0)
			same(t, "weights of classes", fit(t, method, train.Config{Data: some(t, nil, nil),
				ClassWeights: train.ClassWeights{Weights: []float64{1, 3}}}), one, 0)
			same(t, "balanced", fit(t, method, train.Config{Data: some(t, nil, nil),
				ClassWeights: train.ClassWeights{Balanced: true}}), one, 1e-6)
			if name == "plain" {
				c := train.Config{Data: some(t, repeated, nil), Batch: 12}
				same(t, "repeated rows", fit(t, method, c), one, 1e-5)
			}
			if plain := fit(t, method, train.Config{Data: some(t, nil, nil)}); fmt.Sprint(plain) == fmt.Sprint(one) {
				t.Error("weights change nothing")
			}
		})
	}
}

// TestWeightedFigures compares the figures of held-out data with plain sums.
func TestWeightedFigures(t *testing.T) {
	weights := []float32{0.5, 0, 2, 1, 1, 3, 0.25, 4}
	net := small(t)
	r, err := train.Fit(t.Context(), train.Config{Network: net, Data: some(t, nil, nil), HeldOut: some(t, nil, weights),
		ClassWeights: train.ClassWeights{Weights: []float64{1, 2}}, Epochs: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	m := some(t, nil, nil).(source.Table).Range(0, 8)
	out, err := net.Output(m, false)
	if err != nil {
		t.Fatal(err)
	}
	sum, right := 0.0, 0.0
	for i, w := range weights {
		x, class := float64(w), i >= 6
		if class {
			x *= 2
		}
		sum += x
		if (out[0].Data[2*i+1] > out[0].Data[2*i]) == class {
			right += x
		}
	}
	if r.Weighted == nil || !near.Equal(r.Weighted.Accuracy(), right/sum, 1e-12, 0) {
		t.Errorf("the weighted accuracy is %+v, want %v", r.Weighted, right/sum)
	}
}

func TestWeightErrors(t *testing.T) {
	type weights = train.ClassWeights
	all := some(t, nil, nil)
	for want, c := range map[string]train.Config{
		"all weights of some are 0": {Data: some(t, nil, make([]float32, 8))},
		"3 weights, and some has 2": {Data: all, ClassWeights: weights{Weights: []float64{1, 2, 3}}},
		"class 1 is -2":             {Data: all, ClassWeights: weights{Weights: []float64{1, -2}}},
		"class 0 is NaN":            {Data: all, ClassWeights: weights{Weights: []float64{math.NaN(), 1}}},
		"all classes have":          {Data: all, ClassWeights: weights{Weights: []float64{0, 0}}},
		"choose one":                {Data: all, ClassWeights: weights{Weights: []float64{0, 1}, Balanced: true}},
	} {
		c.Network = small(t)
		if _, err := train.Fit(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
