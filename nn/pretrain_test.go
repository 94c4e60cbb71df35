package nn

import (
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

func pretrainNet(t *testing.T, size int, layers ...layer.Layer) *MultiLayer {
	return newNet(t, Configuration{InputType: inputtype.FeedForward(size), Activation: activation.Sigmoid{}, Updater: updater.NewAdam(),
		Layers: append(layers, layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()})})
}

func TestGradientsOfPretraining(t *testing.T) {
	sigmoid, tanh := activation.Sigmoid{}, activation.TanH{}
	plain := layer.NewAutoEncoder(4)
	plain.CorruptionLevel = 0
	squared := layer.NewAutoEncoder(4)
	squared.LossFunction, squared.Activation = "MSE", tanh
	vae := layer.VariationalAutoencoder{NOut: 2, Encoder: []int{4, 3}, Decoder: []int{3, 4}, PzxActivation: tanh}
	with := func(r layer.Reconstruction, samples int) layer.Layer {
		l := vae
		l.Output, l.NumSamples = r, samples
		return l
	}
	for name, l := range map[string]layer.Layer{
		"autoencoder":              plain,
		"autoencoder, corruption":  layer.NewAutoEncoder(4),
		"autoencoder, MSE":         squared,
		"Gaussian":                 vae,
		"Gaussian, samples":        with(layer.GaussianReconstruction{}, 3),
		"Bernoulli":                with(layer.BernoulliReconstruction{}, 1),
		"Bernoulli, no sigmoid":    with(layer.BernoulliReconstruction{Activation: activation.HardSigmoid{}}, 2),
		"exponential":              with(layer.ExponentialReconstruction{}, 1),
		"exponential, with a tanh": with(layer.ExponentialReconstruction{Activation: tanh}, 1),
		"loss":                     with(layer.LossReconstruction{Activation: sigmoid, Loss: loss.MSE{}}, 2),
		"composite": with(layer.CompositeReconstruction{Sizes: []int{1, 3, 1}, Parts: []layer.Reconstruction{layer.GaussianReconstruction{},
			layer.BernoulliReconstruction{}, layer.LossReconstruction{Loss: loss.L1{}}}}, 2),
	} {
		net := pretrainNet(t, 5, l)
		of, err := net.pretrainer(0)
		if err != nil {
			t.Fatal(err)
		}
		alone := &MultiLayer{core: *of}
		m := &data.MultiDataSet{Features: examples(4, 5, 1).Features, Labels: []*tensor.Dense{tensor.New(4, 1)}}
		if err := gradientDiffers(t, alone, m, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPretrain: each autoencoder learns in its turn, and nothing else of the network moves.
func TestPretrain(t *testing.T) {
	deep := layer.VariationalAutoencoder{NOut: 2, Encoder: []int{6}, Decoder: []int{6}, Output: layer.BernoulliReconstruction{}}
	build := func() *MultiLayer {
		return pretrainNet(t, 8, layer.NewAutoEncoder(6), layer.Dense{NOut: 5}, deep)
	}
	net := build()
	m := examples(30, 8, 3)
	for i := range m.Features[0].Data { // three patterns
		m.Features[0].Data[i] = float32((i / 8 % 3) * (i % 3) % 2)
	}
	epoch := func() data.Iterator { return data.Of(m) }
	for _, i := range []int{0, 2} {
		before := slices.Clone(net.Params())
		first, err := build().PretrainLayer(i, epoch, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		last, err := net.PretrainLayer(i, epoch, 500, 1)
		if err != nil || !(last < 0.8*first) {
			t.Errorf("layer %d: the score went from %v to %v (%v)", i, first, last, err)
		}
		at, n := net.layout.nodeRange(i)
		for k, x := range net.Params() {
			if within := k >= at && k < at+n; !within && x != before[k] {
				t.Fatalf("pretraining layer %d moves parameter %d, of another layer", i, k)
			}
		}
	}
	if net.Iteration() != 0 || net.Epoch() != 0 {
		t.Errorf("iteration %d and epoch %d after pretraining", net.Iteration(), net.Epoch())
	}
	all := build()
	if err := all.Pretrain(epoch, 500, 1); err != nil || !slices.Equal(all.Params(), net.Params()) {
		t.Errorf("pretraining all layers is not pretraining one after the other (%v)", err)
	}
	other := build()
	if err := other.Pretrain(epoch, 500, 2); err != nil || slices.Equal(other.Params(), net.Params()) {
		t.Errorf("another seed gives the same parameters (%v)", err)
	}
}

// TestPretrainRegularises: L2 of the decoder counts in pretraining's score.
func TestPretrainRegularises(t *testing.T) {
	l := layer.VariationalAutoencoder{NOut: 2, Encoder: []int{3}, Decoder: []int{3}}
	epoch := func() data.Iterator { return data.Of(examples(4, 5, 3)) }
	score := func() float64 {
		s, err := pretrainNet(t, 5, l).PretrainLayer(0, epoch, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	without := score()
	l.Regularization = []regularization.Regularization{regularization.NewL2(0.5)}
	net := pretrainNet(t, 5, l)
	want := 0.0
	for _, p := range net.ParamTable() {
		if strings.HasPrefix(p.Key, "0_") && strings.HasSuffix(p.Key, "W") {
			for _, x := range net.Params()[p.Offset : p.Offset+p.Size] {
				want += 0.25 * float64(x) * float64(x)
			}
		}
	}
	oracleScore(t, "the part of L2", score()-without, want)
}

func TestPretrainRefuses(t *testing.T) {
	m := examples(4, 5, 3)
	epoch := func() data.Iterator { return data.Of(m) }
	sparse, numbers := layer.NewAutoEncoder(4), layer.NewAutoEncoder(4)
	sparse.Sparsity, numbers.LossFunction = 0.1, "SPARSE_MCXENT"
	masked := func() data.Iterator {
		return data.Of(&data.MultiDataSet{Features: m.Features, FeatureMasks: []*tensor.Dense{tensor.New(4, 1)}})
	}
	for want, c := range map[string]struct {
		l      layer.Layer
		layer  int
		epochs int
		data   func() data.Iterator
	}{
		"cannot be pretrained": {layer.NewAutoEncoder(4), 1, 1, epoch},
		"no layer 2":           {layer.NewAutoEncoder(4), 2, 1, epoch},
		"at least one":         {layer.NewAutoEncoder(4), 0, 0, epoch},
		"sparsity":             {sparse, 0, 1, epoch},
		"class numbers":        {numbers, 0, 1, epoch},
		"no examples":          {layer.NewAutoEncoder(4), 0, 1, func() data.Iterator { return data.Of() }},
		"mask":                 {layer.NewAutoEncoder(4), 0, 1, masked},
	} {
		_, err := pretrainNet(t, 5, c.l).PretrainLayer(c.layer, c.data, c.epochs, 1)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", want, err)
		}
	}
}
