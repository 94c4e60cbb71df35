package paramavg

import (
	"slices"
	"testing"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
)

// always slices every result, and has a whole one at the end of a pass only.
var always = slicing{least: 1, every: time.Hour}

// TestSlices checks that slices, added up one by one, are the sum of the whole results, for lengths that the number of
// slices does not divide.
func TestSlices(t *testing.T) {
	for _, params := range []int{1, 15, 100, 1000} {
		var rows [][]byte
		for w := range 5 {
			s := state{Workers: 1, Iteration: 7 + w, Minibatches: w, Examples: 10, Score: 0.1 * float64(w), Params: params,
				Updater: 2 * params, vectors: vectors(3*params, false)}
			for i := range s.vectors {
				s.vectors[i] = 1 / float32(1+i+w*w)
			}
			row, err := s.row()
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row)
		}
		for _, n := range []int{1, 2, 3, 5, 7} {
			checkSlices(t, rows, n)
		}
	}
}

func checkSlices(t *testing.T, rows [][]byte, n int) {
	t.Helper()
	r := &roundWorker{}
	pieces := make([][][]byte, n)
	var reports [][]byte
	for _, row := range rows {
		cut, report, err := r.Cut(slices.Clone(row), n)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range cut {
			pieces[i] = append(pieces[i], c)
		}
		reports = append(reports, report)
	}
	var sums [][]byte
	for _, p := range pieces {
		sum, err := r.Add(p)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, sum)
	}
	if r.Continue(nil) == nil {
		t.Error("a worker continues from a sum that it has not kept")
	}
	r.Keep(sums)
	report, err := r.Sum(reports)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Whole(report)
	if err != nil {
		t.Fatal(err)
	}
	want, err := r.Sum(rows)
	if err != nil || string(got) != string(want) {
		t.Errorf("%d slices have another sum (%v)", n, err)
	}
	start, err := startAfter(report)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Continue(start); err != nil {
		t.Fatal(err)
	}
	whole, _ := decodeState(want)
	checkMeans(t, r.start, whole)
}

// checkMeans checks that a start in slices has the same means as one with vectors.
func checkMeans(t *testing.T, in, of *state) {
	t.Helper()
	mean := func(s *state) []float32 {
		params, updater := make([]float32, of.Params), make([]float32, of.Updater)
		if err := s.mean(params, updater); err != nil {
			t.Fatal(err)
		}
		return append(params, updater...)
	}
	if in.Iteration != of.Iteration || !slices.Equal(mean(in), mean(of)) {
		t.Error("the start in slices is another one")
	}
}

// TestSlicedRounds checks that residents which exchange slices give, to the bit, the same result as jobs.
func TestSlicedRounds(t *testing.T) {
	for name, change := range map[string]func(*Config, *Options){
		"as it is":                   func(*Config, *Options) {},
		"a tree":                     func(c *Config, _ *Options) { c.NumWorkers, c.AggregationDepth = 7, 3 },
		"more workers than slots":    func(c *Config, _ *Options) { c.NumWorkers = 8 },
		"partitions as they are":     func(c *Config, _ *Options) { c.Repartition = Never },
		"read ahead":                 func(c *Config, _ *Options) { c.PrefetchNumBatches = 2 },
		"with statistics":            func(c *Config, _ *Options) { c.CollectTrainingStats = true },
		"a checkpoint in each round": func(_ *Config, o *Options) { o.Checkpoints = &kept{} },
		"whole results":              func(_ *Config, o *Options) { o.slicing.every = 1 },
	} {
		for _, master := range []string{"local[3]", "processes[3]"} {
			t.Run(name+" on "+master, func(t *testing.T) {
				c, o := config(4, 2), Options{Rounds: Resident, slicing: always}
				change(&c, &o)
				want := fitted(t, "local[3]", c, Options{Rounds: Jobs}, 2, 5)
				if got := fitted(t, master, c, o, 2, 5); !slices.Equal(got, want) {
					t.Error("the parameters are others than the jobs'")
				}
			})
		}
	}
}

// TestDeathsInSlicedRounds checks that rounds are repeated when a worker is lost in the middle of an exchange, or holds
// sums that the driver lacks, and that nothing else changes.
func TestDeathsInSlicedRounds(t *testing.T) {
	for name, c := range map[string]struct {
		hooks   []deadly
		endings ending
	}{
		"before a minibatch":     {hooks: []deadly{{Iteration: 0}, {Iteration: 3}}},
		"after a minibatch":      {hooks: []deadly{{Iteration: 4, After: true}, {Iteration: 9, After: true}}},
		"before a slice is sent": {endings: ending{Parts: []int{1, 3}}},
		"after a slice is sent":  {endings: ending{Parts: []int{2, 3}, After: true}},
	} {
		t.Run(name, func(t *testing.T) {
			conf := config(4, 2)
			conf.NumWorkers, conf.AggregationDepth = 4, 2
			withDeaths(t, "processes[4]", conf, Options{slicing: always}, 1, c.hooks, c.endings)
		})
	}
}

// TestSlicedFitFails checks that after an error the network is as after the last whole result: here, at the beginning.
func TestSlicedFitFails(t *testing.T) {
	net := network(t, updater.NewAdam(), regularization.NewDropout(0.7))
	before := append(slices.Clone(net.Params()), net.UpdaterState()...)
	d, err := distributed.FromDataSets(open(t, "processes[2]"), single(examples(t, 40)), 3)
	if err != nil {
		t.Fatal(err)
	}
	tm, err := New(config(4, 1), Options{Rounds: Resident, slicing: always})
	if err != nil {
		t.Fatal(err)
	}
	defer tm.Close()
	h, _ := failingHook.With(3)
	tm.AddHook(h)
	rounds := 0
	err = tm.Fit(t.Context(), net, d, func(distributed.Round) { rounds++ })
	after := append(slices.Clone(net.Params()), net.UpdaterState()...)
	if err == nil || engine.Permanent(err) == nil || rounds != 3 || net.Iteration() != 0 || net.Epoch() != 0 ||
		!slices.Equal(after, before) {
		t.Errorf("%v: %d rounds, iteration %d, epoch %d, the parameters are unchanged: %v", err, rounds, net.Iteration(),
			net.Epoch(), slices.Equal(after, before))
	}
}
