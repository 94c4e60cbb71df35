package sim

import (
	"time"
)

// chaos causes faults in a world.
type chaos struct{ *World }

// disturb causes a fault now, drawn from the seed.
func (w chaos) disturb() {
	w.faults++
	switch k := w.random.Intn(100); {
	case k < 30:
		w.killSomebody()
	case k < 45:
		w.breakSomething()
	case k < 58:
		if n := w.somebody(); n != nil {
			w.trace.note(w.now, "stop node %d", n.id)
			w.freeze(n, w.long())
		}
	case k < 70:
		if n := w.somebody(); n != nil {
			w.cutOff(n)
		}
	case k < 75:
		if a, b := w.somebody(), w.somebody(); a != b {
			w.trace.note(w.now, "nothing between nodes %d and %d", a.id, b.id)
			w.net.severed[[2]int{min(a.id, b.id), max(a.id, b.id)}] = w.now + 2*w.long()
		}
	case k < 83:
		if n := w.somebody(); n != nil {
			n.pace = []float64{0.2, 1, 3, 10, 30}[w.random.Intn(5)]
			n.far = []time.Duration{0, 0, 50 * time.Millisecond, 400 * time.Millisecond}[w.random.Intn(4)]
			w.trace.note(w.now, "node %d takes %v times as long, its messages %v longer", n.id, n.pace, n.far)
		}
	case k < 88:
		w.secondAttempt()
	case k < 94:
		w.trace.note(w.now, "stop the coordinator")
		w.freeze(w.coord, w.long())
	default:
		if w.coord.alive {
			w.trace.note(w.now, "the coordinator ends")
			driver(w).restart()
		}
	}
}

// long draws the length of a stop or a cut: shorter or longer than the machines' patience.
func (w chaos) long() time.Duration {
	t := w.s.Config.Timing
	return []time.Duration{t.Beat, t.Quiet + t.Beat, t.Silence * 2, t.Reconnect}[w.random.Intn(4)]/2 + w.upTo(t.Silence)
}

// somebody draws a live worker process, or nil if there is none.
func (w chaos) somebody() *node {
	var all []*node
	for _, n := range w.nodes {
		if n.alive && n.worker != nil {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[w.random.Intn(len(all))]
}

// killSomebody ends a worker. Either its peers notice, or it disappears without a word.
func (w chaos) killSomebody() {
	n := w.somebody()
	if n == nil {
		return
	}
	loud := w.random.Intn(3) > 0
	w.trace.note(w.now, "kill node %d", n.id)
	w.kill(n, loud)
	w.replace(n)
}

// breakSomething breaks one of a worker's connections, or all. Sometimes only one end notices.
func (w chaos) breakSomething() {
	n := w.somebody()
	if n == nil || len(n.order) == 0 {
		return
	}
	all := w.random.Intn(3) == 0
	one := n.order[w.random.Intn(len(n.order))]
	tell := [2]bool{true, true}
	if k := w.random.Intn(4); k < 2 {
		tell[k] = false
	}
	w.trace.note(w.now, "break connections of node %d", n.id)
	for _, c := range n.order {
		if (all || c == one) && (c.open[0] || c.open[1]) {
			w.net.snap(c, tell)
		}
	}
}

// cutOff stops all traffic to and from a worker for a while. Its connections wait, or break.
func (w chaos) cutOff(n *node) {
	d := w.long()
	n.cut = max(n.cut, w.now+d)
	w.trace.note(w.now, "cut node %d off for %v", n.id, d)
	if w.random.Intn(2) == 0 {
		return
	}
	for _, c := range n.order {
		if c.open[0] && c.open[1] {
			w.net.snap(c, [2]bool{true, true})
		}
	}
}

// nextAttempt draws the increase of a task's attempt number: Spark repeats some tasks under their old number.
func (w *World) nextAttempt() uint32 { return uint32(w.random.Intn(2)) }

// secondAttempt starts another process for a task while the first one lives, like a scheduler that has lost sight of
// it.
func (w chaos) secondAttempt() {
	n := w.somebody()
	if n == nil {
		return
	}
	for _, o := range w.nodes {
		if o.worker != nil && o.shares[0] == n.shares[0] && o.attempt > n.attempt {
			return
		}
	}
	w.trace.note(w.now, "a second attempt beside node %d", n.id)
	w.startWorker(int(n.shares[0].Partition)/w.s.PerWorker, n.attempt+w.nextAttempt())
}

// aim is a fault at an exact point: at a node's n-th event, after the first few of its machine's actions. So a worker
// may end between sending and committing, or after it has relayed to one child but not to the other.
type aim struct {
	node, event, actions int
	strike               func(*World, *node) // nil: no such fault
	struck               bool
}

func (a *aim) hits(n *node, action int) bool {
	if a.strike == nil || a.struck || n.id != a.node || n.events < a.event || action < a.actions {
		return false
	}
	a.struck = true
	return true
}
