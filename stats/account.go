package stats

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Part is a part of the total time.
type Part struct {
	Name, Meaning string
	Time          time.Duration
	Share         float64 // of the total
}

// Account divides the wall-clock time of a run. Each moment from the start of the first event to the end of the last
// one counts once, for the current activity that is nearest to training. So the parts add up to the total.
type Account struct {
	Whole   time.Duration // the total time
	Parts   []Part        // those that took time; those nearest to training come first
	Workers int           // number of workers that fitted
	AtOnce  float64       // number of workers that fitted at once, on average over the time in which any did
	// Longest and Shortest are the workers with the longest and the shortest total time of fits.
	Longest, Shortest WorkerTime
}

// WorkerTime is the time of all fits of a worker.
type WorkerTime struct {
	Worker string
	Time   time.Duration
}

const betweenFits = "between fits"

// activities are in order, the nearest to training first. A moment counts for the first one with an event at that
// time.
var activities = []struct {
	name, meaning string
	phases        []Phase
}{
	{"workers fit", "at least one worker trains a minibatch", []Phase{WorkerFit, WorkerProcessMinibatch}},
	{"workers get examples", "rows arrive, are decoded and put together to minibatches", []Phase{WorkerDataSet}},
	{"workers get the model", "parameters arrive, networks are made",
		[]Phase{WorkerInitialModel, WorkerInit, WorkerBroadcastGet}},
	{"workers exchange", "results and updates are sent, or the others waited for", []Phase{WorkerTotal}},
	{"export", "examples are written for training", []Phase{MasterExport}},
	{"repartition", "examples are counted, permuted, split and spread",
		[]Phase{MasterRepartition, MasterCount, MasterSplit}},
	{"broadcast", "network and parameters are sent, the workers' job is begun", []Phase{MasterBroadcast}},
	{"probe", "workers are asked whether they reach the coordinator", []Phase{MasterProbe}},
	{"stop", "the workers end", []Phase{MasterStop}},
	{"new parameters", "the driver takes over what the workers gave", []Phase{MasterProcessParams}},
	{"waiting for workers", "the engine schedules and starts them, rows travel to them, results travel back",
		[]Phase{MasterMapPartitions, MasterAggregate}},
	{"not timed", "hooks, checkpoints, listeners and all else in a fit", []Phase{MasterFit}},
	{betweenFits, "evaluation, saving, and whatever the program does", nil},
}

// AccountFor makes the account of events. If the clocks of machines differ, simultaneous events may appear at
// different times.
func AccountFor(events []Event) Account {
	of := make([]int, len(Phases)) // activity of each phase
	for i, a := range activities {
		for _, p := range a.phases {
			of[p.place()] = i
		}
	}
	type edge struct {
		at       time.Time
		activity int
		by       int // +1 at a start, −1 at an end
		fit      bool
	}
	var edges []edge
	workers := map[string]time.Duration{}
	for _, e := range events {
		p := e.Phase.place()
		if p < 0 {
			continue
		}
		fit := e.Phase == WorkerFit
		if fit {
			workers[e.Worker] += e.Duration
		}
		edges = append(edges, edge{e.Start, of[p], 1, fit}, edge{e.Start.Add(e.Duration), of[p], -1, fit})
	}
	a := Account{Workers: len(workers)}
	for i, worker := range slices.SortedFunc(maps.Keys(workers), byWorker) {
		t := WorkerTime{worker, workers[worker]}
		if i == 0 || t.Time > a.Longest.Time {
			a.Longest = t
		}
		if i == 0 || t.Time < a.Shortest.Time {
			a.Shortest = t
		}
	}
	if len(edges) == 0 {
		return a
	}
	slices.SortFunc(edges, func(x, y edge) int { return cmp.Or(x.at.Compare(y.at), y.by-x.by) })
	active, took := make([]int, len(activities)), make([]time.Duration, len(activities))
	fitting, fits, any := 0, time.Duration(0), time.Duration(0)
	for k, e := range edges {
		if k > 0 {
			long := e.at.Sub(edges[k-1].at)
			nearest := slices.IndexFunc(active, func(n int) bool { return n > 0 })
			if nearest < 0 {
				nearest = len(activities) - 1
			}
			took[nearest] += long
			if fitting > 0 {
				any += long
				fits += long * time.Duration(fitting)
			}
		}
		active[e.activity] += e.by
		if e.fit {
			fitting += e.by
		}
	}
	a.Whole = edges[len(edges)-1].at.Sub(edges[0].at)
	for i, d := range took {
		if d > 0 {
			a.Parts = append(a.Parts, Part{activities[i].name, activities[i].meaning, d, float64(d) / float64(a.Whole)})
		}
	}
	if any > 0 {
		a.AtOnce = float64(fits) / float64(any)
	}
	return a
}
