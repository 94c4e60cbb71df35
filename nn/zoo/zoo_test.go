package zoo

import (
	"testing"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/tensor"
)

// accuracy is the share of rows whose largest output is that of the label.
func accuracy(t *testing.T, net *nn.MultiLayer, m *data.MultiDataSet) float64 {
	right := 0
	err := net.EachOutput(m.Batches(100), func(m *data.MultiDataSet, out []*tensor.Dense) error {
		for i := range m.Examples() {
			if largest(out[0].Slice(i, i+1).Data) == largest(m.Labels[0].Slice(i, i+1).Data) {
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

func largest(x []float32) int {
	at := 0
	for i, v := range x {
		if v > x[at] {
			at = i
		}
	}
	return at
}

// TestDigits trains the built-in networks on the embedded digits to what users may expect of them.
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
	}{{"softmax", 20, 0.9}, {"mlp", 5, 0.94}, {"lenet", 5, 0.96}, {"cnn", 3, 0.95}} {
		t.Run(c.name, func(t *testing.T) {
			conf, err := New(c.name, Data{inputtype.ConvolutionalFlat(8, 8, 1), 10}, 1)
			if err != nil {
				t.Fatal(err)
			}
			net, err := nn.New(conf)
			if err != nil {
				t.Fatal(err)
			}
			net.Init(1)
			start := time.Now()
			for epoch := range c.epochs {
				order := random.Permutation(random.Mix(1, uint64(epoch)), train.Info().Examples)
				if err := net.FitEpoch(train.Examples(order).Batches(32), 1); err != nil {
					t.Fatal(err)
				}
				t.Logf("epoch %d: score %.4f, accuracy %.4f, %v", epoch, net.LastScore(), accuracy(t, net, test.Range(0, 300)), time.Since(start))
			}
			if a := accuracy(t, net, test.Range(0, 300)); a < c.want {
				t.Errorf("accuracy %.4f on the test part after %d epochs, want %.4f", a, c.epochs, c.want)
			}
		})
	}
}
