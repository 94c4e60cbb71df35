package paramavg

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
)

// kept has a copy of every checkpoint of a run.
type kept []distributed.Checkpoint

func (k *kept) Due() bool { return true }

func (k *kept) Keep(c distributed.Checkpoint) {
	c.Params, c.Updater = slices.Clone(c.Params), slices.Clone(c.Updater)
	*k = append(*k, c)
}

// TestResume checks that a run that resumes from any of its checkpoints, by jobs or by residents, ends with the same
// result as without a break.
func TestResume(t *testing.T) {
	m := examples(t, 103)
	data := func(master string) *distributed.Data {
		t.Helper()
		d, err := distributed.FromDataSets(open(t, master), single(m), 3)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	here, other := data("local[3]"), data("local")
	fresh := func() *nn.MultiLayer { return network(t, updater.NewAdam(), regularization.NewDropout(0.7)) }
	run := func(net *nn.MultiLayer, tm *TrainingMaster, d *distributed.Data, iterations int) []float32 {
		t.Helper()
		defer tm.Close()
		err := error(nil)
		if iterations > 0 {
			err = tm.FitIterations(context.Background(), net, d, iterations, nil)
		}
		for iterations == 0 && net.Epoch() < 2 && err == nil {
			err = tm.Fit(context.Background(), net, d, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		return append(slices.Clone(net.Params()), net.UpdaterState()...)
	}
	master := func(c Config, o Options) *TrainingMaster {
		t.Helper()
		tm, err := New(c, o)
		if err != nil {
			t.Fatal(err)
		}
		return tm
	}
	for name, c := range map[string]struct {
		change     func(*Config)
		iterations int
		keeps      int
	}{
		"epochs":        {func(c *Config) {}, 0, 2 * 4},
		"iterations":    {func(c *Config) {}, 25, 4 + 4 + 3}, // 9 in the first pass, 9 in the second, 7 in the third
		"export":        {func(c *Config) { c.RDDTrainingApproach = Export }, 0, 2 * 4},
		"never":         {func(c *Config) { c.Repartition = Never }, 0, 2 * 4},
		"fresh updater": {func(c *Config) { c.SaveUpdater = false }, 0, 2 * 4},
		"outer":         {func(c *Config) { c.Outer = DefaultOuter(OuterNesterov) }, 0, 2 * 4},
		"at random":     {func(c *Config) { c.RepartitionStrategy = SparkDefault }, 0, 2 * 4},
	} {
		t.Run(name, func(t *testing.T) {
			conf := config(4, 2)
			conf.NumWorkers = 3
			c.change(&conf)
			var all kept
			net := fresh()
			want := run(net, master(conf, Options{Checkpoints: &all}), here, c.iterations)
			if undisturbed := run(fresh(), master(conf, Options{}), here, c.iterations); !slices.Equal(undisturbed, want) {
				t.Fatal("keeping checkpoints changes the result")
			}
			if len(all) != c.keeps {
				t.Fatalf("%d checkpoints, not %d", len(all), c.keeps)
			}
			for i, k := range all {
				d := here
				if i == 1 {
					d = other
				}
				again := fresh()
				copy(again.Params(), k.Params)
				copy(again.UpdaterState(), k.Updater)
				again.SetIteration(k.Iteration)
				again.SetEpoch(k.Epoch)
				tm := master(conf, Options{Rounds: []Way{Jobs, Resident}[i%2]})
				tm.Resume(k.Place)
				if err := tm.Restore(k.State); err != nil {
					t.Fatal(err)
				}
				if got := run(again, tm, d, max(0, c.iterations-k.Iteration)); !slices.Equal(got, want) {
					t.Errorf("gone on from %+v, the network is another one", k.Place)
				}
				if again.Iteration() != net.Iteration() || again.Epoch() != net.Epoch() {
					t.Errorf("gone on from %+v, it ends at iteration %d of epoch %d, not %d of %d", k.Place, again.Iteration(),
						again.Epoch(), net.Iteration(), net.Epoch())
				}
			}
			// Checkpoints that don't fit are refused.
			for problem, change := range map[string]func(*Config, *nn.MultiLayer){
				"not those that it began with": func(c *Config, _ *nn.MultiLayer) { c.BatchSizePerWorker++ },
				"with a network of epoch 7":    func(_ *Config, net *nn.MultiLayer) { net.SetEpoch(7) },
			} {
				changed, again := conf, fresh()
				change(&changed, again)
				tm := master(changed, Options{})
				tm.Resume(all[0].Place)
				err := tm.Fit(context.Background(), again, here, nil)
				tm.Close()
				if err == nil || !strings.Contains(err.Error(), problem) {
					t.Errorf("got the error %v, not %q", err, problem)
				}
			}
		})
	}
}
