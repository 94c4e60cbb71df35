package nn

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// accuracy returns the share of rows whose largest output is at the label's class.
func accuracy(t *testing.T, net *MultiLayer, m *data.MultiDataSet) float64 {
	right := 0
	err := net.EachOutput(m.Batches(100), func(m *data.MultiDataSet, out []*tensor.Dense) error {
		for i := range m.Examples() {
			if tensor.Largest(out[0].Slice(i, i+1).Data) == tensor.Largest(m.Labels[0].Slice(i, i+1).Data) {
				right++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return float64(right) / float64(m.Examples())
}

// TestDigits trains the built-in networks on the embedded digits to the accuracy that users may expect.
func TestDigits(t *testing.T) {
	train, err := source.Digits("train")
	if err != nil {
		t.Fatal(err)
	}
	test, err := source.Digits("test")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		epochs int
		want   float64
	}{{"softmax", 20, 0.9}, {"mlp", 5, 0.94}, {"lenet", 5, 0.97}, {"cnn", 3, 0.95}} {
		t.Run(c.name, func(t *testing.T) {
			conf, err := BuiltIn(c.name, BuiltInData{Input: inputtype.ConvolutionalFlat(8, 8, 1), Classes: 10}, 1)
			if err != nil {
				t.Fatal(err)
			}
			net, err := New(conf)
			if err != nil {
				t.Fatal(err)
			}
			net.Init(1)
			for epoch := range c.epochs {
				order := random.Permutation(random.Mix(1, uint64(epoch)), train.Info().Examples)
				if err := net.FitEpoch(train.Examples(order).Batches(32), 1); err != nil {
					t.Fatal(err)
				}
			}
			if a := accuracy(t, net, test.Range(0, 300)); a < c.want {
				t.Errorf("accuracy %.4f on the test part after %d epochs, want %.4f", a, c.epochs, c.want)
			}
		})
	}
}

// TestRateOfSmallImages: the rate at which LeNet trains small images falls below Adam's usual one by about the tenth
// epoch, and never reaches 0. For larger images, the rate is always the usual one.
func TestRateOfSmallImages(t *testing.T) {
	for size, within := range map[int]map[int][2]float64{
		8: {0: {0.003, 0.003}, 4: {0.0015, 0.002}, 11: {0.0005, 0.001}, 14: {0.0005, 0.001}, 99: {2e-5, 1e-3},
			999: {1e-7, 1e-3}},
		28: {0: {0.001, 0.001}, 14: {0.001, 0.001}, 999: {0.001, 0.001}},
	} {
		conf, err := BuiltIn("lenet", BuiltInData{Input: inputtype.ConvolutionalFlat(size, size, 1), Classes: 10}, 1)
		if err != nil {
			t.Fatal(err)
		}
		adam := conf.Updater.(updater.Adam)
		for epoch, between := range within {
			rate := adam.LearningRate
			if s := adam.LearningRateSchedule; s != nil {
				rate = s.Value(94*epoch, epoch)
			}
			if rate < between[0] || rate > between[1] {
				t.Errorf("%dx%d: epoch %d has the rate %v, wanted %v to %v", size, size, epoch, rate, between[0], between[1])
			}
		}
	}
}

// TestPeers compares the networks for 28x28 images with the networks that the benchmarks use.
func TestPeers(t *testing.T) {
	for name, want := range map[string]int{"mlp": 784*500 + 500 + 5010, "lenet": 520 + 25050 + 800*500 + 500 + 5010} {
		for _, in := range []inputtype.Type{inputtype.ConvolutionalFlat(28, 28, 1), inputtype.Convolutional(28, 28, 1)} {
			conf, err := BuiltIn(name, BuiltInData{Input: in, Classes: 10}, 0)
			if err != nil {
				t.Fatal(err)
			}
			net, err := New(conf)
			if err != nil {
				t.Fatal(err)
			}
			if net.NumParams() != want {
				t.Errorf("%s of %v: %d parameters, want %d", name, in, net.NumParams(), want)
			}
			f := tensor.New(in.Shape(2)...)
			if err := net.Check((&data.DataSet{Features: f, Labels: tensor.New(2, 10)}).Multi()); err != nil {
				t.Errorf("%s of %v: %v", name, in, err)
			}
		}
	}
}

func TestBuiltInErrors(t *testing.T) {
	image := inputtype.ConvolutionalFlat(8, 8, 1)
	for _, c := range []struct {
		name string
		d    BuiltInData
		want string
	}{
		{"lenett", BuiltInData{Input: image, Classes: 10}, "cnn, gru, lenet, lstm, mlp, resnet"},
		{"mlp", BuiltInData{Input: image, Classes: 1}, "the data has 1"},
		{"lenet", BuiltInData{Input: inputtype.FeedForward(13), Classes: 3}, "vectors of 13"},
		{"cnn", BuiltInData{Input: inputtype.Convolutional(3, 8, 1), Classes: 3}, "3x8"},
	} {
		if _, err := BuiltIn(c.name, c.d, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}
