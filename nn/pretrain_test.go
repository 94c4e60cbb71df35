package nn

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

func pretrainNet(t *testing.T, size int, layers ...layer.Layer) *MultiLayer {
	return newNet(t, Configuration{InputType: inputtype.FeedForward(size), Activation: activation.Sigmoid{},
		Updater: updater.NewAdam(),
		Layers:  append(layers, layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()})})
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
		"composite": with(layer.CompositeReconstruction{Sizes: []int{1, 3, 1},
			Parts: []layer.Reconstruction{layer.GaussianReconstruction{},
				layer.BernoulliReconstruction{}, layer.LossReconstruction{Loss: loss.L1{}}}}, 2),
	} {
		net := pretrainNet(t, 5, l)
		of, err := (&inner{n: &net.Network}).alone()
		if err != nil {
			t.Fatal(err)
		}
		alone := &MultiLayer{Network: *of}
		m := &data.MultiDataSet{Features: examples(4, 5, 1).Features, Labels: []*tensor.Dense{tensor.New(4, 1)}}
		if err := gradientDiffers(t, alone, m, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPretrain: each autoencoder learns in its turn, and no other parameters move.
func TestPretrain(t *testing.T) {
	deep := layer.VariationalAutoencoder{NOut: 2, Encoder: []int{6}, Decoder: []int{6},
		Output: layer.BernoulliReconstruction{}}
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
	if n, err := all.Pretrain(epoch, 500, 1); n != 2 || err != nil || !slices.Equal(all.Params(), net.Params()) {
		t.Errorf("pretraining all layers is not pretraining one after the other (%v)", err)
	}
	other := build()
	if _, err := other.Pretrain(epoch, 500, 2); err != nil || slices.Equal(other.Params(), net.Params()) {
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
	numbers := layer.NewAutoEncoder(4)
	numbers.LossFunction = "SPARSE_MCXENT"
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

// TestPretrainSparsity compares the gradient with plain sums. In it, y∘(y − s) replaces the activation's derivative.
func TestPretrainSparsity(t *testing.T) {
	const rows, in, hidden, s = 6, 5, 4, 0.1
	l := layer.NewAutoEncoder(hidden)
	l.CorruptionLevel, l.Sparsity = 0, s
	net := pretrainNet(t, in, l)
	of, err := (&inner{n: &net.Network}).alone()
	if err != nil {
		t.Fatal(err)
	}
	m := examples(rows, in, 1)
	m.Labels = []*tensor.Dense{tensor.New(rows, 1)}
	_, got, err := of.Gradient(m, Key{})
	if err != nil {
		t.Fatal(err)
	}
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	w := func(i, j int) float64 { return float64(of.params[j*in+i]) } // the biases are 0
	want := make([]float64, len(got))
	for r := range rows {
		x := wide(m.Features[0].Data[r*in : (r+1)*in])
		y, back := make([]float64, hidden), make([]float64, in)
		for j := range y {
			for i := range x {
				y[j] += x[i] * w(i, j)
			}
			y[j] = sigmoid(y[j])
		}
		for i := range back {
			for j := range y {
				back[i] += y[j] * w(i, j)
			}
			back[i] = sigmoid(back[i]) - x[i]
			want[in*hidden+hidden+i] += back[i]
		}
		for j := range y {
			h := 0.0
			for i := range back {
				h += back[i] * w(i, j) * y[j] * (y[j] - s)
			}
			want[in*hidden+j] += h
			for i := range back {
				want[j*in+i] += x[i]*h + back[i]*y[j]
			}
		}
	}
	for i := range want {
		if !near.Equal(float64(got[i]), want[i], 1e-5, 0) {
			t.Errorf("element %d of the gradient is %v, want %v", i, got[i], want[i])
		}
	}
}

// TestPretrainGraph: a graph is pretrained like a network of layers, each autoencoder on its own input.
func TestPretrainGraph(t *testing.T) {
	deep := layer.VariationalAutoencoder{NOut: 2, Encoder: []int{6}, Decoder: []int{6},
		Output: layer.BernoulliReconstruction{}}
	out := layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	chain := []layer.Layer{layer.NewAutoEncoder(6), layer.Dense{NOut: 5}, deep}
	net := pretrainNet(t, 8, chain...)
	conf := GraphConfiguration{Defaults: Configuration{Activation: activation.Sigmoid{}, Updater: updater.NewAdam()},
		Inputs:     []string{"in"},
		InputTypes: []inputtype.Type{inputtype.FeedForward(8)}, Outputs: []string{"3"}}
	from := "in"
	for i, l := range append(chain, out) {
		conf.Vertices = append(conf.Vertices, GraphVertex{Name: strconv.Itoa(i), Layer: l, Inputs: []string{from}})
		from = strconv.Itoa(i)
	}
	g, err := NewGraph(conf)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.SetParams(net.Params()); err != nil {
		t.Fatal(err)
	}
	epoch := func() data.Iterator { return data.Of(examples(20, 8, 3)) }
	for _, n := range []*Network{net.Base(), g.Base()} {
		if layers, err := n.Pretrain(epoch, 5, 1); layers != 2 || err != nil {
			t.Fatalf("%d layers, %v", layers, err)
		}
	}
	if !slices.Equal(net.Params(), g.Params()) {
		t.Error("the graph of the same layers becomes another")
	}

	conf.Inputs, conf.InputTypes, conf.Outputs = []string{"a", "b"},
		[]inputtype.Type{inputtype.FeedForward(3), inputtype.FeedForward(4)}, []string{"out"}
	conf.Vertices = []GraphVertex{
		{Name: "first", Layer: layer.NewAutoEncoder(2), Inputs: []string{"a"}},
		{Name: "second", Layer: layer.NewAutoEncoder(2), Inputs: []string{"b"}},
		{Name: "third", Layer: layer.NewAutoEncoder(3), Inputs: []string{"first", "second"}},
		{Name: "out", Layer: out, Inputs: []string{"third"}},
	}
	if g, err = NewGraph(conf); err != nil {
		t.Fatal(err)
	}
	g.Init(1)
	m := &data.MultiDataSet{Features: []*tensor.Dense{examples(9, 3, 1).Features[0], examples(9, 4, 1).Features[0]}}
	for _, name := range []string{"second", "third"} {
		before := slices.Clone(g.Params())
		if _, err := g.PretrainLayer(name, func() data.Iterator { return data.Of(m) }, 2, 1); err != nil {
			t.Fatal(err)
		}
		for _, p := range g.ParamTable() {
			same := slices.Equal(before[p.Offset:p.Offset+p.Size], g.Params()[p.Offset:p.Offset+p.Size])
			if same == strings.HasPrefix(p.Key, name) {
				t.Errorf("pretraining %s: %s moves is %t", name, p.Key, !same)
			}
		}
	}
	for name, want := range map[string]string{"out": "cannot be pretrained", "third-merge": "cannot be pretrained",
		"fourth": `no layer "fourth"`} {
		if _, err := g.PretrainLayer(name, func() data.Iterator { return data.Of(m) }, 1, 1); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
