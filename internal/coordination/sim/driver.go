package sim

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/coordination"
)

// driver commands a world's coordinator, and checks its actions.
type driver struct{ *World }

// command gives the coordinator its next task: the epochs, with a settlement in the middle, then the rounds, then the
// end.
func (w driver) command(n *node) {
	if !n.alive {
		return
	}
	t := &w.want
	switch {
	case t.epoch < w.s.Epochs && w.s.Settle && t.epoch == w.s.Epochs/2 && !t.settled && t.epoch > 0:
		t.settling = true
		w.step(n, coordination.Settle{Group: w.group(w.s.Workers)})
	case t.epoch < w.s.Epochs:
		o := coordination.Open{Epoch: uint32(t.epoch)}
		if !t.began || t.settling {
			t.settling, t.began = false, true
			o.Begin, o.Params = true, w.params
			if t.epoch > 0 {
				o.Params, w.err = w.ref.Params()
			}
		}
		w.step(n, o)
	case t.round < w.s.Rounds:
		if t.start == nil {
			t.start = w.numbers.start()
			t.from = t.start
		}
		w.step(n, w.nextRound())
	default:
		w.over = true
		w.step(n, coordination.Shut{Reason: "done"})
	}
}

// group returns the smallest group size with which Depth levels suffice.
func (w driver) group(places int) int {
	depth := max(1, w.s.Depth)
	for n := 2; ; n++ {
		levels, left := 0, places
		for ; left > 1; left = (left + n - 1) / n {
			levels++
		}
		if levels <= depth {
			return n
		}
	}
}

// acts carries out an action of the coordinator's machine.
func (w driver) acts(n *node, a coordination.Action) {
	switch a.(type) {
	case coordination.Committed, coordination.EpochDone, coordination.Settled, coordination.RoundDone:
		w.longest = max(w.longest, w.now-w.moved)
		w.moved = w.now
	}
	switch a := a.(type) {
	case coordination.CatchUp:
		w.ref.CatchUp()
	case coordination.Committed:
		w.updates++
		w.history = append(w.history, committed{a.Entry, w.term, w.account(a.Entry)})
	case coordination.EpochDone:
		if int(a.Epoch) != w.want.epoch {
			w.failed(fmt.Errorf("epoch %d is done, %d was trained", a.Epoch, w.want.epoch))
		}
		if !w.unchecked {
			w.checkEpoch(a.Epoch)
		}
		w.want.epoch++
		w.later(n)
	case coordination.Settled:
		w.want.settled = true
		if err := w.numbers.settles(w.ref, a); err != nil {
			w.failed(err)
		}
		w.later(n)
	case coordination.RoundDone:
		w.roundDone(a)
		w.later(n)
	case coordination.RoundLost:
		w.want.repeat()
		w.later(n)
	case coordination.Lost:
		w.lost++
		if a.Violation {
			w.failed(fmt.Errorf("%v broke the protocol: %s", a.Peer, a.Reason))
		}
		w.trace.note(w.now, "lost %v: %s", a.Peer, a.Reason)
	case coordination.Stalled:
		w.stalls++
		if len(a.Awaited) == 0 {
			w.failed(fmt.Errorf("a stalled run names nobody: %v", a))
		}
		w.trace.note(w.now, "stalled: %v", a)
	case coordination.Save:
		if err := w.numbers.saves(a.Checkpoint); err != nil {
			w.failed(err)
		}
		w.saved = &save{a.Checkpoint.Append(nil, jobID), committedIn(a.Checkpoint), w.want}
	case coordination.Failed:
		w.ended, w.over = a.Err, true
	}
}

// later gives the next command after the machine's present step.
func (w driver) later(n *node) {
	w.after(0, func() { w.command(n) })
}

// restart ends the coordinator. Another one begins from the last checkpoint.
func (w driver) restart() {
	w.restarts++
	w.kill(w.coord, w.random.Intn(2) == 0)
	w.after(w.upTo(w.s.Restart)+1, func() {
		if w.over {
			return
		}
		kept := 0
		w.want = task{}
		if w.saved != nil {
			kept, w.want = w.saved.history, w.saved.want
			w.want.repeat()
		}
		for _, c := range w.history[kept:] {
			if c.by != nil {
				c.by.rollsBack(c.entry, c.term)
			}
		}
		w.history = w.history[:kept]
		w.startCoordinator()
	})
}
