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

// TestTruncatedBackprop: iterations are segments, in every way of rounds, as Adam's bias correction knows: one worker that is
// averaged with nobody gives what plain training gives on the same minibatches, to the bit.
func TestTruncatedBackprop(t *testing.T) {
	const batch, steps, segment = 4, 7, 3
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
	network := func() *nn.MultiLayer {
		net, err := nn.New(nn.Configuration{Seed: 5, Updater: updater.NewAdam(), InputType: inputtype.Recurrent(2, 0),
			BackpropType: nn.TruncatedBPTT, TBPTTForwardLength: segment, TBPTTBackLength: segment,
			Layers: []layer.Layer{layer.NewLSTM(3), layer.RnnOutput{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
		if err != nil {
			t.Fatal(err)
		}
		net.Init(5)
		t.Cleanup(net.Close)
		return net
	}
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
		net, plain := network(), network()
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
				if _, err := plain.Fit(m, nn.Key{Seed: uint64(c.RNGSeed), Epoch: pass.key, Example: uint64(i * batch)}); err != nil {
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
