package sharing

import (
	"testing"

	"github.com/dl4go/dl4go/stats"
)

// withPhases trains two epochs on 2 workers and checks which phases there are.
func withPhases(t *testing.T, on string, o Options) {
	t.Helper()
	c := config()
	c.RDDTrainingApproach, c.CollectTrainingStats, c.NumWorkers, c.BatchSizePerWorker = Export, true, 2, 250
	e := open(t, on)
	m, d, net := master(t, c, o), spread(t, e, 2), network(t, "softmax", 3)
	for range 2 {
		if err := m.Fit(t.Context(), net, d, nil); err != nil {
			t.Fatal(err)
		}
	}
	count, examples := map[stats.Phase]int{}, map[stats.Phase]int{}
	for _, e := range m.Stats().Events() {
		count[e.Phase]++
		examples[e.Phase] += e.Examples
		if (e.Worker == "master") != (e.Phase.Short()[0] == 'm') {
			t.Errorf("%s is of %s", e.Phase, e.Worker)
		}
	}
	want := map[stats.Phase]int{stats.MasterExport: 1, stats.MasterCount: 1, stats.MasterRepartition: 1,
		stats.MasterFit: 2, stats.MasterMapPartitions: 2,
		stats.MasterAggregate: 2, stats.MasterProcessParams: 2, stats.MasterBroadcast: 1 + 2, stats.MasterProbe: 2,
		stats.MasterStop:  2,
		stats.WorkerTotal: 2 * 2, stats.WorkerInitialModel: 2 * 2, stats.WorkerFit: 2 * 6, stats.WorkerDataSet: 2*6 + 2*2}
	for _, p := range stats.Phases {
		if count[p] != want[p] {
			t.Errorf("%s: %d events, not %d", p, count[p], want[p])
		}
	}
	if examples[stats.WorkerFit] != 2*1497 || examples[stats.WorkerTotal] != 2*1497 {
		t.Errorf("examples: %v", examples)
	}
}

// TestPhases checks that each of Deeplearning4j's phases that gradient sharing has takes place.
func TestPhases(t *testing.T) {
	for _, on := range []string{"local[2]", "processes[2]"} {
		t.Run(on, func(t *testing.T) { withPhases(t, on, Options{}) })
	}
}
