package coordination

import (
	"fmt"
	"time"
)

// Mode says how the log reaches the workers (Deeplearning4j: MeshBuildMode).
type Mode uint8

const (
	// Plain has the coordinator send the log to each worker.
	Plain Mode = iota
	// Mesh sends the log down a tree in which workers relay it.
	Mesh
)

// Timing holds the limits of all waits.
type Timing struct {
	Beat      time.Duration // between two heartbeats: 500 ms
	Quiet     time.Duration // without one, the others stop waiting for a worker: 2 s
	Silence   time.Duration // without one, a worker is dead, or its coordinator's link is: 1 min
	Reconnect time.Duration // for a worker whose link broke to come back: 5 s
	Greet     time.Duration // for the first message on a link: 5 s
	Stream    time.Duration // for a parent to relay what the coordinator has announced: 2 s
	State     time.Duration // for a worker to hand over its state, before another one is asked too: 10 s
	Redial    time.Duration // between two attempts to reach a machine: 200 ms
	Begin     time.Duration // for the very first worker to come, while rows are moved to where workers will be: 2 h
	Join      time.Duration // then, for the first Min workers to come, and for each of the others to come at all: 5 min
	Absence   time.Duration // for a partition's worker, or its replacement, to come: 10 min
	Step      time.Duration // for a step, the share of a round, or a report: 10 min
	Orphan    time.Duration // for a worker to find its coordinator: 2 min; a quarter of it if nothing listens there
	Stall     time.Duration // without progress before the log names the peer that is waited for: 10 s
}

// DefaultTiming gives the defaults.
func DefaultTiming() Timing {
	return Timing{
		Beat: 500 * time.Millisecond, Quiet: 2 * time.Second, Silence: time.Minute, Reconnect: 5 * time.Second,
		Greet: 5 * time.Second, Stream: 2 * time.Second, State: 10 * time.Second, Redial: 200 * time.Millisecond,
		Begin: 2 * time.Hour, Join: 5 * time.Minute, Absence: 10 * time.Minute, Step: 10 * time.Minute,
		Orphan: 2 * time.Minute, Stall: 10 * time.Second,
	}
}

// Validate fails if a wait is not positive, or if the waits do not fit together.
func (t Timing) Validate() error {
	for _, w := range []struct {
		name string
		d    time.Duration
	}{{"Beat", t.Beat}, {"Quiet", t.Quiet}, {"Silence", t.Silence}, {"Reconnect", t.Reconnect}, {"Greet", t.Greet},
		{"Stream", t.Stream}, {"State", t.State}, {"Redial", t.Redial}, {"Begin", t.Begin}, {"Join", t.Join},
		{"Absence", t.Absence}, {"Step", t.Step}, {"Orphan", t.Orphan}, {"Stall", t.Stall}} {
		if w.d <= 0 {
			return fmt.Errorf("gradient sharing: the time %s is %v, it must be more than 0", w.name, w.d)
		}
	}
	if t.Quiet < 2*t.Beat || t.Silence < t.Quiet || t.Orphan < t.Silence {
		return fmt.Errorf("gradient sharing: the times Beat %v, Quiet %v, Silence %v, Orphan %v must grow, Quiet to at "+
			"least two beats",
			t.Beat, t.Quiet, t.Silence, t.Orphan)
	}
	return nil
}

// Config is a coordinator's settings.
type Config struct {
	Job JobID
	// Term is a number that differs between the successive coordinators of a job.
	Term uint32
	// Partitions is the number of partitions. They are numbered from 0.
	Partitions int
	// Min is how many workers training begins with, Max how many are admitted: 1 and Partitions by default.
	Min, Max int
	Mode     Mode
	// Fanout is how many workers a node feeds in a Mesh: 8 by default.
	Fanout int
	// InFlight is how many updates of a worker may be uncommitted: 4 by default.
	InFlight int
	// Lag is how many entries of the log, per worker, the slowest replica may be behind before the others wait: 64.
	// It has no effect in Lockstep.
	Lag int
	// Lead is how many minibatches a partition may be ahead of the slowest one that has a worker: 256. 0 means no
	// bound.
	Lead int
	// Lockstep commits the workers' updates of a step together. No worker begins a step before it has applied all of
	// them, however many messages bring them. All workers go at the pace of the slowest one that is present. InFlight
	// must be 1 then.
	Lockstep bool
	// Summed commits the sum of a release's updates as one entry, SumEntry, so what a worker receives for a step does
	// not grow with the number of workers. No replica applies a single update, not even its own. It needs Lockstep.
	Summed bool
	// Constrained applies the network's constraints to the parameters after each step of all workers.
	Constrained bool
	// Batch is about how many bytes of the log go in one message: 256 KiB. Retain is how many bytes of the log are kept
	// for workers whose links broke: 256 MiB. Beyond that, these workers must join again.
	Batch, Retain int
	// Statistics is the number of a worker's minibatches between two averagings of the statistics: 16.
	Statistics int
	// Attempts is how many times in a row a partition's worker may give up or break the protocol before the run fails:
	// 4.
	Attempts int
	// Checkpoint is the time between two Saves; 0 for none.
	Checkpoint time.Duration
	Timing     Timing
}

// withDefaults fills in the defaults of zero fields.
func (c Config) withDefaults() Config {
	set := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	set(&c.Min, 1)
	set(&c.Max, c.Partitions)
	set(&c.Fanout, DefaultFanout)
	set(&c.InFlight, defaultInFlight)
	set(&c.Lag, 64)
	set(&c.Batch, 256<<10)
	set(&c.Retain, 256<<20)
	set(&c.Statistics, 16)
	set(&c.Attempts, 4)
	if c.Timing == (Timing{}) {
		c.Timing = DefaultTiming()
	}
	return c
}

// MessageLimit is the maximum size of a job's messages, in bytes. largest is the size of its largest update, state,
// part or base. A message holds one of them, or a Log of Batch, and a few numbers.
func (c Config) MessageLimit(largest int) int {
	return max(largest, c.withDefaults().Batch) + besides
}

// besides bounds the bytes of a message beside its vectors, in a job with maxPartitions partitions.
const besides = 1 << 20

const defaultInFlight = 4

// DefaultLead is Config.Lead's usual value.
const DefaultLead = 256

// DefaultFanout is Config.Fanout's usual value.
const DefaultFanout = 8

// Validate reports the first setting that cannot work.
func (c Config) Validate() error {
	for _, n := range []struct {
		name         string
		value, least int
	}{{"Partitions", c.Partitions, 1}, {"Min", c.Min, 1}, {"Max", c.Max, c.Min}, {"Fanout", c.Fanout, 1},
		{"InFlight", c.InFlight, 1}, {"Lag", c.Lag, 1}, {"Lead", c.Lead, 0}, {"Batch", c.Batch, 1}, {"Retain", c.Retain, 1},
		{"Statistics", c.Statistics, 1}, {"Attempts", c.Attempts, 1}} {
		if n.value < n.least {
			return fmt.Errorf("gradient sharing: %s is %d, it must be at least %d", n.name, n.value, n.least)
		}
	}
	if c.Partitions > maxPartitions {
		return fmt.Errorf("gradient sharing: %d partitions, there may be %d", c.Partitions, maxPartitions)
	}
	if c.Lockstep && c.InFlight > 1 {
		return fmt.Errorf("gradient sharing: InFlight is %d in Lockstep: a worker has one update on its way there; set "+
			"InFlight to 1", c.InFlight)
	}
	if c.Summed && !c.Lockstep {
		return fmt.Errorf("gradient sharing: Summed needs Lockstep: the updates of a step are added up")
	}
	if c.Mode > Mesh {
		return fmt.Errorf("gradient sharing: mode %d is neither Plain nor Mesh", c.Mode)
	}
	return c.Timing.Validate()
}

// maxPartitions bounds the number of partitions that a message may name.
const maxPartitions = 1 << 16
