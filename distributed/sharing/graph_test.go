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

// learns trains a network on an engine and checks that its score falls to the fraction part of the initial score.
func learns(t *testing.T, engine string, of nn.AnyNetwork, c Config, o Options, all []*data.MultiDataSet, epochs int,
	part float64) {
	t.Helper()
	net := of.Base()
	d, err := distributed.FromDataSets(open(t, engine), all, 2)
	if err != nil {
		t.Fatal(err)
	}
	score := func() (sum float64) {
		for _, m := range all {
			s, err := net.Score(m, false)
			if err != nil {
				t.Fatal(err)
			}
			sum += s
		}
		return sum
	}
	before := score()
	if err := master(t, c, o).FitEpochs(t.Context(), net, d, epochs, nil); err != nil {
		t.Fatal(err)
	}
	if after := score(); !(after < part*before) {
		t.Errorf("%s: the score was %v, and is %v", engine, before, after)
	}
}

func graphLearns(t *testing.T, engines ...string) {
	s := random.NewSource(9)
	var all []*data.MultiDataSet
	for range 96 {
		x, v, y := tensor.New(1, 2, 5), tensor.New(1, 3), tensor.New(1, 2)
		for i := range x.Data {
			x.Data[i] = float32(s.Normal())
		}
		for i := range v.Data {
			v.Data[i] = float32(s.Normal())
		}
		if v.Data[0]+x.Data[4] > 0 {
			y.Data[0] = 1
		} else {
			y.Data[1] = 1
		}
		all = append(all, &data.MultiDataSet{Features: []*tensor.Dense{x, v}, Labels: []*tensor.Dense{y}})
	}
	for _, engine := range engines {
		g, err := nn.NewGraph(nn.GraphConfiguration{
			Defaults: nn.Configuration{Seed: 5, Updater: updater.Sgd{LearningRate: 0.3}, Activation: activation.TanH{}},
			Inputs:   []string{"sequence", "vector"}, InputTypes: []inputtype.Type{inputtype.Recurrent(2, 5),
				inputtype.FeedForward(3)},
			Vertices: []nn.GraphVertex{
				{Name: "last", Layer: layer.NewLastTimeStep(layer.NewLSTM(4)), Inputs: []string{"sequence"}},
				{Name: "dense", Layer: layer.Dense{NOut: 6}, Inputs: []string{"last", "vector"}},
				{Name: "out", Layer: layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
					Inputs: []string{"dense"}},
			},
			Outputs: []string{"out"},
		})
		if err != nil {
			t.Fatal(err)
		}
		g.Init(5)
		learns(t, engine, g, config(), Options{MinWorkers: 2}, all, 10, 0.9)
	}
}

// TestGraphs checks that a graph with a recurrent layer and two inputs learns on goroutines and in processes.
func TestGraphs(t *testing.T) { graphLearns(t, "local[2]", "processes[2]") }
