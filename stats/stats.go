// Package stats collects the durations of the phases of distributed training, on the driver and on the workers, with
// the names of Deeplearning4j's SparkTrainingStats. It writes them as a page, CSV or JSON.
package stats

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/dl4go/dl4go/program"
)

// Phase names the work of an event, as in Deeplearning4j's SparkTrainingStats.
type Phase string

// The phases of parameter averaging, in the order of listings. The first is lower case in Deeplearning4j. MasterProbe
// and MasterStop, for resident workers, are not in Deeplearning4j.
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
	MasterProbe            Phase = "ParameterAveragingMasterProbeWorkersTimesMs"
	MasterStop             Phase = "ParameterAveragingMasterStopWorkersTimesMs"
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
	MasterMapPartitions, MasterAggregate, MasterProcessParams, MasterProbe, MasterStop, WorkerTotal,
	WorkerInitialModel, WorkerDataSet,
	WorkerProcessMinibatch, WorkerBroadcastGet, WorkerInit, WorkerFit}

// Event is one occurrence of a phase.
type Event struct {
	Phase    Phase         `json:"phase"`
	Worker   string        `json:"worker"` // "master", or the worker's part: "partition 3"
	Start    time.Time     `json:"start"`
	Duration time.Duration `json:"duration"`
	Examples int           `json:"examples,omitempty"`
}

// Collector collects events, from any goroutine. A nil Collector collects nothing and costs nothing.
type Collector struct {
	worker string
	clock  *Clock // of the events' starts; nil: the system's

	mu       sync.Mutex
	events   []Event
	measured []Measurement
	spreads  []Histogram
	costs    []program.Cost
	waiting  []int // indices of events whose starts are by the system's clock until the clock's first response
}

// New makes a collector for the events of one worker, or of "master", with the machine's own clock.
func New(worker string) *Collector { return NewBy(worker, nil) }

// NewBy makes a collector that corrects the starts of its events by a clock. Timing never waits for the clock's
// server; Events does, once.
func NewBy(worker string, clock *Clock) *Collector { return &Collector{worker: worker, clock: clock} }

// Begin starts a phase. Call the function that it returns to end it. examples is the number that the phase handled, or
// 0.
func (c *Collector) Begin(p Phase) func(examples int) {
	if c == nil {
		return func(int) {}
	}
	start := time.Now()
	return func(examples int) {
		e := Event{p, c.worker, start, time.Since(start), examples}
		by, known := c.clock.peek()
		c.mu.Lock()
		defer c.mu.Unlock()
		if e.Start = start.Add(by); !known {
			c.waiting = append(c.waiting, len(c.events))
		}
		c.events = append(c.events, e)
	}
}

// Tell logs if the clock's server does not respond; see Clock.Tell.
func (c *Collector) Tell(log *slog.Logger) {
	if c != nil && c.clock != nil {
		c.clock.Tell(log)
	}
}

// Add adds finished events, such as a worker's.
func (c *Collector) Add(events ...Event) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, events...)
}

// AddRecord adds the events and measurements of a Record.
func (c *Collector) AddRecord(r Record) error {
	if c == nil {
		return nil
	}
	read, err := r.read()
	c.Add(read.events...)
	c.Measure(read.measured...)
	c.MeasureHistogram(read.spreads...)
	c.AddCosts(read.costs...)
	return err
}

// Record returns the record so far, for another process.
func (c *Collector) Record() Record {
	r := append(NewRecord(c.Events()), recordOf(c.Measurements())...)
	r = append(r, recordOfHistograms(c.Histograms())...)
	return append(r, recordOfCosts(c.Costs())...)
}

// Events returns the events so far.
func (c *Collector) Events() []Event { return c.EventsFrom(0) }

// EventsFrom returns the events after the first n.
func (c *Collector) EventsFrom(n int) []Event {
	if c == nil {
		return nil
	}
	by, _ := c.clock.Offset() // without a correction, Tell reports that
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range c.waiting {
		c.events[i].Start = c.events[i].Start.Add(by)
	}
	c.waiting = nil
	return append([]Event(nil), c.events[min(n, len(c.events)):]...)
}

// String lists the durations of each phase in milliseconds, like Deeplearning4j's statsAsString.
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
