package sim

import (
	"fmt"
	"io"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/random"
)

// Random runs the schedule of a seed: a scenario and faults that are drawn from it. Print, if not nil, gets the trace.
// An error names the seed and the fault.
func Random(seed uint64, print io.Writer) (Result, error) { return drawn(seed, print, false) }

// Traced is Random with a hash of every event and action, including every byte of their messages. Two versions of the
// machines with the same hashes behave in the same way.
func Traced(seed uint64) (Result, error) { return drawn(seed, nil, true) }

func drawn(seed uint64, print io.Writer, whole bool) (Result, error) {
	w := schedule(seed, func(w *World) numbers { return toys{w} }, print)
	w.trace.whole = whole
	result, err := w.run()
	if err == nil && w.ended != nil {
		err = fmt.Errorf("the run failed: %w", w.ended)
	}
	if err != nil {
		err = fmt.Errorf("seed %d: %w", seed, err)
	}
	return result, err
}

// schedule draws a world and its faults.
func schedule(seed uint64, of func(*World) numbers, print io.Writer) *World {
	r := random.NewSource(random.Mix(seed, 3))
	pick := func(n ...int) int { return n[r.Intn(len(n))] }
	s := Scenario{
		Workers: pick(1, 2, 2, 3, 4, 5, 7), PerWorker: pick(1, 1, 1, 2), Minibatches: pick(3, 6, 10),
		Epochs: pick(0, 1, 1, 2),
		Settle: r.Intn(2) == 0, Rounds: pick(0, 0, 2, 4), Depth: pick(1, 2, 3),
		Config: coordination.Config{
			Min: 1, Mode: coordination.Mode(r.Intn(2)), Fanout: pick(1, 2, 3), InFlight: pick(1, 2, 4),
			Lag: pick(2, 8, 64), Lead: pick(0, 3, 256),
			Batch: pick(1, 200, 1<<18), Statistics: pick(2, 5), Retain: pick(2000, 1<<20, 1<<20),
			Checkpoint: time.Duration(pick(0, 500, 2000)) * time.Millisecond,
		},
		Wire: Wire{Latency: time.Duration(pick(1, 10, 1000)) * 100 * time.Microsecond,
			Jitter: time.Duration(pick(1, 10, 500)) * 100 * time.Microsecond},
		StepTime: time.Duration(pick(1, 20, 100)) * 5 * time.Millisecond,
		Join:     time.Duration(pick(1, 100, 3000)) * time.Millisecond,
		Restart:  time.Duration(pick(1, 4)) * 700 * time.Millisecond,
		Codec:    r.Intn(8) == 0,
	}
	if r.Intn(6) == 0 { // some workers can't be reached, and may or may not know it
		s.Addresses = [][]string{{"none"}, {"none", ""}, {"nowhere", "", ""}, {"nowhere"}}[r.Intn(4)]
	}
	if s.Config.Lockstep = r.Intn(3) == 0; s.Config.Lockstep {
		s.Config.InFlight = 1
		s.Config.Summed = random.Mix(seed, 17)%2 == 0
	}
	if r.Intn(4) == 0 { // large payloads: a release then takes several messages, which take time
		s.Padding, s.Measure, s.Wire.Bandwidth = pick(300, 3000), true, float64(pick(1, 10))*1e5
	}
	if s.Epochs == 0 && s.Rounds == 0 {
		s.Epochs = 1
	}
	s.Config.Constrained = r.Intn(3) == 0
	if random.Mix(seed, 23)%2 == 0 {
		s.Sliced, s.Every = true, int(random.Mix(seed, 24)%4)
	}
	w := newWorld(seed, s, of, print)
	if r.Intn(4) == 0 {
		w.aim = aim{node: 1 + r.Intn(s.Workers), event: r.Intn(200), actions: r.Intn(4), strike: func(w *World, n *node) {
			if n.worker == nil {
				return // a coordinator that started later
			}
			w.faults++
			w.trace.note(w.now, "kill node %d at its event %d", n.id, n.events)
			w.kill(n, w.random.Intn(3) > 0)
			w.replace(n)
		}}
	}
	at := time.Duration(0)
	for range pick(0, 1, 2, 3, 5, 8, 15) {
		at += w.upTo(time.Duration(pick(1, 10, 40)) * 200 * time.Millisecond)
		w.after(at, func() {
			if !w.over {
				chaos{w}.disturb()
			}
		})
	}
	return w
}
