package sim

import (
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// Load is an undisturbed run that measures speed. Messages take time on the network, and releases take ReleaseTime of
// the coordinator. The machines take no other time.
type Load struct {
	Workers      int
	Mode         coordination.Mode
	StepTime     time.Duration // the mean
	Work         time.Duration // of each step, besides: encoding an update, and applying a release
	Variation    float64       // as in Scenario
	MessageBytes int           // of an update's payload
	// ReleaseBytes are those of the sum of a step's updates, in lockstep, and ReleaseTime how long the coordinator
	// computes it. 0 means that workers receive all updates, and run apart.
	ReleaseBytes int
	ReleaseTime  time.Duration
	Wire         Wire
	Steps        int // of each worker
}

// Figures are a Load's speed, in simulated time.
type Figures struct {
	Updates   float64 // a second, committed
	Share     float64 // fraction of the workers' speed without a network
	RootSent  float64 // bytes a second, by the coordinator
	RootGot   float64 // bytes a second
	PerUpdate float64 // bytes sent by the coordinator
	// committed updates of all workers that a replica lacks when a step begins, in the mean
	Staleness float64
	Steps     int // of machines
}

// Measure runs a load.
func Measure(l Load) (Figures, error) {
	s := Scenario{Workers: l.Workers, Minibatches: l.Steps, Epochs: 1, Wire: l.Wire, StepTime: l.StepTime + l.Work,
		Variation: l.Variation, Measure: true, Join: 10 * time.Millisecond,
		Config: coordination.Config{Mode: l.Mode, Min: l.Workers, Statistics: 1 << 20, Timing: patient()}}
	if l.ReleaseBytes > 0 {
		s.Config.Lockstep, s.Config.Summed, s.Config.InFlight, s.Config.Batch = true, true, 1, 4<<20
	}
	w := newWorld(1, s, func(w *World) numbers {
		of := newWeight(l.MessageBytes)
		of.release, of.computes = make([]byte, l.ReleaseBytes), func() { w.coord.computes(l.ReleaseTime) }
		return of
	}, nil)
	w.unchecked, w.trace.off = true, true
	// Neither the beginning counts, when as many updates as may be in flight go out, nor the end, when only the slower
	// workers are left.
	from, to := l.Workers*l.Steps*2/5, l.Workers*l.Steps*9/10
	if l.Steps < 8 {
		from, to = l.Workers*l.Steps/5, l.Workers*l.Steps*3/5
	}
	var first, last time.Duration
	var sent, got, stale, trains float64
	act := w.coord.act
	w.coord.act = func(n *node, a coordination.Action) {
		if _, ok := a.(coordination.Committed); !ok {
			act(n, a)
			return
		}
		switch w.updates++; w.updates {
		case from:
			first, sent, got = w.now, n.carried(), n.received
		case to:
			last, sent, got = w.now, n.carried()-sent, n.received-got
		}
	}
	w.began = func(n *node) {
		stale += float64(w.machine.Head() - n.worker.Applied())
		trains++
	}
	if _, err := w.run(); err != nil {
		return Figures{}, err
	}
	seconds, updates := (last - first).Seconds(), float64(to-from)
	f := Figures{Updates: updates / seconds, RootSent: sent / seconds, RootGot: got / seconds, PerUpdate: sent / updates,
		Staleness: stale / trains, Steps: w.steps}
	f.Share = f.Updates * l.StepTime.Seconds() / float64(l.Workers)
	return f, nil
}

// MeasureRounds runs rounds of parameter averaging on the same kind of cluster, with messages of the model's size and
// with frequency minibatches a round for each worker. It returns the minibatches a second of all workers together.
func MeasureRounds(l Load, frequency, rounds int) (float64, error) {
	s := Scenario{Workers: l.Workers, Rounds: rounds, Depth: 2, Wire: l.Wire,
		StepTime: time.Duration(frequency) * l.StepTime, Variation: l.Variation, Measure: true,
		Config: coordination.Config{Mode: coordination.Mesh, Min: l.Workers, Timing: patient()}, Join: 10 * time.Millisecond}
	w := newWorld(1, s, func(w *World) numbers { return newWeight(l.MessageBytes) }, nil)
	w.unchecked, w.trace.off = true, true
	var first, last time.Duration
	act := w.coord.act
	w.coord.act = func(n *node, a coordination.Action) {
		if r, ok := a.(coordination.RoundDone); ok {
			if last = w.now; r.Round == 0 {
				first = w.now
			}
		}
		act(n, a)
	}
	_, err := w.run()
	return float64(l.Workers*frequency*(rounds-1)) / (last - first).Seconds(), err
}

// patient returns times for networks so slow that beats would otherwise be most of the traffic.
func patient() coordination.Timing {
	t := coordination.DefaultTiming()
	t.Beat, t.Quiet, t.Stream, t.Silence = 5*time.Second, time.Minute, 5*time.Minute, 5*time.Minute
	t.Orphan, t.Stall = time.Hour, time.Hour
	return t
}

// carried returns how many bytes have left a node, without those that wait for its network card.
func (n *node) carried() float64 {
	w := n.sent
	if n.wire > 0 {
		w -= max(0, (n.out-n.clock.now).Seconds()) * n.wire
	}
	return w
}

// computes keeps a node's next messages back while it computes.
func (n *node) computes(d time.Duration) { n.out = max(n.out, n.clock.now) + d }

// weight has no numbers, only messages of a size.
type weight struct {
	slicedWeight
	release  []byte
	computes func() // with each release
}

func newWeight(bytes int) *weight { return &weight{slicedWeight: slicedWeight{make([]byte, bytes)}} }

func (w *weight) replica(n *node) trackedReplica                             { return w }
func (w *weight) reference() coordination.Reference                          { return weightless{w} }
func (w *weight) begin() []byte                                              { return []byte{} }
func (w *weight) start() []byte                                              { return w.payload }
func (w *weight) agree(ref coordination.Reference, nodes []*node) error      { return nil }
func (w *weight) saves(*coordination.Checkpoint) error                       { return nil }
func (w *weight) settles(coordination.Reference, coordination.Settled) error { return nil }
func (w *weight) conserve() error                                            { return nil }

func (w *weight) train(a coordination.Train) coordination.Trained {
	return coordination.Trained{ID: a.ID, Payload: w.payload}
}
func (w *weight) commits(e *coordination.Entry, term uint32)          {}
func (w *weight) rollsBack(e *coordination.Entry, term uint32)        {}
func (w *weight) die()                                                {}
func (w *weight) Install(params, state []byte) error                  { return nil }
func (w *weight) Apply(e *coordination.Entry) error                   { return nil }
func (w *weight) SetStatistics(b []byte) error                        { return nil }
func (w *weight) Constrain([]*coordination.Update) error              { return nil }
func (w *weight) State() ([]byte, error)                              { return nil, nil }
func (w *weight) Report(bool, []*coordination.Update) ([]byte, error) { return nil, nil }
func (w *weight) Sum(parts [][]byte) ([]byte, error)                  { return parts[0], nil }
func (w *weight) Abandon(u *coordination.Update)                      {}

// slicedWeight is its side of sliced rounds.
type slicedWeight struct{ payload []byte }

func (w *slicedWeight) Begin(bool)                          {}
func (w *slicedWeight) Add(pieces [][]byte) ([]byte, error) { return pieces[0], nil }
func (w *slicedWeight) Keep([][]byte)                       {}
func (w *slicedWeight) Continue([]byte) error               { return nil }
func (w *slicedWeight) Whole([]byte) ([]byte, error)        { return w.payload, nil }

func (w *slicedWeight) Cut(result []byte, n int) (slices [][]byte, report []byte, err error) {
	for i := range n {
		slices = append(slices, result[i*len(result)/n:(i+1)*len(result)/n])
	}
	return slices, []byte("report"), nil
}

// weightless is the coordinator's side of weight.
type weightless struct{ of *weight }

func (weightless) Install(params []byte) error          { return nil }
func (weightless) Expect([][]byte)                      {}
func (weightless) CatchUp()                             {}
func (weightless) Apply(e *coordination.Entry) error    { return nil }
func (weightless) Average(all [][]byte) ([]byte, error) { return all[0], nil }
func (weightless) SetStatistics(b []byte) error         { return nil }
func (weightless) Constrain() error                     { return nil }
func (weightless) Params() ([]byte, error)              { return []byte{}, nil }

// Sum returns a release, after the time that it takes.
func (w weightless) Sum() ([]byte, error) {
	w.of.computes()
	return w.of.release, nil
}
