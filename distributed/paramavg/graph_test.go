package paramavg

import (
	"slices"
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
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/tensor"
)

// sequenceGraph returns a graph with a sequence and a vector as inputs. Its outputs are a class for the whole sequence
// and one for each step.
func sequenceGraph() nn.GraphConfiguration {
	softmax := activation.Softmax{}
	return nn.GraphConfiguration{
		Defaults: nn.Configuration{Seed: 5, Updater: updater.Adam{LearningRate: 0.02, Beta1: 0.9, Beta2: 0.999,
			Epsilon: 1e-8}, Activation: activation.TanH{}},
		Inputs:     []string{"sequence", "vector"},
		InputTypes: []inputtype.Type{inputtype.Recurrent(3, 6), inputtype.FeedForward(4)},
		Vertices: []nn.GraphVertex{
			{Name: "lstm", Layer: layer.NewLSTM(5), Inputs: []string{"sequence"}},
			{Name: "last", Vertex: vertex.LastTimeStep{MaskOf: "sequence"}, Inputs: []string{"lstm"}},
			{Name: "dense", Layer: layer.Dense{NOut: 6}, Inputs: []string{"last", "vector"}},
			{Name: "class", Layer: layer.Output{NOut: 2, Activation: softmax, Loss: loss.NewMCXENT()},
				Inputs: []string{"dense"}},
			{Name: "steps", Layer: layer.RnnOutput{NOut: 2, Activation: softmax, Loss: loss.NewMCXENT()},
				Inputs: []string{"lstm"}},
		},
		Outputs: []string{"class", "steps"},
	}
}

// sequenceData returns examples whose classes follow from their sums. Every third sequence is short.
func sequenceData(n int) []*data.MultiDataSet {
	s := random.NewSource(9)
	var all []*data.MultiDataSet
	for k := range n {
		x, v, mask := tensor.New(1, 3, 6), tensor.New(1, 4), tensor.New(1, 6)
		class, steps := tensor.New(1, 2), tensor.New(1, 2, 6)
		sum := float32(0)
		for i := range x.Data {
			x.Data[i] = float32(s.Normal())
		}
		for i := range v.Data {
			v.Data[i] = float32(s.Normal())
			sum += v.Data[i]
		}
		of := func(x float32) int {
			if x > 0 {
				return 1
			}
			return 0
		}
		class.Data[of(sum)] = 1
		for t := range 6 {
			if k%3 != 0 || t < 4 {
				mask.Data[t] = 1
			}
			steps.Data[6*of(x.Data[t]+x.Data[6+t])+t] = 1
		}
		all = append(all, &data.MultiDataSet{Features: []*tensor.Dense{x, v}, Labels: []*tensor.Dense{class, steps},
			FeatureMasks: []*tensor.Dense{mask, nil}, LabelMasks: []*tensor.Dense{nil, mask}})
	}
	return all
}

// graphWay is an engine and a way of running rounds.
type graphWay struct {
	master string
	way    Way
}

// TestGraphs trains a recurrent graph with two inputs, two outputs and masks. It must learn, and get the same bits by
// jobs on goroutines, by jobs in processes and by residents.
func TestGraphs(t *testing.T) {
	withGraphs(t, graphWay{"local[2]", Jobs}, graphWay{"processes[2]", Jobs}, graphWay{"processes[2]", Resident})
}

func withGraphs(t *testing.T, ways ...graphWay) {
	all := sequenceData(61)
	var want []float32
	for _, by := range ways {
		e := open(t, by.master)
		d, err := distributed.FromDataSets(e, all, 3)
		if err != nil {
			t.Fatal(err)
		}
		tm, err := New(config(8, 2), Options{Rounds: by.way})
		if err != nil {
			t.Fatal(err)
		}
		defer tm.Close()
		g, err := distributed.FromGraphConfiguration(e, sequenceGraph(), tm, distributed.Options{})
		if err != nil {
			t.Fatal(err)
		}
		before, n, err := g.Score(t.Context(), d, true, false, 0)
		if err != nil || n != len(all) {
			t.Fatalf("%d examples were scored: %v", n, err)
		}
		for range 6 {
			if err := g.Fit(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		got := append(slices.Clone(g.Net().Params()), g.Net().UpdaterState()...)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s, %s: other parameters than by jobs on goroutines", by.master, by.way)
		}
		if after, _, err := g.Score(t.Context(), d, true, false, 0); err != nil || !(after < 0.95*before) {
			t.Errorf("%s, %s: the score was %v, and is %v (%v)", by.master, by.way, before, after, err)
		}
	}
}
