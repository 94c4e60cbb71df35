package nn

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// mixed is a network with most features: convolution, pooling, batch normalisation, dropout, regularisation, gradient
// normalisation, several updaters.
func mixed() Configuration {
	return Configuration{
		Updater:        updater.NewAdam(),
		BiasUpdater:    updater.NewSgd(),
		Activation:     activation.ReLU{},
		Regularization: []regularization.Regularization{regularization.NewL2(1e-3)},
		InputType:      inputtype.ConvolutionalFlat(6, 6, 1),
		Layers: []layer.Layer{
			layer.Convolution2D{NOut: 4, Kernel: [2]int{3, 3}},
			layer.NewBatchNormalization(),
			layer.Subsampling{Kernel: [2]int{2, 2}},
			layer.Dense{NOut: 7, Base: layer.Base{
				Dropout: regularization.NewDropout(0.7),
				Updater: updater.Nesterovs{LearningRateSchedule: updater.StepSchedule{Type: updater.Iteration,
					InitialValue: 0.1, DecayRate: 0.5, Step: 2}, Momentum: 0.9},
				GradientNormalization: layer.ClipL2PerLayer, GradientNormalizationThreshold: 0.5}},
			layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT(), Base: layer.Base{
				Regularization: []regularization.Regularization{regularization.NewWeightDecay(0.01, true)}}},
		},
	}
}

func newNet(t *testing.T, c Configuration) *MultiLayer {
	t.Helper()
	net, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	net.Init(1)
	return net
}

// examples makes rows of n random features in [0, 1), with the classes in turn.
func examples(rows, n, classes int) *data.MultiDataSet {
	f, l := tensor.New(rows, n), tensor.New(rows, classes)
	s := random.NewSource(7)
	for i := range f.Data {
		f.Data[i] = float32(s.Float64())
	}
	for i := range rows {
		l.Data[i*classes+i%classes] = 1
	}
	return (&data.DataSet{Features: f, Labels: l}).Multi()
}

func equalBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

func TestFitIsUpdateAndApply(t *testing.T) {
	fit, parts := newNet(t, mixed()), newNet(t, mixed())
	for i := range 6 {
		m, key := examples(5+i%2, 36, 3), Key{Seed: 3, Epoch: 1, Example: uint64(5 * i)}
		a, err := fit.Fit(m, key)
		if err != nil {
			t.Fatal(err)
		}
		b, err := parts.Updates(m, key, parts.Apply)
		if err != nil {
			t.Fatal(err)
		}
		if a != b || !equalBits(fit.Params(), parts.Params()) || !equalBits(fit.UpdaterState(), parts.UpdaterState()) {
			t.Fatalf("step %d: Fit and Updates with Apply differ", i)
		}
	}
	if fit.Iteration() != 6 || parts.Iteration() != 6 {
		t.Errorf("iterations %d and %d, want 6", fit.Iteration(), parts.Iteration())
	}
}

func TestRandomNumbersFollowTheKey(t *testing.T) {
	m := examples(6, 36, 3)
	step := func(key Key) []float32 {
		net := newNet(t, mixed())
		if _, err := net.Fit(m, key); err != nil {
			t.Fatal(err)
		}
		return net.Params()
	}
	base := Key{Seed: 1, Epoch: 2, Example: 3}
	if !equalBits(step(base), step(base)) {
		t.Error("the same key gives other parameters")
	}
	for _, key := range []Key{{Seed: 2, Epoch: 2, Example: 3}, {Seed: 1, Epoch: 3, Example: 3},
		{Seed: 1, Epoch: 2, Example: 4}} {
		if equalBits(step(base), step(key)) {
			t.Errorf("the keys %v and %v give the same dropout", base, key)
		}
	}
}

func TestReplicaContinues(t *testing.T) {
	net := newNet(t, mixed())
	m := examples(6, 36, 3)
	for i := range 3 {
		if _, err := net.Fit(m, Key{Example: uint64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	net.SetEpoch(2)
	conf, err := net.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	replica, err := Replica(conf)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(replica.SetParams(net.Params()), replica.SetUpdaterState(net.UpdaterState())); err != nil {
		t.Fatal(err)
	}
	clone := net.Clone()
	for _, n := range []*Network{net.Base(), replica, clone.Base()} {
		if _, err := n.Fit(m, Key{Example: 3}); err != nil {
			t.Fatal(err)
		}
	}
	for name, n := range map[string]*Network{"replica": replica, "clone": clone.Base()} {
		if !equalBits(n.Params(), net.Params()) || !equalBits(n.UpdaterState(), net.UpdaterState()) ||
			n.Iteration() != 4 || n.Epoch() != 2 {
			t.Errorf("the %s goes another way", name)
		}
		n.Params()[0]++
		if n.Params()[0] == net.Params()[0] {
			t.Errorf("the %s shares parameters", name)
		}
	}
	var length *LengthError
	if err := replica.SetParams(net.Params()[1:]); !errors.As(err, &length) {
		t.Errorf("short parameters: %v", err)
	}
}

func TestDivergence(t *testing.T) {
	c := mixed()
	c.Layers[3] = layer.Dense{NOut: 7, Activation: activation.Identity{},
		Base: layer.Base{Updater: updater.Sgd{LearningRate: 1e30}}}
	net := newNet(t, c)
	m := examples(6, 36, 3)
	var last []float32
	var err error
	for i := range 20 {
		last = slices.Clone(net.Params())
		if _, err = net.Fit(m, Key{Example: uint64(i)}); err != nil {
			break
		}
	}
	var d *DivergedError
	if !errors.As(err, &d) || d.Layer == "" {
		t.Fatalf("a learning rate of 1e30: %v", err)
	}
	if d.Iteration != net.Iteration() || !equalBits(last, net.Params()) {
		t.Errorf("the step that diverged changed the network: %v", err)
	}

	net = newNet(t, mixed())
	m.Features[0].Data[40] = float32(math.NaN())
	before := slices.Clone(net.Params())
	_, err = net.Fit(m, Key{})
	var v *data.ValueError
	if !errors.As(err, &v) || v.Example != 1 || v.Column != 4 {
		t.Errorf("NaN among the features: %v", err)
	}
	if !equalBits(before, net.Params()) {
		t.Error("NaN among the features changed the parameters")
	}
	net.Params()[len(net.Params())-1] = float32(math.Inf(1))
	if err := net.CheckParams(); !errors.As(err, &d) || !strings.Contains(err.Error(), "layer 4 (layer4)") {
		t.Errorf("an infinite bias: %v", err)
	}
}

func TestDataThatDoesNotFit(t *testing.T) {
	net := newNet(t, mixed())
	for _, c := range []struct {
		name string
		m    *data.MultiDataSet
		want []string
	}{
		{"features", examples(4, 35, 3), []string{"layer 0 (layer0)", "36", "35"}},
		{"labels", examples(4, 36, 4), []string{"layer 4 (layer4)", "[4, 3]", "[4, 4]"}},
		{"no examples", examples(0, 36, 3), []string{"no examples"}},
		{"two inputs", &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(1, 36), tensor.New(1, 36)}},
			[]string{"1 arrays", "got 2"}},
	} {
		err := net.Check(c.m)
		if err == nil {
			t.Errorf("%s: accepted", c.name)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not say %q", c.name, err, w)
			}
		}
	}
	if _, err := net.Fit(examples(4, 35, 3), Key{}); err == nil {
		t.Error("Fit accepts features of another width")
	}
	short := examples(4, 36, 3)
	short.Labels[0] = short.Labels[0].Slice(0, 1)
	for name, m := range map[string]*data.MultiDataSet{"nothing": {}, "no rows": examples(0, 36, 3),
		"one row of labels": short} {
		if _, err := net.Fit(m, Key{}); err == nil {
			t.Errorf("Fit accepts %s", name)
		}
		if _, err := net.Output(m, false); err == nil {
			t.Errorf("Output accepts %s", name)
		}
	}
	if _, err := net.Fit(&data.MultiDataSet{Features: examples(4, 36, 3).Features}, Key{}); err == nil {
		t.Error("Fit accepts a minibatch without labels")
	}
}

func TestConfigurationErrors(t *testing.T) {
	out := layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	for _, c := range []struct {
		name string
		conf Configuration
		want string
	}{
		{"no layers", Configuration{}, "no layers"},
		{"nIn unknown", Configuration{Layers: []layer.Layer{layer.Dense{NOut: 3}, out}}, "layer 0 (layer0): nIn is 0"},
		{"nOut missing", Configuration{InputType: inputtype.FeedForward(4), Layers: []layer.Layer{layer.Dense{}, out}},
			"nOut is 0; set it to the number of outputs"},
		{"no loss", Configuration{InputType: inputtype.FeedForward(4), Layers: []layer.Layer{layer.Output{NOut: 2}}},
			"it has no Loss; set one, such as loss.NewMCXENT()"},
		{"kernel larger than image", Configuration{InputType: inputtype.Convolutional(3, 3, 1),
			Layers: []layer.Layer{layer.Convolution2D{NOut: 2}, out}}, "larger than the image of 3x3"},
		{"strict", Configuration{InputType: inputtype.Convolutional(6, 6, 1),
			Layers: []layer.Layer{layer.Convolution2D{NOut: 2, Kernel: [2]int{3, 3}, Stride: [2]int{2, 2}, Mode: layer.Strict},
				out}}, "Strict"},
		{"vectors for convolution", Configuration{InputType: inputtype.FeedForward(4),
			Layers: []layer.Layer{layer.Convolution2D{NIn: 1, NOut: 2}, out}}, "takes images"},
		{"dropout of 0", Configuration{InputType: inputtype.FeedForward(4),
			Layers: []layer.Layer{layer.Dense{NOut: 3, Base: layer.Base{Dropout: regularization.NewDropout(0)}}, out}},
			"Dropout"},
		{"batch normalisation without eps", Configuration{InputType: inputtype.FeedForward(4),
			Layers: []layer.Layer{layer.BatchNormalization{}, out}}, "NewBatchNormalization"},
		{"learning rate NaN", Configuration{InputType: inputtype.FeedForward(4),
			Updater: updater.Sgd{LearningRate: math.NaN()},
			Layers:  []layer.Layer{out}}, "learningRate"},
	} {
		_, err := New(c.conf)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}

func TestOutputLayersWithoutLossCannotTrain(t *testing.T) {
	net := newNet(t, Configuration{InputType: inputtype.FeedForward(4), Layers: []layer.Layer{layer.Dense{NOut: 3}}})
	if _, err := net.Output(examples(2, 4, 3), false); err != nil {
		t.Error(err)
	}
	if _, err := net.Fit(examples(2, 4, 3), Key{}); err == nil || !strings.Contains(err.Error(), "no loss function") {
		t.Errorf("Fit: %v", err)
	}
}

func TestScores(t *testing.T) {
	net := newNet(t, mixed())
	m := examples(5, 36, 3)
	score, err := net.Score(m, false)
	if err != nil {
		t.Fatal(err)
	}
	with, err := net.ScoreExamples(m, true)
	if err != nil {
		t.Fatal(err)
	}
	without, err := net.ScoreExamples(m, false)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range with {
		sum += with[i]
		if !(with[i] > without[i]) || !near.Equal(with[i]-without[i], with[0]-without[0], 1e-12, 0) {
			t.Errorf("example %d: %v with regularisation, %v without", i, with[i], without[i])
		}
	}
	if !near.Equal(sum/5, score, 1e-6, 0) {
		t.Errorf("the score is %v, the mean of the examples' %v", score, sum/5)
	}
}

func TestListeners(t *testing.T) {
	net := newNet(t, mixed())
	var b bytes.Buffer
	net.SetListeners(ScoreListener{Every: 2, To: &b})
	if err := net.FitEpoch(examples(40, 36, 3).Batches(10), 1); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "\n"); got != 2 || !strings.HasPrefix(b.String(), "Score at iteration 2 is ") {
		t.Errorf("the listener wrote %q", b.String())
	}
	if net.Epoch() != 1 || net.Iteration() != 4 {
		t.Errorf("epoch %d, iteration %d; want 1, 4", net.Epoch(), net.Iteration())
	}
	if err := net.FitEpoch(data.Of(), 1); err == nil {
		t.Error("an epoch without examples is no error")
	}
}

func TestSummary(t *testing.T) {
	net := newNet(t, mixed())
	line := func(c string) string { return strings.Repeat(c, 100) + "\n" }
	want := "\n" + line("=") +
		"LayerName (LayerType)         nIn,nOut   TotalParams   ParamsShape                                  \n" + line("=") +
		"layer0 (ConvolutionLayer)     1,4        40            b:{4}, W:{4,1,3,3}                           \n" +
		"layer1 (BatchNormalization)   4,4        16            gamma:{4}, beta:{4}, mean:{4}, log10stdev:{4}\n" +
		"layer2 (SubsamplingLayer)     -,-        0             -                                            \n" +
		"layer3 (DenseLayer)           16,7       119           W:{16,7}, b:{7}                              \n" +
		"layer4 (OutputLayer)          7,3        24            W:{7,3}, b:{3}                               \n" + line("-") +
		"            Total Parameters:  199\n" +
		"        Trainable Parameters:  199\n" +
		"           Frozen Parameters:  0\n" + line("=")
	if got := net.Summary(); got != want {
		t.Errorf("summary:\n%s\nwant\n%s", got, want)
	}
}

// TestThreadsAndExecutors: training gives the same bits with any number of threads, and the same numbers with the
// naive executor.
func TestThreadsAndExecutors(t *testing.T) {
	train := func(set func(*MultiLayer)) []float32 {
		net := newNet(t, mixed())
		defer net.Close()
		set(net)
		for i := range 5 {
			if _, err := net.Fit(examples(9, 36, 3), Key{Example: uint64(i)}); err != nil {
				t.Fatal(err)
			}
		}
		return net.Params()
	}
	one := train(func(n *MultiLayer) { n.SetThreads(1) })
	for _, threads := range []int{2, 3} {
		if !equalBits(one, train(func(n *MultiLayer) { n.SetThreads(threads) })) {
			t.Errorf("%d threads give other parameters than one", threads)
		}
	}
	for i, x := range train(func(n *MultiLayer) { n.SetExecutor(naive.Executor{}) }) {
		if !near.Equal(x, one[i], 1e-4, 0) {
			t.Errorf("parameter %d is %v; by the naive executor %v", i, one[i], x)
		}
	}
}

func TestProgram(t *testing.T) {
	text, err := newNet(t, mixed()).Program(16)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"features0\" [16, 36]", "conv2d", "batchnorm-grad", "bytes of buffers", "params["} {
		if !strings.Contains(text, want) {
			t.Errorf("the program does not show %q", want)
		}
	}
}

// TestAbandonedNetworksEndTheirThreads leaves networks to the garbage collector.
func TestAbandonedNetworksEndTheirThreads(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 10 {
		net := newNet(t, mixed())
		net.SetThreads(4)
		if _, err := net.Output(&data.MultiDataSet{Features: examples(2, 36, 3).Features}, false); err != nil {
			t.Fatal(err)
		}
	}
	await.Until(t, "the networks' threads to end", func() (any, bool) {
		runtime.GC()
		n := runtime.NumGoroutine()
		return n, n <= before+3
	})
}

// TestOutputLayersThatCannotBeMeant: as in Deeplearning4j, new networks with them are refused, and files are read.
func TestOutputLayersThatCannotBeMeant(t *testing.T) {
	conf := Configuration{Layers: []layer.Layer{
		layer.Output{NIn: 3, NOut: 1, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
	}}
	if _, err := New(conf); err == nil || !strings.Contains(err.Error(), "softmax over 1 output") {
		t.Errorf("softmax over one unit: %v", err)
	}
	conf.AnyOutput = true
	if _, err := New(conf); err != nil {
		t.Errorf("the check is not switched off: %v", err)
	}
	conf.Layers[0] = layer.Output{NIn: 3, NOut: 2, Activation: activation.Softmax{},
		Loss: loss.MCXENT{Weighted: loss.Weighted{Weights: loss.NewWeights(1, 2, 3)}}}
	if _, err := New(conf); err == nil {
		t.Error("three weights for two outputs were accepted")
	}
}
