package paramavg

import (
	"testing"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/stats"
)

// withPhases trains two epochs of 2 rounds on 2 workers with 2 minibatches each. It checks which phases there are,
// where they took place, and how they are nested.
func withPhases(t *testing.T, master string, way Way) {
	t.Helper()
	c := config(4, 2)
	c.NumWorkers, c.CollectTrainingStats, c.RDDTrainingApproach = 2, true, Export
	e := open(t, master)
	o := Options{Rounds: way, Timing: distributed.DefaultTiming()}
	for _, d := range []*time.Duration{&o.Timing.Quiet, &o.Timing.Silence, &o.Timing.Orphan} {
		*d = time.Hour // a worker that is replaced, as it was silent, has its phases twice
	}
	m, err := New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	d, err := distributed.FromDataSets(e, single(examples(t, 32)), 2)
	if err != nil {
		t.Fatal(err)
	}
	net := network(t, updater.NewAdam(), nil)
	for range 2 {
		if err := m.Fit(t.Context(), net, d, nil); err != nil {
			t.Fatal(err)
		}
	}
	count, examples := map[stats.Phase]int{}, map[stats.Phase]int{}
	events := m.Stats().Events()
	for _, e := range events {
		count[e.Phase]++
		examples[e.Phase] += e.Examples
		if master := e.Worker == "master"; master != (e.Phase.Short()[0] == 'm') || !master && e.Worker != "partition 0" &&
			e.Worker != "partition 1" && way == Resident {
			t.Errorf("%s is of %s", e.Phase, e.Worker)
		}
	}
	rounds, shares, minibatches := 4, 8, 16
	want := map[stats.Phase]int{stats.MasterExport: 1, stats.MasterCount: 2, stats.MasterSplit: 2,
		stats.MasterRepartition: 2, stats.MasterFit: 2,
		stats.MasterMapPartitions: rounds, stats.MasterAggregate: rounds, stats.MasterProcessParams: 2,
		stats.MasterBroadcast: 1 + rounds,
		stats.WorkerTotal:     shares, stats.WorkerInitialModel: shares, stats.WorkerBroadcastGet: shares,
		stats.WorkerInit:             shares,
		stats.WorkerProcessMinibatch: minibatches, stats.WorkerFit: minibatches, stats.WorkerDataSet: minibatches}
	if way == Resident { // residents get their rows once per fit, and start and end then
		want[stats.MasterBroadcast], want[stats.MasterProbe], want[stats.MasterStop] = 1+2, 2, 2
		want[stats.WorkerDataSet] += 4
	}
	for _, p := range stats.Phases {
		if count[p] != want[p] {
			t.Errorf("%s: %d events, not %d", p, count[p], want[p])
		}
	}
	if examples[stats.WorkerFit] != 64 || examples[stats.WorkerDataSet] != 64 || examples[stats.WorkerTotal] != 64 ||
		examples[stats.MasterFit] != 64 {
		t.Errorf("examples: %v", examples)
	}
	const slack = 20 * time.Millisecond // a clock may be set while a time is measured
	within := func(p, q stats.Phase) {
		for _, e := range events {
			if e.Phase != p {
				continue
			}
			found := false
			for _, o := range events {
				found = found || o.Phase == q && o.Worker == e.Worker && !e.Start.Add(slack).Before(o.Start) &&
					!e.Start.Add(e.Duration).After(o.Start.Add(o.Duration+slack))
			}
			if !found {
				t.Errorf("%s of %s at %v for %v is in no %s", p, e.Worker, e.Start, e.Duration, q)
			}
		}
	}
	for _, p := range stats.Phases {
		if p.Short()[0] == 'm' {
			within(p, stats.MasterFit)
		}
	}
	within(stats.WorkerFit, stats.WorkerProcessMinibatch)
	within(stats.WorkerProcessMinibatch, stats.WorkerTotal)
	within(stats.WorkerInit, stats.WorkerInitialModel)
	within(stats.WorkerInitialModel, stats.WorkerTotal)
}

// TestPhases checks that each of Deeplearning4j's phases takes place where it should, and as often as it should.
func TestPhases(t *testing.T) {
	for _, master := range []string{"local[2]", "processes[2]"} {
		for _, way := range []Way{Jobs, Resident} {
			t.Run(master+" "+string(way), func(t *testing.T) { withPhases(t, master, way) })
		}
	}
}
