package distributed_test

import (
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/stats"
)

// TestGaugeReports: a worker that came too late for a measured step has its resources and attempts all the same.
func TestGaugeReports(t *testing.T) {
	to := stats.New("partition 0")
	distributed.NewGauge(to).Report(twoByTwo(t).Base(), 3)
	got := map[string]float64{}
	for _, m := range to.Measurements() {
		got[m.Name] = m.Value
	}
	if len(got) != 4 || got["memory/partition 0"] <= 0 || got["restarts/partition 0"] != 2 {
		t.Errorf("it reports %v", got)
	}
	distributed.NewGauge(nil).Report(twoByTwo(t).Base(), 3)
}
