package sim

import (
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// TestRecovery checks the default times. A worker that was killed, stopped for 5 s or cut off for 5 s, and whose task
// is restarted after 1 s, must be back at work within 10 s of the fault's end. The others never wait that long.
func TestRecovery(t *testing.T) {
	for _, fault := range []struct {
		name  string
		lasts time.Duration
		do    func(*World, *node)
	}{
		{"killed", 0, func(w *World, n *node) { w.kill(n, true); w.replace(n) }},
		{"gone without a word", coordination.DefaultTiming().Silence,
			func(w *World, n *node) { w.kill(n, false); w.replace(n) }},
		{"stopped", 5 * time.Second, func(w *World, n *node) { w.freeze(n, 5*time.Second) }},
		{"cut off", 5 * time.Second, func(w *World, n *node) { n.cut = w.now + 5*time.Second }},
		{"cut off, links broken", 5 * time.Second, func(w *World, n *node) {
			n.cut = w.now + 5*time.Second
			for _, c := range n.order {
				w.net.snap(c, [2]bool{true, true})
			}
		}},
	} {
		for mode := coordination.Plain; mode <= coordination.Mesh; mode++ {
			s := plain(4, 1500)
			s.StepTime = 10 * time.Millisecond
			s.Config.Mode, s.Config.Fanout, s.Config.Lead = mode, 2, coordination.DefaultLead
			w := toyWorld(1, s)
			var last, longest [4]time.Duration
			act := w.coord.act
			w.coord.act = func(n *node, a coordination.Action) {
				if c, ok := a.(coordination.Committed); ok {
					p := c.Entry.Partition
					longest[p] = max(longest[p], w.now-last[p])
					last[p] = w.now
				}
				act(n, a)
			}
			w.after(2*time.Second, func() { fault.do(w, w.workerOf(0)) })
			if _, err := w.run(); err != nil || w.ended != nil {
				t.Fatalf("%s, mode %d: %v, %v", fault.name, mode, err, w.ended)
			}
			t.Logf("%s, mode %d: partitions were without progress for at most %v", fault.name, mode, longest)
			if longest[0] > fault.lasts+10*time.Second || max(longest[1], longest[2], longest[3]) > 10*time.Second {
				t.Errorf("%s, mode %d: that is too long", fault.name, mode)
			}
		}
	}
}
