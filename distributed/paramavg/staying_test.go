package paramavg

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
)

// stayer returns options with which workers stay on any engine.
func stayer() Options { return Options{Stay: true, anywhere: true} }

// TestStaying checks that workers that stay give, to the bit, the same network as others that are started for each
// pass, and that they stay unless an option needs others.
func TestStaying(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Config)
		leaves bool
	}{
		"as it is":                {func(*Config) {}, false},
		"more workers than slots": {func(c *Config) { c.NumWorkers = 8 }, false},
		"partitions as they are":  {func(c *Config) { c.Repartition = Never }, false},
		"updater not averaged":    {func(c *Config) { c.SaveUpdater = false }, false},
		"read ahead":              {func(c *Config) { c.PrefetchNumBatches = 2 }, false},
		"with statistics":         {func(c *Config) { c.CollectTrainingStats = true }, false},
		"at random":               {func(c *Config) { c.RepartitionStrategy = SparkDefault }, true},
		"outer optimiser":         {func(c *Config) { c.Outer = DefaultOuter(OuterNesterov) }, true},
	} {
		for _, master := range []string{"local[3]", "processes[3]", "local[1]"} {
			if master == "local[1]" && name != "as it is" {
				continue
			}
			t.Run(name+" on "+master, func(t *testing.T) {
				conf := config(4, 2)
				conf.RDDTrainingApproach = Direct
				c.change(&conf)
				want := fitted(t, master, conf, Options{Rounds: Jobs}, 3, 5)
				for _, o := range []Options{stayer(), {Stay: true, anywhere: true, slicing: always}} {
					if got := fitted(t, master, conf, o, 3, 5); !slices.Equal(got, want) {
						t.Error("the parameters are others than the jobs'")
					}
				}
				if leaves := !stayed(t, master, conf); leaves != c.leaves {
					t.Errorf("the workers leave between fits: %v", leaves)
				}
			})
		}
	}
}

// stayed reports whether two fits on an engine have the same workers.
func stayed(t *testing.T, master string, conf Config) bool {
	t.Helper()
	net := network(t, updater.NewAdam(), regularization.NewDropout(0.7))
	d, err := distributed.FromDataSets(open(t, master), single(examples(t, 103)), 5)
	if err != nil {
		t.Fatal(err)
	}
	tm, err := New(conf, stayer())
	if err != nil {
		t.Fatal(err)
	}
	var all []*residents
	for range 2 {
		if err := tm.Fit(t.Context(), net, d, nil); err != nil {
			t.Fatal(err)
		}
		all = append(all, tm.staying.of)
	}
	if err := tm.Close(); err != nil || tm.staying.of != nil {
		t.Errorf("after Close, workers stay: %v (%v)", tm.staying.of != nil, err)
	}
	return all[0] != nil && all[0] == all[1]
}

// TestStayersDie checks that a worker that is lost in a later pass, or while rows are moved, changes nothing.
func TestStayersDie(t *testing.T) {
	for name, c := range map[string]struct {
		hooks   []deadly
		endings ending
	}{
		"in the first pass":           {hooks: []deadly{{Iteration: 1}}},
		"in the second pass":          {hooks: []deadly{{Iteration: 10}, {Iteration: 13, After: true}}},
		"before its rows are sent":    {endings: ending{Parts: []int{5}}},
		"after its rows are sent":     {endings: ending{Parts: []int{5}, After: true}},
		"while it sends other slices": {endings: ending{Parts: []int{7}}},
	} {
		for _, s := range []slicing{always, usualSlicing} {
			t.Run(fmt.Sprintf("%s, at least %d bytes", name, s.least), func(t *testing.T) {
				conf := config(4, 2)
				conf.NumWorkers, conf.RDDTrainingApproach = 4, Direct
				o := stayer()
				o.slicing = s
				withDeaths(t, "processes[4]", conf, o, 3, c.hooks, c.endings)
			})
		}
	}
}

// TestStayersEnd checks that a fit whose context ends also ends workers that stayed after the fit before, and that the
// next fit starts others.
func TestStayersEnd(t *testing.T) {
	net := network(t, updater.NewAdam(), nil)
	d, err := distributed.FromDataSets(open(t, "local[3]"), single(examples(t, 103)), 5)
	if err != nil {
		t.Fatal(err)
	}
	conf := config(4, 2)
	conf.RDDTrainingApproach = Direct
	tm, err := New(conf, stayer())
	if err != nil {
		t.Fatal(err)
	}
	defer tm.Close()
	first, end := context.WithCancel(t.Context())
	if err := tm.Fit(first, net, d, nil); err != nil {
		t.Fatal(err)
	}
	end() // the workers stay
	stopped := errors.New("the test stops it")
	ctx, stop := context.WithCancelCause(t.Context())
	err = tm.Fit(ctx, net, d, func(distributed.Round) { stop(stopped) })
	if !errors.Is(err, stopped) || tm.staying.of != nil || net.Epoch() != 1 {
		t.Errorf("%v after %d epochs, workers stay: %v", err, net.Epoch(), tm.staying.of != nil)
	}
	if err := tm.Fit(t.Context(), net, d, nil); err != nil || tm.staying.of == nil {
		t.Errorf("%v, workers stay: %v", err, tm.staying.of != nil)
	}
}
