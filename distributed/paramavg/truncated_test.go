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
	"github.com/dl4go/dl4go/tensor"
)

// sequences returns 24 sequences of 7 steps, each as a set of one example.
func sequences() []*data.MultiDataSet {
	const steps = 7
	s := random.NewSource(4)
	var all []*data.MultiDataSet
	for range 24 {
		x, y := tensor.New(1, 2, steps), tensor.New(1, 2, steps)
		for k := range steps {
			x.Data[k], x.Data[steps+k] = float32(s.Normal()), float32(s.Normal())
			y.Data[k+s.Intn(2)*steps] = 1
		}
		all = append(all, &data.MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{y}})
	}
	return all
}

// truncated returns a network that splits the sequences into 3 segments.
func truncated(t *testing.T) *nn.MultiLayer {
	t.Helper()
	net, err := nn.New(nn.Configuration{Seed: 5, Updater: updater.NewAdam(), InputType: inputtype.Recurrent(2, 0),
		BackpropType: nn.TruncatedBPTT, TBPTTForwardLength: 3, TBPTTBackLength: 3,
		Layers: []layer.Layer{layer.NewLSTM(3), layer.RnnOutput{NOut: 2, Activation: activation.Softmax{},
			Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(5)
	t.Cleanup(net.Close)
	return net
}

// TestResumeTruncated checks that a run resumed from any checkpoint ends with the parameters of an uninterrupted run,
// if each minibatch takes several iterations.
func TestResumeTruncated(t *testing.T) {
	const n = 17 // passes of 6 minibatches for each worker
	d, err := distributed.FromDataSets(open(t, "local[2]"), sequences(), 2)
	if err != nil {
		t.Fatal(err)
	}
	c := config(2, 4)
	c.NumWorkers = 2
	run := func(net *nn.MultiLayer, from *distributed.Checkpoint, n int, way Way) (checkpoints kept, trained []int) {
		t.Helper()
		tm, err := New(c, Options{Checkpoints: &checkpoints, Rounds: way})
		if err != nil {
			t.Fatal(err)
		}
		defer tm.Close()
		if from != nil {
			copy(net.Params(), from.Params)
			copy(net.UpdaterState(), from.Updater)
			net.SetIteration(from.Iteration)
			tm.Resume(from.Place)
		}
		err = tm.FitIterations(t.Context(), net, d, n, func(r distributed.Round) { trained = append(trained, r.Minibatches) })
		if err != nil {
			t.Fatal(err)
		}
		return checkpoints, trained
	}
	whole := truncated(t)
	checkpoints, trained := run(whole, nil, n, Jobs)
	if whole.Iteration() != 3*n || !slices.Equal(trained, []int{4, 2, 4, 2, 4, 1}) || len(checkpoints) != 3 {
		t.Fatalf("%d iterations in rounds of %v minibatches, %d checkpoints", whole.Iteration(), trained, len(checkpoints))
	}
	for i, from := range checkpoints { // each is after the first round of a pass
		for _, way := range []Way{Jobs, Resident} {
			net := truncated(t)
			if _, rest := run(net, &from, n-6*i-4, way); !slices.Equal(rest, trained[2*i+1:]) {
				t.Errorf("gone on from checkpoint %d in rounds of %v minibatches, not %v", i, rest, trained[2*i+1:])
			}
			if net.Iteration() != whole.Iteration() || !slices.Equal(net.Params(), whole.Params()) ||
				!slices.Equal(net.UpdaterState(), whole.UpdaterState()) {
				t.Errorf("gone on from checkpoint %d by %s, the network is another one, at iteration %d", i, way, net.Iteration())
			}
		}
	}
}

// TestTruncatedBackprop checks that each segment is an iteration in every way of running rounds, as Adam's bias
// correction shows. A single worker must give, to the bit, the result of plain training on the same minibatches.
func TestTruncatedBackprop(t *testing.T) {
	const batch = 4
	all := sequences()
	for _, by := range []graphWay{{"local[1]", Jobs}, {"processes[1]", Jobs}, {"processes[1]", Resident}} {
		d, err := distributed.FromDataSets(open(t, by.master), all, 1)
		if err != nil {
			t.Fatal(err)
		}
		c := config(batch, 2)
		c.NumWorkers = 1
		tm, err := New(c, Options{Rounds: by.way})
		if err != nil {
			t.Fatal(err)
		}
		defer tm.Close()
		net, plain := truncated(t), truncated(t)
		if err := tm.Fit(t.Context(), net, d, nil); err != nil {
			t.Fatal(err)
		}
		if err := tm.FitIterations(t.Context(), net, d, 8, nil); err != nil { // starts over once
			t.Fatal(err)
		}
		for _, pass := range []struct {
			key         uint64
			minibatches int
		}{{0, 6}, {Pass(1, 0), 6}, {Pass(1, 1), 2}} {
			rounds, err := tm.opts.Splitter.Split(tm.Layout(d.Engine(), []int64{int64(len(all))}, pass.key))
			if err != nil {
				t.Fatal(err)
			}
			var order []int64
			for _, round := range rounds {
				order = append(order, round[0]...)
			}
			for i := range pass.minibatches {
				var rows []*data.MultiDataSet
				for _, k := range order[i*batch : (i+1)*batch] {
					rows = append(rows, all[k])
				}
				m, err := data.Merge(rows)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := plain.Fit(m, nn.Key{Seed: uint64(c.RNGSeed), Epoch: pass.key,
					Example: uint64(i * batch)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if net.Iteration() != 14*3 || plain.Iteration() != net.Iteration() {
			t.Errorf("%s, %s: %d iterations, wanted %d", by.master, by.way, net.Iteration(), 14*3)
		}
		if !slices.Equal(net.Params(), plain.Params()) || !slices.Equal(net.UpdaterState(), plain.UpdaterState()) {
			t.Errorf("%s, %s: other parameters than by plain training", by.master, by.way)
		}
	}
}
