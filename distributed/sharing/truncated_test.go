package sharing

import (
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

func truncatedLearns(t *testing.T, engines ...string) {
	const steps, segment = 9, 4
	s := random.NewSource(9)
	var all []*data.MultiDataSet
	for range 96 {
		x, y := tensor.New(1, 2, steps), tensor.New(1, 2, steps)
		sum := 0.0
		for k := range steps {
			x.Data[k], x.Data[steps+k] = float32(s.Normal()), float32(s.Normal())
			if sum += float64(x.Data[k]); sum > 0 {
				y.Data[k] = 1
			} else {
				y.Data[steps+k] = 1
			}
		}
		mask := tensor.New(1, steps)
		for k := range mask.Data {
			mask.Data[k] = 1
		}
		mask.Data[steps-1] = float32(len(all) % 2)
		all = append(all, &data.MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{y},
			FeatureMasks: []*tensor.Dense{mask}, LabelMasks: []*tensor.Dense{mask}})
	}
	conf := config()
	conf.BatchSizePerWorker = 8
	for _, engine := range engines {
		net, err := nn.New(nn.Configuration{Seed: 5, Updater: updater.Adam{LearningRate: 0.02, Beta1: 0.9, Beta2: 0.999,
			Epsilon: 1e-8},
			InputType: inputtype.Recurrent(2, 0), BackpropType: nn.TruncatedBPTT, TBPTTForwardLength: segment,
			TBPTTBackLength: segment,
			Layers: []layer.Layer{layer.NewLSTM(6), layer.RnnOutput{NOut: 2, Activation: activation.Softmax{},
				Loss: loss.NewMCXENT()}}})
		if err != nil {
			t.Fatal(err)
		}
		net.Init(5)
		const epochs = 12
		learns(t, engine, net, conf, Options{MinWorkers: 2}, all, epochs, 0.8)
		if got, want := net.Iteration(), epochs*6*3; got != want { // 48 sequences for each worker, three segments each
			t.Errorf("%s: %d iterations, wanted %d", engine, got, want)
		}
	}
}

// TestTruncatedBackprop trains sequences of 9 steps by segments of 4, each of which is a step, on goroutines and in
// processes. The network must learn whether the sum so far is positive.
func TestTruncatedBackprop(t *testing.T) { truncatedLearns(t, "local[2]", "processes[2]") }
