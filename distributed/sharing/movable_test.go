package sharing

import (
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/threshold"
)

// frozen returns a network with 1.7 % of its parameters outside frozen layers.
func frozen(t *testing.T) *nn.MultiLayer {
	return built(t, nn.Configuration{Updater: updater.Nesterovs{LearningRate: 0.1, Momentum: 0.9},
		Activation: activation.ReLU{}, InputType: inputtype.FeedForward(64),
		Layers: []layer.Layer{
			layer.Frozen{Layer: layer.Dense{NIn: 64, NOut: 500}}, layer.Frozen{Layer: layer.Dense{NIn: 500, NOut: 500}},
			layer.Output{NIn: 500, NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewNegativeLogLikelihood()},
		}})
}

// words is the size of embedding's vocabulary. occurring is the number of words in the examples, and length that of
// each example.
const words, occurring, length = 20000, 200, 8

// embedding returns a network that averages word vectors. Only 1 % of the words occur.
func embedding(t *testing.T, r ...regularization.Regularization) *nn.MultiLayer {
	return built(t, nn.Configuration{Updater: updater.Nesterovs{LearningRate: 0.1, Momentum: 0.9}, Regularization: r,
		Layers: []layer.Layer{
			layer.NewEmbeddingSequence(words, 16), layer.GlobalPooling{Pooling: "AVG"},
			layer.Output{NIn: 16, NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewNegativeLogLikelihood()},
		}})
}

func built(t *testing.T, c nn.Configuration) *nn.MultiLayer {
	t.Helper()
	net, err := nn.New(c)
	if err != nil {
		t.Fatal(err)
	}
	net.Init(3)
	t.Cleanup(net.Close)
	return net
}

// texts returns sequences of words. Most of their words are those of the class.
func texts(n int) (all []*data.MultiDataSet) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		class := i % 10
		x, y := make([]float32, length), make([]float32, 10)
		y[class] = 1
		for k := range x {
			word := r.IntN(occurring)
			if r.IntN(2) == 0 {
				word = occurring/10*class + r.IntN(occurring/10)
			}
			x[k] = float32(word * (words / occurring))
		}
		all = append(all, &data.MultiDataSet{Features: []*tensor.Dense{tensor.MustOf(x, 1, length)},
			Labels: []*tensor.Dense{tensor.MustOf(y, 1, 10)}})
	}
	return all
}

func singles(m *data.MultiDataSet) (all []*data.MultiDataSet) {
	for i := range m.Examples() {
		all = append(all, m.Slice(i, i+1))
	}
	return all
}

// TestFewMovable checks that the threshold doesn't collapse if few parameters can move. Two workers must learn as well
// as one process with the same minibatches, and clipping must take little.
func TestFewMovable(t *testing.T) {
	images, adaptive := singles(digits(t, "train").Range(0, 1497)), AdaptiveAlgorithm(1e-3)
	for name, c := range map[string]struct {
		net       *nn.MultiLayer
		examples  []*data.MultiDataSet
		algorithm threshold.Algorithm
	}{
		"frozen layers": {frozen(t), images, DefaultAlgorithm()},
		"embedding":     {embedding(t), texts(1500), DefaultAlgorithm()},
		// With weight decay all residuals are above 0, most of them barely.
		"embedding with weight decay": {embedding(t, regularization.NewWeightDecay(1e-4, true)), texts(1500),
			DefaultAlgorithm()},
		"adaptive, frozen layers": {frozen(t), images, adaptive},
		"adaptive, embedding":     {embedding(t), texts(1500), adaptive},
	} {
		all, err := data.Merge(c.examples)
		if err != nil {
			t.Fatal(err)
		}
		before, err := c.net.Score(all, false)
		if err != nil {
			t.Fatal(err)
		}
		plain := c.net.Copy()
		defer plain.Close()
		conf := config()
		conf.ThresholdAlgorithm = c.algorithm
		l := newLockstep(t, c.net, c.examples, 2, conf, threshold.Options{})
		for epoch := range 4 {
			for at := 0; at < len(c.examples); at += 16 {
				if _, err := plain.Fit(all.Slice(at, min(at+16, len(c.examples))), nn.Key{Epoch: uint64(epoch)}); err != nil {
					t.Fatal(err)
				}
			}
			l.fit()
		}
		one, err := plain.Score(all, false)
		if err != nil {
			t.Fatal(err)
		}
		two, err := l.replicas[0].net.Score(all, false)
		if err != nil {
			t.Fatal(err)
		}
		reported := l.report()
		if two > one+0.2*(before-one) || reported.clippedShare() > 0.5 {
			t.Errorf("%s: the score fell from %.4f to %.4f, plainly to %.4f; %.0f %% were clipped", name, before, two, one,
				100*reported.clippedShare())
		}
	}
}

// TestClippingWarns checks the warning for a threshold far below the updates.
func TestClippingWarns(t *testing.T) {
	var log strings.Builder
	c := config()
	c.ThresholdAlgorithm = threshold.Fixed{T: 1e-7}
	m := master(t, c, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err := m.Fit(t.Context(), network(t, "mlp", 3), spread(t, open(t, "local[2]"), 0), nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "clipping has taken 100 % of the updates") {
		t.Errorf("told %s", &log)
	}
}
