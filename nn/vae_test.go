package nn

import (
	"math"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/tensor"
)

func vaeNet(t *testing.T, l layer.VariationalAutoencoder) *MultiLayer {
	return newNet(t, Configuration{InputType: inputtype.FeedForward(5), Activation: activation.TanH{},
		Regularization: []regularization.Regularization{regularization.NewL2(0.1)},
		Layers:         []layer.Layer{l, layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
}

func TestGradientsOfVariationalAutoencoder(t *testing.T) {
	for name, l := range map[string]layer.VariationalAutoencoder{
		"two layers": {NOut: 3, Encoder: []int{4, 6}, Decoder: []int{7}, PzxActivation: activation.TanH{}},
		"defaults":   {NOut: 2, Encoder: []int{3}, Decoder: []int{2, 2}},
	} {
		m := &data.MultiDataSet{Features: []*tensor.Dense{normals(3, 4, 5)}, Labels: examples(4, 1, 3).Labels}
		if err := gradientDiffers(t, vaeNet(t, l), m, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDecoderStays: training with labels does not change the parameters of pretraining, nor count them in the score.
func TestDecoderStays(t *testing.T) {
	net := vaeNet(t, layer.VariationalAutoencoder{NOut: 3, Encoder: []int{4}, Decoder: []int{6}})
	m := &data.MultiDataSet{Features: []*tensor.Dense{normals(3, 4, 5)}, Labels: examples(4, 1, 3).Labels}
	before := append([]float32(nil), net.Params()...)
	first, err := net.Fit(m, Key{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range net.ParamTable() {
		moved := false
		for i := p.Offset; i < p.Offset+p.Size; i++ {
			moved = moved || before[i] != net.Params()[i]
		}
		if decoder := strings.HasPrefix(p.Key, "0_d") || strings.HasPrefix(p.Key, "0_pXZ") ||
			strings.Contains(p.Key, "LogStd2"); moved == decoder {
			t.Errorf("%s moved: %t", p.Key, moved)
		}
	}
	copy(net.Params(), before)
	for _, p := range net.ParamTable() {
		if p.Kind == layer.PretrainOnly {
			for i := range p.Size {
				net.Params()[p.Offset+i] = 100
			}
		}
	}
	if again, err := net.Score(m, true); err != nil || !near.Equal(again, first, 1e-6, 0) {
		t.Errorf("with another decoder the score is %v, not %v (%v)", again, first, err)
	}
	m.FeatureMasks = []*tensor.Dense{tensor.New(4, 1)}
	if _, err := net.Output(m, false); err == nil || !strings.Contains(err.Error(), "mask") {
		t.Errorf("with a mask the error is %v", err)
	}
}

func TestVariationalAutoencoderRefuses(t *testing.T) {
	bernoulli := layer.BernoulliReconstruction{}
	for want, l := range map[string]layer.VariationalAutoencoder{
		"encoderLayerSizes": {NOut: 2, Encoder: []int{3, 0}},
		"decoderLayerSizes": {NOut: 2, Decoder: []int{-3}},
		"numSamples":        {NOut: 2, NumSamples: -1},
		"nOut":              {},
		"at most 100":       {NOut: 2, Encoder: make([]int, 101)},
		"visibleBiasInit":   {NOut: 2, VisibleBiasInit: math.NaN()},
		"lossFunction":      {NOut: 2, LossFunction: "NONE"},
		"is not set":        {NOut: 2, Output: layer.LossReconstruction{}},
		"class numbers":     {NOut: 2, Output: layer.LossReconstruction{Loss: loss.SparseMCXENT{}}},
		"add up to 4": {NOut: 2, Output: layer.CompositeReconstruction{Sizes: []int{1, 3},
			Parts: []layer.Reconstruction{bernoulli, bernoulli}}},
		"each needs one": {NOut: 2, Output: layer.CompositeReconstruction{Sizes: []int{5}}},
		"its size, 7, from 1": {NOut: 2, Output: layer.CompositeReconstruction{Sizes: []int{7},
			Parts: []layer.Reconstruction{bernoulli}}},
	} {
		_, err := New(Configuration{InputType: inputtype.FeedForward(5), Layers: []layer.Layer{l}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", want, err)
		}
	}
}
