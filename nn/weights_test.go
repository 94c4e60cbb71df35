package nn

import (
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// TestWeightsAreRepetitions: with SGD on all examples at once, an example of weight 3 counts like three copies of it,
// and one of weight 0 not at all, for every loss. Losses of examples and their mean ignore weights.
func TestWeightsAreRepetitions(t *testing.T) {
	steps := inputtype.Recurrent(3, 4)
	for name, c := range map[string]struct {
		conf   Configuration
		labels *tensor.Dense
		mask   *tensor.Dense
		shape  []int
	}{
		"softmax": {Configuration{InputType: inputtype.FeedForward(5), Layers: []layer.Layer{layer.Dense{NOut: 4},
			layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewNegativeLogLikelihood()}}},
			examples(4, 1, 3).Labels[0], nil, []int{4, 5}},
		"numbers": {Configuration{InputType: inputtype.FeedForward(5), Layers: []layer.Layer{
			layer.Output{NOut: 2, Activation: activation.Identity{}, Loss: loss.MSE{}}}},
			normals(7, 4, 2), nil, []int{4, 5}},
		"several labels": {Configuration{InputType: inputtype.FeedForward(5), Layers: []layer.Layer{
			layer.Output{NOut: 2, Activation: activation.Sigmoid{}, Loss: loss.NewXENT()}}},
			arrayOf([]float32{1, 0, 0, 0, 1, 1, 0, 1}, 4, 2), nil, []int{4, 5}},
		"masked sequences": {Configuration{InputType: steps, Layers: []layer.Layer{layer.LSTM{NOut: 3},
			layer.RnnOutput{NOut: 2, Activation: activation.Identity{}, Loss: loss.MSE{}}}}, normals(9, 4, 2, 4),
			arrayOf([]float32{1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0}, 4, 4), []int{4, 3, 4}},
		"segments": {Configuration{InputType: steps, BackpropType: TruncatedBPTT, TBPTTForwardLength: 2, TBPTTBackLength: 2,
			Layers: []layer.Layer{layer.LSTM{NOut: 3},
				layer.RnnOutput{NOut: 2, Activation: activation.Identity{}, Loss: loss.MSE{}}}},
			normals(9, 4, 2, 4), nil, []int{4, 3, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			c.conf.Updater, c.conf.Seed = updater.Sgd{LearningRate: 0.1}, 3
			m := &data.MultiDataSet{Features: []*tensor.Dense{normals(5, c.shape...)},
				Labels: []*tensor.Dense{c.labels}}
			if c.mask != nil {
				m.LabelMasks = []*tensor.Dense{c.mask}
			}
			repeated := m.Select([]int{0, 1, 1, 1, 2, 2})
			weighted := m.Clone()
			mean := float32(6) / 4
			weighted.Weights = arrayOf([]float32{1 / mean, 3 / mean, 2 / mean, 0}, 4, 1)
			one, other := newNet(t, c.conf), newNet(t, c.conf)
			for range 3 {
				want, err := one.Fit(repeated, Key{Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				got, err := other.Fit(weighted, Key{Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				if !near.Equal(got, want, 0, 1e-5) {
					t.Errorf("the score is %v, that of repeated examples %v", got, want)
				}
			}
			if err := near.All(other.Params(), one.Params(), 1e-5, 0); err != nil {
				t.Fatalf("parameters and those of repeated examples: %v", err)
			}
			plain, err := one.ScoreExamples(m, false)
			if err != nil {
				t.Fatal(err)
			}
			scored, err := one.ScoreExamples(weighted, false)
			if err != nil {
				t.Fatal(err)
			}
			for i := range plain {
				if plain[i] != scored[i] {
					t.Errorf("the loss of example %d is %v with a weight, %v without", i, scored[i], plain[i])
				}
			}
			if _, err := other.Fit(m, Key{Seed: 1}); err != nil { // another plan, without weights
				t.Fatal(err)
			}
		})
	}
}
