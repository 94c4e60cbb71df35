package stats

import (
	"slices"
	"time"
)

// shorts are the names of Phases on Deeplearning4j's timeline.
var shorts = [...]string{"Export", "CountRDD", "CreateBroadcast", "Repartition", "Fit", "Split", "MapPart",
	"Aggregate", "ProcessParams",
	"ProbeWorkers", "StopWorkers",
	"Total", "GetInitModel", "GetDataSet", "ProcessBatch", "BroadcastGet", "ModelInit", "Fit"}

// firstOfWorkers is the index in Phases of the workers' first phase.
const firstOfWorkers = 11

// place returns a phase's index in Phases, or -1.
func (p Phase) place() int { return slices.Index(Phases, p) }

// Short returns the name on the timeline, with its owner: "worker Fit".
func (p Phase) Short() string {
	switch i := p.place(); {
	case i < 0:
		return string(p)
	case i < firstOfWorkers:
		return "master " + shorts[i]
	default:
		return "worker " + shorts[i]
	}
}

// Summary has the figures of the events of a phase.
type Summary struct {
	Phase                 Phase
	Count                 int
	Mean, Min, Max, Total time.Duration
	// Quantiles are the 5th, 25th, 50th, 75th and 95th percentile of the durations.
	Quantiles [5]time.Duration
	// Share is Total as a fraction of the whole: of MasterFit for the master's phases, of all WorkerTotal for the
	// workers'. It is 0 if there is no such event.
	Share    float64
	Examples int
}

// Summarize returns the summaries of the phases with events, in the order of Phases.
func Summarize(events []Event) []Summary {
	took := make([][]time.Duration, len(Phases))
	all := make([]Summary, len(Phases))
	for _, e := range events {
		i := e.Phase.place()
		if i < 0 {
			continue
		}
		took[i] = append(took[i], e.Duration)
		all[i].Total += e.Duration
		all[i].Examples += e.Examples
	}
	var out []Summary
	for i, d := range took {
		if len(d) == 0 {
			continue
		}
		slices.Sort(d)
		s := all[i]
		s.Phase, s.Count, s.Min, s.Max, s.Mean = Phases[i], len(d), d[0], d[len(d)-1], s.Total/time.Duration(len(d))
		for k, percent := range []int{5, 25, 50, 75, 95} {
			s.Quantiles[k] = d[(len(d)*percent+99)/100-1]
		}
		whole := all[MasterFit.place()].Total
		if i >= firstOfWorkers {
			whole = all[WorkerTotal.place()].Total
		}
		if whole > 0 {
			s.Share = float64(s.Total) / float64(whole)
		}
		out = append(out, s)
	}
	return out
}
