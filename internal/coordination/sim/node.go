package sim

import (
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// machine is a coordinator or a worker.
type machine interface {
	Step(now coordination.Time, e coordination.Event) []coordination.Action
}

// node is a process: the coordinator's, or a worker's.
type node struct {
	id       int
	name     string // its address
	machine  machine
	act      func(*node, coordination.Action) // carries out the machine's other actions
	alive    bool
	stranger bool // it belongs to no job
	born     time.Duration

	frozen time.Duration // stopped until then
	missed []happening   // while it was stopped
	cut    time.Duration // cut off until then
	pace   float64       // of its steps: 1 is usual
	far    time.Duration // extra delay of its messages

	events   int // events so far
	accepted uint64
	conns    map[coordination.Link]*conn
	order    []*conn

	clock          *clock
	wire           float64       // bandwidth
	out, in        time.Duration // when its network card is free
	sent, received float64       // bytes

	worker  *coordination.Worker
	replica trackedReplica
	attempt uint32
	shares  []coordination.Share
	busy    bool // a step runs
}

// conn returns the connection of a link, and which end of it the node is.
func (n *node) conn(l coordination.Link) (*conn, int) {
	c := n.conns[l]
	if c == nil {
		return nil, 0
	}
	if c.ends[0] == n && c.links[0] == l {
		return c, 0
	}
	return c, 1
}

// happen handles a due happening.
func (w *World) happen(h happening) {
	if h.what == calls {
		h.do()
		return
	}
	n := h.node
	if !n.alive {
		return
	}
	if h.what == ticks {
		w.add(happening{at: w.now + w.tickEvery, what: ticks, node: n})
	}
	if w.now < n.frozen {
		if h.what != ticks {
			n.missed = append(n.missed, h)
		}
		return
	}
	if c := h.conn; c != nil {
		if h.what == isSent {
			c.logs[h.end]--
		}
		if !c.open[h.end] || c.broken && h.what != breaks {
			return
		}
		if h.what == breaks {
			c.open[h.end] = false
		}
	}
	switch h.what {
	case ticks:
		w.step(n, coordination.Tick{})
	case arrives:
		w.step(n, coordination.Received{Link: h.conn.links[h.end], Message: h.msg})
	case ends:
		n.busy = false
		w.step(n, h.event)
	default:
		w.step(n, h.event)
	}
}

// step gives a node's machine an event, and carries out the resulting actions.
func (w *World) step(n *node, e coordination.Event) {
	w.steps++
	w.trace.event(w.now, n.id, e)
	n.events++
	for i, a := range n.machine.Step(w.now, e) {
		w.trace.action(w.now, n.id, a)
		if w.aim.hits(n, i) {
			w.aim.strike(w, n)
			if !n.alive {
				return
			}
		}
		switch a := a.(type) {
		case coordination.Dial:
			w.net.dial(n, a.Link, a.Address)
		case coordination.Send:
			w.net.send(n, a.Link, a.Message)
		case coordination.Close:
			w.net.shut(n, a.Link)
		default:
			n.act(n, a)
		}
		if !n.alive {
			return
		}
	}
}

// freeze stops a node for a time.
func (w *World) freeze(n *node, d time.Duration) {
	n.frozen = max(n.frozen, w.now+d)
	w.after(d, func() {
		if !n.alive || w.now < n.frozen {
			return
		}
		missed := n.missed
		n.missed = nil
		if w.random.Intn(2) == 0 {
			w.step(n, coordination.Tick{}) // its clock may run before it reads messages
		}
		for _, h := range missed {
			w.happen(h)
		}
	})
}

// kill ends a node. Loud: its peers notice.
func (w *World) kill(n *node, loud bool) {
	if !n.alive {
		return
	}
	n.alive = false
	if w.net.listen[n.name] == n {
		delete(w.net.listen, n.name)
	}
	for _, c := range n.order {
		w.net.snap(c, [2]bool{loud && c.ends[0] != n, loud && c.ends[1] != n})
	}
	if n.replica != nil {
		n.replica.die()
	}
}
