// Package stats collects how long each phase of distributed training took, on the master and on the workers, under
// Deeplearning4j's names (SparkTrainingStats).
package stats

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Phase names what an event timed, as Deeplearning4j's SparkTrainingStats does.
type Phase string

// The phases of parameter averaging, in the order in which they are listed. The first is lower case in Deeplearning4j.
const (
	MasterExport           Phase = "parameterAveragingMasterExportTimesMs"
	MasterCount            Phase = "ParameterAveragingMasterCountRddSizeTimesMs"
	MasterBroadcast        Phase = "ParameterAveragingMasterBroadcastCreateTimesMs"
	MasterRepartition      Phase = "ParameterAveragingMasterRepartitionTimesMs"
	MasterFit              Phase = "ParameterAveragingMasterFitTimesMs"
	MasterSplit            Phase = "ParameterAveragingMasterSplitTimesMs"
	MasterMapPartitions    Phase = "ParameterAveragingMasterMapPartitionsTimesMs"
	MasterAggregate        Phase = "ParameterAveragingMasterAggregateTimesMs"
	MasterProcessParams    Phase = "ParameterAveragingMasterProcessParamsUpdaterTimesMs"
	WorkerTotal            Phase = "WorkerFlatMapTotalTimeMs"
	WorkerInitialModel     Phase = "WorkerFlatMapGetInitialModelTimeMs"
	WorkerDataSet          Phase = "WorkerFlatMapDataSetGetTimesMs"
	WorkerProcessMinibatch Phase = "WorkerFlatMapProcessMiniBatchTimesMs"
	WorkerBroadcastGet     Phase = "ParameterAveragingWorkerBroadcastGetValueTimeMs"
	WorkerInit             Phase = "ParameterAveragingWorkerInitTimeMs"
	WorkerFit              Phase = "ParameterAveragingWorkerFitTimesMs"
)

// Phases lists all phases in Deeplearning4j's order.
var Phases = []Phase{MasterExport, MasterCount, MasterBroadcast, MasterRepartition, MasterFit, MasterSplit,
	MasterMapPartitions, MasterAggregate, MasterProcessParams, WorkerTotal, WorkerInitialModel, WorkerDataSet,
	WorkerProcessMinibatch, WorkerBroadcastGet, WorkerInit, WorkerFit}

// Event is one phase that took place.
type Event struct {
	Phase    Phase         `json:"phase"`
	Worker   string        `json:"worker"` // "master", or the worker's part: "partition 3"
	Start    time.Time     `json:"start"`
	Duration time.Duration `json:"duration"`
	Examples int           `json:"examples,omitempty"`
}

// Collector gathers events, from any goroutine. A nil Collector gathers nothing and costs nothing.
type Collector struct {
	worker string
	mu     sync.Mutex
	events []Event
}

// New makes a collector for the events of one worker, or "master".
func New(worker string) *Collector { return &Collector{worker: worker} }

// Begin starts a phase; calling what it gives ends it. examples is the number that the phase handled, or 0.
func (c *Collector) Begin(p Phase) func(examples int) {
	if c == nil {
		return func(int) {}
	}
	start := time.Now()
	return func(examples int) { c.Add(Event{p, c.worker, start, time.Since(start), examples}) }
}

// Add takes events over, such as a worker's.
func (c *Collector) Add(events ...Event) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, events...)
}

// Events gives what was gathered so far.
func (c *Collector) Events() []Event {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Event(nil), c.events...)
}

// String lists the durations of each phase in milliseconds, as Deeplearning4j's statsAsString does.
func (c *Collector) String() string {
	byPhase := map[Phase][]string{}
	for _, e := range c.Events() {
		byPhase[e.Phase] = append(byPhase[e.Phase], fmt.Sprint(e.Duration.Milliseconds()))
	}
	var b strings.Builder
	for _, p := range Phases {
		if d := byPhase[p]; d != nil {
			fmt.Fprintf(&b, "%-55s%s\n", p, strings.Join(d, ","))
		}
	}
	return b.String()
}
