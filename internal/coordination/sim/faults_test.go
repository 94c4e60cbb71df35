package sim

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// plain returns a run without faults, for tests that inject their own.
func plain(workers, minibatches int) Scenario {
	return Scenario{Workers: workers, Minibatches: minibatches, Epochs: 1, Wire: Wire{Latency: time.Millisecond},
		StepTime: 100 * time.Millisecond, Restart: time.Second}
}

func toyWorld(seed uint64, s Scenario) *World {
	return newWorld(seed, s, func(w *World) numbers { return toys{w} }, nil)
}

// TestReplay checks that the same seed gives the same trace and another seed a different one.
func TestReplay(t *testing.T) {
	hashes := map[uint64]bool{}
	for seed := uint64(1); seed <= 300; seed++ {
		first, err := Random(seed, nil)
		if err != nil {
			t.Fatal(err)
		}
		second, _ := Random(seed, nil)
		if first != second {
			t.Fatalf("seed %d gave %+v, and then %+v", seed, first, second)
		}
		hashes[first.Hash] = true
	}
	if len(hashes) != 300 {
		t.Errorf("300 seeds gave %d traces", len(hashes))
	}
}

// TestAbsent checks a run that has lost a partition's worker for good. It writes a checkpoint of all commits, from
// which fewer workers can go on, and ends with an error that names the partition.
func TestAbsent(t *testing.T) {
	s := plain(3, 20)
	s.Restart = 0
	s.Limit = 15 * time.Minute
	w := toyWorld(1, s)
	var stalled []coordination.Stalled
	var short []coordination.Short
	act := w.coord.act
	w.coord.act = func(n *node, a coordination.Action) {
		switch a := a.(type) {
		case coordination.Stalled:
			stalled = append(stalled, a)
		case coordination.Short:
			short = append(short, a)
		}
		act(n, a)
	}
	w.after(time.Second, func() { w.kill(w.workerOf(1), true) })
	if _, err := w.run(); err != nil {
		t.Fatal(err)
	}
	var late *coordination.DeadlineError
	if !errors.As(w.ended, &late) || len(late.Awaited) != 1 || late.Awaited[0].Partition != 1 ||
		late.Awaited[0].Peer.Incarnation != 0 {
		t.Fatalf("the run ended with %v", w.ended)
	}
	if len(short) != 1 || !slices.Equal(short[0].Partitions, []uint32{1}) || w.saved == nil ||
		w.saved.history != len(w.history) || steps(w.state()) == 0 {
		t.Errorf("for those who go on: %v, and the checkpoint %+v", short, w.saved)
	}
	if w.updates < 40 {
		t.Errorf("the others committed %d updates meanwhile, they have about 40", w.updates)
	}
	if len(stalled) < 10 || !strings.Contains(stalled[0].String(), "partition 1") {
		t.Errorf("what was said meanwhile: %v", stalled)
	}
}

// workerOf returns the living process with a worker's number.
func (w *World) workerOf(number uint32) *node {
	for _, n := range w.nodes {
		if n.alive && n.worker != nil && n.shares[0].Partition == number {
			return n
		}
	}
	return nil
}

// TestNobodyComes checks that a run that no worker joins ends in time.
func TestNobodyComes(t *testing.T) {
	s := plain(2, 3)
	s.Join = 100 * time.Hour
	s.Limit = 3 * time.Hour
	s.Config.Min = 2
	w := toyWorld(3, s)
	if _, err := w.run(); err != nil {
		t.Fatal(err)
	}
	var late *coordination.DeadlineError
	if !errors.As(w.ended, &late) || len(late.Awaited) == 0 || w.now < 2*time.Hour || w.now > 2*time.Hour+time.Minute {
		t.Fatalf("after %v the run ended with %v", w.now, w.ended)
	}
}

// TestStuck checks that a worker whose step never ends is named, ends itself after Timing.Step, and is replaced.
func TestStuck(t *testing.T) {
	s := plain(3, 20)
	s.Limit = 30 * time.Minute
	w := toyWorld(1, s)
	named := false
	act := w.coord.act
	w.coord.act = func(n *node, a coordination.Action) {
		if st, ok := a.(coordination.Stalled); ok {
			named = named || strings.Contains(st.String(), "worker 1 (incarnation 1)")
		}
		act(n, a)
	}
	w.after(time.Second, func() { w.workerOf(1).pace = 1e9 })
	w.run() // it rightly complains that nothing moved for long
	if w.ended != nil || w.lost != 1 || !named || w.now < 10*time.Minute || w.want.epoch != 1 {
		t.Fatalf("after %v: %v, %d lost, named: %v, %v", w.now, w.ended, w.lost, named, w.err)
	}
}

// TestQuiet stops a worker, but not for long enough to be taken for dead. The others go on meanwhile, and the worker
// goes on afterwards.
func TestQuiet(t *testing.T) {
	s := plain(3, 200)
	s.StepTime = 20 * time.Millisecond
	s.Config.Lag, s.Config.Lead = 4, 6
	w := toyWorld(1, s)
	var before, after int
	w.after(time.Second, func() { w.freeze(w.workerOf(1), 8*time.Second) })
	w.after(4*time.Second, func() { before = w.updates })
	w.after(8*time.Second, func() { after = w.updates })
	if _, err := w.run(); err != nil {
		t.Fatal(err)
	}
	if after-before < 200 || w.lost > 0 {
		t.Errorf("%d updates were committed in 4 s with a stopped worker, %d incarnations lost", after-before, w.lost)
	}
}

// TestCoordinatorAway checks that a coordinator that was stopped for longer than the allowed silence takes no worker
// for dead.
func TestCoordinatorAway(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		w := toyWorld(seed, plain(5, 20))
		w.after(time.Second, func() { w.freeze(w.coord, coordination.DefaultTiming().Silence+2*time.Second) })
		if _, err := w.run(); err != nil || w.lost > 0 {
			t.Errorf("seed %d: %v, %d incarnations lost", seed, err, w.lost)
		}
	}
}

// TestBounds checks that no worker is more than Lead ahead of the slowest, and that no connected replica is behind by
// more than Lag entries per worker.
func TestBounds(t *testing.T) {
	for _, bounds := range [][2]int{{64, 5}, {3, 0}} {
		s := plain(4, 100)
		s.StepTime = 10 * time.Millisecond
		s.Config.Lag, s.Config.Lead = bounds[0], bounds[1]
		w := toyWorld(1, s)
		w.after(0, func() {
			for _, n := range w.nodes {
				if n.id == 2 {
					n.pace = 40
				}
			}
		})
		lead, behind := 0, uint64(0)
		act := w.coord.act
		w.coord.act = func(n *node, a coordination.Action) {
			if _, ok := a.(coordination.Committed); ok {
				slowest, fastest := 1<<30, 0
				for _, m := range w.machine.Members() {
					slowest, fastest = min(slowest, m.Trained), max(fastest, m.Trained)
					behind = max(behind, m.Behind)
				}
				lead = max(lead, fastest-slowest)
			}
			act(n, a)
		}
		if _, err := w.run(); err != nil {
			t.Fatal(err)
		}
		if bounds[1] > 0 && lead > bounds[1]+1 || behind > uint64(4*bounds[0])+1 {
			t.Errorf("Lag %d, Lead %d: somebody was %d minibatches ahead, and %d entries behind", bounds[0], bounds[1], lead,
				behind)
		}
		if bounds[1] == 0 && lead < 20 {
			t.Errorf("without a bound somebody was %d minibatches ahead of a worker 40 times slower", lead)
		}
	}
}

// TestLockstep checks that no worker commits more than one step ahead of a connected worker, also if one is slow or is
// replaced.
func TestLockstep(t *testing.T) {
	s := plain(4, 60)
	s.StepTime = 10 * time.Millisecond
	s.Config.Lockstep, s.Config.InFlight, s.Config.Min = true, 1, 4
	w := toyWorld(1, s)
	w.after(0, func() {
		for _, n := range w.nodes {
			if n.id == 2 {
				n.pace = 10
			}
		}
	})
	most := 0
	act := w.coord.act
	w.coord.act = func(n *node, a coordination.Action) {
		if _, ok := a.(coordination.Committed); ok {
			slowest, fastest := 1<<30, 0
			for _, m := range w.machine.Members() {
				if m.Active {
					slowest, fastest = min(slowest, m.Trained), max(fastest, m.Trained)
				}
			}
			most = max(most, fastest-slowest)
		}
		act(n, a)
	}
	if _, err := w.run(); err != nil {
		t.Fatal(err)
	}
	if w.updates < 4*59 || most > 1 {
		t.Errorf("%d updates, somebody was %d steps ahead", w.updates, most)
	}
}

// TestFailing checks that a minibatch that fails in every attempt ends the run. The error has the cause: a step's
// error, or an update that cannot be applied.
func TestFailing(t *testing.T) {
	for _, test := range []struct {
		spoil func(*coordination.Trained)
		want  string
	}{
		{func(t *coordination.Trained) { t.Err = errors.New("the score is NaN") }, "the score is NaN"},
		{func(t *coordination.Trained) { t.Payload = []byte{1, 2, 3, 4, 5} }, errToy.Error()},
	} {
		w := toyWorld(1, plain(3, 10))
		w.unchecked = true
		w.spoil = func(a coordination.Train, out *coordination.Trained) {
			if a.Partition == 1 && a.Ordinal == 4 {
				test.spoil(out)
			}
		}
		w.run()
		if w.ended == nil || !strings.Contains(w.ended.Error(), test.want) ||
			!strings.Contains(w.ended.Error(), "partition 1 failed 4 times at minibatch 4") {
			t.Errorf("the run ended with %v, %v", w.ended, w.err)
		}
	}
}

// TestVanished checks that the epoch closes without a worker that has trained its whole part and then vanished.
func TestVanished(t *testing.T) {
	s := plain(3, 30)
	s.Restart = 0
	w := toyWorld(1, s)
	gone := false
	w.spoil = func(a coordination.Train, out *coordination.Trained) {
		for _, m := range w.machine.Members() {
			if n := w.workerOf(2); !gone && m.Peer.Worker == 2 && m.Trained == w.minibatches(2) {
				gone = true
				w.after(0, func() { w.kill(n, false) })
			}
		}
	}
	w.after(0, func() { w.workerOf(2).pace = 0.5 })
	most := coordination.DefaultTiming().Silence + 10*time.Second
	if _, err := w.run(); err != nil || w.ended != nil || !gone || w.lost != 1 || w.now > most {
		t.Fatalf("after %v: %v, %v, gone: %v, %d lost", w.now, err, w.ended, gone, w.lost)
	}
}

// TestCoordinatorGone checks that workers end within 35 s after the coordinator's process was killed, and soon after
// Orphan if its machine vanished.
func TestCoordinatorGone(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		for _, c := range []struct {
			loud bool
			most time.Duration
		}{{true, 35 * time.Second}, {false, coordination.DefaultTiming().Orphan + 10*time.Second}} {
			s := plain(3, 1000)
			s.Restart = 0
			w := toyWorld(seed, s)
			w.after(5*time.Second, func() {
				w.kill(w.coord, c.loud)
				if !c.loud {
					for _, n := range w.nodes {
						n.cut = w.now + time.Hour
					}
				}
			})
			gone := 5 * time.Second
			w.after(gone+c.most, func() {
				if n := (chaos{w}).somebody(); n != nil {
					t.Errorf("seed %d: %v after the coordinator, node %d goes on", seed, c.most, n.id)
				}
				w.over = true
			})
			w.run()
		}
	}
}
