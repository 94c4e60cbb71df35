package nn

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
)

// TestGoConfigurations writes configurations made of Go values, and compares them byte by byte with what Deeplearning4j
// wrote for the same network made with its builders.
func TestGoConfigurations(t *testing.T) {
	tanh, id := activation.TanH{}, activation.Identity{}
	softmax := func(n int) layer.Output {
		return layer.Output{NOut: n, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	}
	pool := layer.Subsampling{Kernel: [2]int{2, 2}, Stride: [2]int{2, 2}}
	nll := softmax(10)
	nll.Loss = loss.NewNegativeLogLikelihood()
	for name, c := range map[string]Configuration{
		"mlp-sgd": {Seed: 1, Updater: updater.Sgd{LearningRate: 0.1}, InputType: inputtype.FeedForward(4),
			Layers: []layer.Layer{
				layer.Dense{NOut: 5, Activation: tanh}, layer.Dense{NOut: 6}, softmax(3)}},
		"mlp-minibatch-false": {Seed: 9, SumGradients: true, Updater: updater.Sgd{LearningRate: 0.02},
			Regularization: []regularization.Regularization{regularization.NewL2(0.01)}, Layers: []layer.Layer{
				layer.Dense{NIn: 4, NOut: 5, Activation: tanh}, layer.Dense{NOut: 6}, softmax(3)}},
		"lenet": {Seed: 1, Updater: updater.NewAdam(), Activation: id, InputType: inputtype.ConvolutionalFlat(28, 28, 1),
			Layers: []layer.Layer{
				layer.Convolution2D{NOut: 4, Kernel: [2]int{5, 5}}, pool, layer.Convolution2D{NOut: 6, Kernel: [2]int{5, 5}}, pool,
				layer.Dense{NOut: 20, Activation: activation.ReLU{}}, nll}},
		"batchnorm-dense": {Seed: 19, Updater: updater.Sgd{LearningRate: 0.1}, Activation: tanh,
			InputType: inputtype.FeedForward(4), Layers: []layer.Layer{
				layer.Dense{NOut: 5, Activation: id}, layer.NewBatchNormalization(),
				layer.Activate{Activation: activation.ReLU{}}, softmax(3)}},
	} {
		want, err := os.ReadFile(filepath.Join("..", "testdata", "oracle", "nets", name, "conf.json"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.JSON()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if string(got) != string(want) {
			t.Errorf("%s: %s", name, firstDifference(string(got), string(want)))
		}
	}
}

// Missing members, which older versions did not write, get the values that Deeplearning4j assumes. Its builders set
// others.
func TestAbsentMembers(t *testing.T) {
	read := func(name string, without ...string) Configuration {
		text, err := os.ReadFile(filepath.Join("..", "testdata", "oracle", "nets", name, "conf.json"))
		if err != nil {
			t.Fatal(err)
		}
		var kept []string
		for line := range strings.Lines(string(text)) {
			key, _, _ := strings.Cut(strings.TrimSpace(line), " : ")
			if !slices.Contains(without, strings.Trim(key, `"`)) {
				kept = append(kept, line)
			}
		}
		c, err := LoadConfiguration([]byte(strings.Join(kept, "")))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := read("pool-avg", "avgPoolIncludePadInDivisor", "minimize", "miniBatch", "optimizationAlgo", "iterationCount",
		"epochCount", "dataType")
	if c.SumGradients {
		t.Error("without miniBatch the gradient is a sum")
	}
	for _, l := range c.Layers {
		if pool, ok := l.(layer.Subsampling); ok && !pool.IncludePad {
			t.Error("without avgPoolIncludePadInDivisor the padding does not count")
		}
	}
	if l := read("batchnorm-dense", "useLogStd").Layers[1].(layer.BatchNormalization); !l.UseLogStd {
		t.Error("without useLogStd the parameters' names do not say that one of them is a logarithm")
	}
}

// TestWrappersAreWrittenWithWhatIsWithin: Deeplearning4j also writes the inner layer's gradient normalisation for the
// wrapper.
func TestWrappersAreWrittenWithWhatIsWithin(t *testing.T) {
	lstm := layer.NewLSTM(2)
	lstm.GradientNormalization, lstm.GradientNormalizationThreshold = layer.ClipL2PerLayer, 0.5
	for _, l := range []layer.Layer{layer.NewBidirectional(layer.BidirectionalAdd, lstm), layer.NewLastTimeStep(lstm),
		layer.MaskZero{Layer: lstm},
		layer.TimeDistributed{Layer: layer.Dense{NOut: 2, Base: layer.Base{GradientNormalization: layer.ClipL2PerLayer,
			GradientNormalizationThreshold: 0.5}}}} {
		text, err := Configuration{InputType: inputtype.Recurrent(3, 4), Layers: []layer.Layer{l}}.JSON()
		if err != nil {
			t.Fatal(err)
		}
		got, within := strings.Count(string(text), `"gradientNormalization" : "ClipL2PerLayer"`), 2
		if _, both := l.(layer.Bidirectional); both {
			within = 3
		}
		if got != within || strings.Contains(string(text), `"gradientNormalizationThreshold" : 1.0`) {
			t.Errorf("%T: the gradient normalisation is written %d times, want %d", l, got, within)
		}
	}
}
