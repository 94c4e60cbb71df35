package stats

import (
	"strings"
	"testing"
	"time"
)

func TestEventsOfMasterAndWorkersTogether(t *testing.T) {
	master := New("master")
	end := master.Begin(MasterFit)
	worker := New("partition 1")
	worker.Add(Event{Phase: WorkerFit, Worker: "partition 1", Duration: 12 * time.Millisecond, Examples: 16},
		Event{Phase: WorkerFit, Worker: "partition 1", Duration: 7 * time.Millisecond, Examples: 16})
	master.Add(worker.Events()...)
	end(32)
	events := master.Events()
	if len(events) != 3 || events[2].Phase != MasterFit || events[2].Examples != 32 || events[2].Worker != "master" {
		t.Fatalf("gathered %+v", events)
	}
	lines := strings.Split(master.String(), "\n")
	if len(lines) != 3 || lines[1] != "ParameterAveragingWorkerFitTimesMs                     12,7" {
		t.Errorf("printed %q", lines)
	}
}

func TestNilCollectorGathersNothing(t *testing.T) {
	var c *Collector
	c.Begin(WorkerFit)(3)
	if c.Events() != nil || c.String() != "" {
		t.Error("a nil collector gathered something")
	}
}
