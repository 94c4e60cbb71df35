package sharing

import (
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// TestTruncatedBackprop: sequences of 9 steps are trained by segments of 4, each of which is a step, on goroutines and on
// processes, and the network learns whether the sum of what it has seen is positive.
func TestTruncatedBackprop(t *testing.T) {
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
		all = append(all, &data.MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{y}, FeatureMasks: []*tensor.Dense{mask}, LabelMasks: []*tensor.Dense{mask}})
	}
	for _, engine := range []string{"local[2]", "processes[2]"} {
		e := open(t, engine)
		d, err := distributed.FromDataSets(e, all, 2)
		if err != nil {
			t.Fatal(err)
		}
		conf := config()
		conf.BatchSizePerWorker = 8
		net, err := distributed.FromConfiguration(e, nn.Configuration{Seed: 5, Updater: updater.Adam{LearningRate: 0.02, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, InputType: inputtype.Recurrent(2, 0),
			BackpropType: nn.TruncatedBPTT, TBPTTForwardLength: segment, TBPTTBackLength: segment,
			Layers: []layer.Layer{layer.NewLSTM(6), layer.RnnOutput{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}},
			master(t, conf, Options{MinWorkers: 2}), distributed.Options{})
		if err != nil {
			t.Fatal(err)
		}
		before, _, err := net.Score(t.Context(), d, true, false, 0)
		if err != nil {
			t.Fatal(err)
		}
		const epochs = 12
		for range epochs {
			if err := net.Fit(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := net.Net().Iteration(), epochs*6*3; got != want { // 48 sequences of each worker, three segments
			t.Errorf("%s: %d iterations, wanted %d", engine, got, want)
		}
		if after, _, err := net.Score(t.Context(), d, true, false, 0); err != nil || !(after < 0.8*before) {
			t.Errorf("%s: the score was %v, and is %v (%v)", engine, before, after, err)
		}
	}
}
