package paramavg

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

// normalised returns a network with the statistics of batch normalisation.
func normalised(t *testing.T, u updater.Updater) *nn.MultiLayer {
	t.Helper()
	norm := layer.NewBatchNormalization()
	norm.NIn, norm.NOut = 9, 9
	net, err := nn.New(nn.Configuration{Updater: u, Activation: activation.TanH{}, Layers: []layer.Layer{
		layer.Dense{NIn: 6, NOut: 9},
		norm,
		layer.Output{NIn: 9, NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
	}})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(5)
	return net
}

// TestOuterIsAveraging checks that an outer optimiser with a rate of 1, without momentum, and with a stateless updater
// is plain averaging, to the bit.
func TestOuterIsAveraging(t *testing.T) {
	m := examples(t, 103)
	for _, frequency := range []int{1, 2} {
		c := config(4, frequency)
		want := train(t, "local[3]", c, normalised(t, updater.NewSgd()), m, 2, 3)
		for _, rule := range []OuterRule{OuterSGD, OuterNesterov} {
			c.Outer = Outer{Rule: rule, LearningRate: 1}
			if got := train(t, "local[3]", c, normalised(t, updater.NewSgd()), m, 2, 3); !slices.Equal(got, want) {
				t.Errorf("%s at frequency %d gives other parameters than averaging", rule, frequency)
			}
		}
	}
}

// byHand trains with an outer optimiser in plain loops. Its workers are networks that stay.
func byHand(t *testing.T, m *data.MultiDataSet, c Config, epochs int) []float64 {
	t.Helper()
	global := normalised(t, updater.NewAdam())
	var workers []*nn.MultiLayer
	for range c.NumWorkers {
		workers = append(workers, normalised(t, updater.NewAdam()))
	}
	at, momentum := make([]float64, global.NumParams()), make([]float64, global.NumParams())
	for i, p := range global.Params() {
		at[i] = float64(p)
	}
	statistic := make([]bool, len(at))
	for _, p := range global.ParamTable() {
		for i := range p.Size {
			statistic[p.Offset+i] = p.Kind == layer.Statistic
		}
	}
	for epoch := range epochs {
		layout := Layout{Partitions: []int{m.Examples()}, Workers: c.NumWorkers, Batch: c.BatchSizePerWorker,
			Frequency: c.AveragingFrequency, Seed: c.RNGSeed, Epoch: uint64(epoch), Repartition: Always, Strategy: Balanced}
		rounds, err := ByIndex{}.Split(layout)
		if err != nil {
			t.Fatal(err)
		}
		iteration := workers[0].Iteration()
		for _, round := range rounds {
			mean, next := make([]float64, len(at)), iteration
			for w, share := range round {
				net := workers[w]
				for i, p := range at {
					net.Params()[i] = float32(p)
				}
				net.SetIteration(iteration)
				var rows []int
				for _, k := range share {
					rows = append(rows, int(k))
				}
				for rows := range slices.Chunk(rows, c.BatchSizePerWorker) {
					if _, err := net.Fit(m.Select(rows), nn.Key{}); err != nil {
						t.Fatal(err)
					}
				}
				next = max(next, net.Iteration())
				for i, p := range net.Params() {
					mean[i] += float64(p) / float64(len(round))
				}
			}
			iteration = next
			for i := range at {
				if statistic[i] {
					at[i] = mean[i]
					continue
				}
				g := at[i] - mean[i]
				momentum[i] = c.Outer.Momentum*momentum[i] + g
				step := momentum[i]
				if c.Outer.Rule == OuterNesterov {
					step = g + c.Outer.Momentum*momentum[i]
				}
				at[i] -= c.Outer.LearningRate * step
			}
		}
		for _, net := range workers {
			net.SetIteration(iteration)
		}
	}
	return at
}

// TestOuterByHand compares an outer optimiser with networks that keep their updaters, and with formulas in float64.
func TestOuterByHand(t *testing.T) {
	m := examples(t, 96)
	for _, rule := range []OuterRule{OuterSGD, OuterNesterov} {
		c := config(4, 2)
		c.NumWorkers, c.Outer = 3, Outer{Rule: rule, LearningRate: 0.7, Momentum: 0.6}
		want := byHand(t, m, c, 2)
		got := train(t, "local[2]", c, normalised(t, updater.NewAdam()), m, 2, 2)
		for i, w := range want {
			if !near.Equal(got[i], float32(w), 1e-4, 1e-5) {
				t.Fatalf("%s: parameter %d is %v, by hand %v", rule, i, got[i], w)
			}
		}
	}
}

// TestOuterOfOtherWorkers changes the number of workers between epochs. The previous workers must keep their updater
// states, and new ones must begin with the mean of these.
func TestOuterOfOtherWorkers(t *testing.T) {
	m := examples(t, 60)
	d, err := distributed.FromDataSets(open(t, "local[2]"), single(m), 3)
	if err != nil {
		t.Fatal(err)
	}
	net := normalised(t, updater.NewAdam())
	master := func(workers int) *TrainingMaster {
		t.Helper()
		c := config(4, 2)
		c.NumWorkers, c.Outer = workers, DefaultOuter(OuterNesterov)
		tm, err := New(c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tm.Close() })
		return tm
	}
	first := master(3)
	if err := first.Fit(t.Context(), net, d, nil); err != nil {
		t.Fatal(err)
	}
	saved, err := first.State()
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{2, 3, 5} {
		next := master(workers)
		if err := next.Restore(saved); err != nil {
			t.Fatal(err)
		}
		if err := next.outer.seat(net.Base(), workers, workers); err != nil {
			t.Fatal(err)
		}
		own := next.outer.own
		if len(own) != workers {
			t.Fatalf("%d states of %d workers", len(own), workers)
		}
		for w, s := range own {
			want := net.UpdaterState() // the mean of the workers' states
			if w < 3 {
				want = first.outer.own[w]
			}
			if !slices.Equal(s, want) {
				t.Errorf("of %d workers, worker %d begins with another state", workers, w)
			}
		}
		if again, err := next.State(); workers == 3 && (err != nil || !bytes.Equal(again, saved)) {
			t.Errorf("the state that was restored is kept as another one (%v)", err)
		}
		if err := next.Fit(t.Context(), net.Clone(), d, nil); err != nil {
			t.Error(err)
		}
	}
}

// TestOuterStatesThatAreNone checks that damaged states, and those of another network, are refused.
func TestOuterStatesThatAreNone(t *testing.T) {
	net := normalised(t, updater.NewAdam()).Base()
	o := outerState{conf: DefaultOuter(OuterSGD)}
	if err := o.seat(net, 2, 2); err != nil {
		t.Fatal(err)
	}
	good, err := o.bytes()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []func(string) string{
		func(s string) string { return s[4:] },
		func(s string) string { return s[:len(s)-4] },
		func(s string) string { return strings.Replace(s, `"workers":2`, `"workers":9`, 1) },
		func(s string) string { return strings.Replace(s, `"params":`, `"params":-`, 1) },
	} {
		if err := (&outerState{}).restore([]byte(bad(string(good)))); err == nil {
			t.Error("a damaged state was taken")
		}
	}
	other := &outerState{}
	if err := other.restore(good); err != nil {
		t.Fatal(err)
	}
	if err := other.seat(network(t, updater.NewAdam(), nil).Base(), 2, 2); err == nil ||
		!strings.Contains(err.Error(), "another network") {
		t.Errorf("the state of another network: %v", err)
	}
	plain, err := New(config(4, 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if err := plain.Restore(good); err == nil || !strings.Contains(fmt.Sprint(err), "Config.Outer") {
		t.Errorf("a master without an outer optimiser: %v", err)
	}
}
