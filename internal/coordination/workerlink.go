package coordination

import "fmt"

// controlLink is the worker's link to the coordinator.
type controlLink struct {
	link   Link
	up     bool // the coordinator has welcomed it on this link
	since  Time // of the dial
	heard  Time
	again  Time   // when to dial anew; 0: not needed
	reason string // the last that is known
	lost   Time   // since when there is nobody who has welcomed it
	empty  Time   // since when nobody listens at its address
	head   uint64
	said   Time // the last Beat
}

func (w *Worker) dial() {
	w.control.link = w.newLink()
	w.control.up, w.control.since, w.control.again = false, w.now, 0
	w.do(Dial{w.control.link, w.conf.Coordinator})
}

// hangUp ends the link to the coordinator; a new one comes after a while.
func (w *Worker) hangUp() {
	w.close(w.control.link)
	if w.control.link, w.control.up = 0, false; w.control.lost == 0 {
		w.control.lost = w.now
	}
	w.control.again = w.now + w.conf.Timing.Redial
}

func (w *Worker) connected(l Link) {
	switch l {
	case w.control.link:
		w.control.empty = 0
		h := &Hello{Job: w.conf.Job, Nonce: w.conf.Nonce, Attempt: w.conf.Attempt, Shares: w.conf.Shares,
			Address: w.conf.Address}
		if w.active { // one that has not begun has nothing to go on with
			h.Term, h.Incarnation = w.term, w.peer.Incarnation
		}
		w.send(l, h)
	case w.parent.link:
		w.parent.attach(w)
	default:
		if t := w.targetAt(l); t != nil {
			t.up, t.since, t.failed = true, w.now, 0
			w.handAll(t)
		}
	}
}

func (w *Worker) broken(e Broken) {
	switch l := e.Link; l {
	case w.control.link:
		if !e.Refused {
			w.control.empty = 0
		} else if w.control.empty == 0 {
			w.control.empty = w.now
		}
		w.control.link, w.control.reason = 0, "it cannot be reached, or the link breaks"
		w.hangUp()
	case w.parent.link:
		w.parent.link = 0
		w.parent.complain(w, true)
	default:
		if t := w.targetAt(l); t != nil {
			t.broken(w)
			return
		}
		w.relay.broken(l)
	}
}

// alive notes that something large is on its way.
func (w *Worker) alive(l Link) {
	if l == w.control.link {
		w.control.heard = w.now
	}
	if l == w.control.link && w.parent.peer.Incarnation == 0 || l == w.parent.link {
		w.parent.came = w.now
	}
	w.relay.alive(l, w.now)
}

// receive takes a message of a link: of the coordinator, of the parent, or of another worker.
func (w *Worker) receive(l Link, msg Message) {
	if l == w.control.link {
		w.control.heard = w.now
		w.fromCoordinator(msg)
		return
	}
	switch msg := msg.(type) {
	case *Log:
		if l == w.parent.link {
			w.extend(msg)
		}
	case *Behind:
		if l == w.parent.link {
			w.parent.drop(w)
			w.parent.complain(w, true)
		}
	case *Attach:
		w.relay.attach(w, l, msg)
	case *Part:
		if msg.Term != w.term || msg.To != w.peer {
			w.close(l) // it is for another life: an earlier one, or one of which this worker does not know yet
			w.relay.broken(l)
			return
		}
		w.relay.giver(l)
		w.gathering.take(w, msg)
		w.send(l, &Got{msg.Gather, msg.Level, msg.Index})
	case *Got:
		if t := w.targetAt(l); t != nil {
			w.gathering.got(t, msg)
		}
	default:
		w.close(l)
		w.broken(Broken{Link: l})
	}
}

func (w *Worker) fromCoordinator(msg Message) {
	switch msg := msg.(type) {
	case *Welcome:
		w.welcome(msg)
	case *Refuse:
		if msg.Final {
			w.fail(fmt.Errorf("gradient sharing: the coordinator %s refuses this worker: %s", w.conf.Coordinator, msg.Reason))
			return
		}
		w.control.reason = "it refuses: " + msg.Reason
		w.hangUp()
	case *Bye:
		if msg.Final {
			w.ended = true
			w.closeAll()
			w.do(Done{msg.Reason})
			return
		}
		w.barred = true
		w.hangUp()
	case *Snapshot:
		if w.peer.Incarnation != 0 && !w.active {
			w.begin = msg
			w.follows(msg.Position)
		}
	case *Pulse:
		w.pulse(msg)
	case *StateRequest:
		w.askedFor = msg
	case *Follow:
		w.parent.follow(w, msg)
	case *Log:
		if w.parent.known && w.parent.peer.Incarnation == 0 {
			w.extend(msg)
		}
	case *Part:
		if msg.Term == w.term && msg.To == w.peer {
			w.gathering.take(w, msg)
		}
	case *Target:
		w.setTarget(msg)
	default:
		w.hangUp()
	}
}

// welcome is the coordinator's answer to a greeting.
func (w *Worker) welcome(m *Welcome) {
	w.control.up, w.control.lost = true, 0
	if m.Resumed {
		for _, u := range w.pending {
			w.send(w.control.link, u)
		}
		w.handLast()
		w.announced = true
		return
	}
	w.fresh(m.Committed)
	w.term, w.peer = m.Term, m.Peer
	if m.Fresh {
		clear(w.next)
		w.follows(m.Position)
	}
}

// follows begins with an empty log behind a position.
func (w *Worker) follows(position uint64) {
	w.active = true
	w.log.reset(position)
	w.applied, w.reported, w.keep = position, position, position+1
	w.control.head = position
}

func (w *Worker) pulse(p *Pulse) {
	w.control.head = max(w.control.head, p.Head)
	w.reportAfter = max(1, p.Report)
	w.setKeep(p.Keep)
}

// tick looks at every wait, and says that it lives.
func (w *Worker) tick() {
	t := &w.conf.Timing
	c := &w.control
	if gap := w.now - w.ticked; gap > t.Quiet { // it was stopped: what came meanwhile may come after this tick
		c.heard, c.since, w.parent.came = c.heard+gap, c.since+gap, w.parent.came+gap
		w.since += gap
		if c.lost != 0 {
			c.lost += gap
		}
		if c.empty != 0 {
			c.empty += gap
		}
	}
	w.ticked = w.now
	switch {
	case c.empty != 0 && w.now-c.empty > t.Orphan/2:
		w.fail(fmt.Errorf("gradient sharing: nobody has listened at the coordinator's address %s for %v: its process has "+
			"ended", w.conf.Coordinator, t.Orphan/2))
		return
	case c.lost != 0 && w.now-c.lost > t.Orphan:
		w.fail(fmt.Errorf("gradient sharing: the coordinator %s has not taken this worker on for %v: %s",
			w.conf.Coordinator, t.Orphan, c.reason))
		return
	case w.now-c.heard > t.Orphan:
		w.fail(fmt.Errorf("gradient sharing: nothing was heard of the coordinator %s for %v: it is gone, or it cannot be "+
			"reached from here", w.conf.Coordinator, t.Orphan))
		return
	case w.running != 0 && w.now-w.since > t.Step:
		w.fail(fmt.Errorf("gradient sharing: a step of %v has run for %v and has not ended", w.peer, t.Step))
		return
	case c.link == 0:
		if w.now >= c.again {
			w.dial()
		}
	case w.now-max(c.heard, c.since) > t.Silence:
		w.hangUp()
	case c.up && w.now-c.said >= t.Beat:
		w.announced = true
	}
	w.parent.tick(w)
	w.redial()
	w.relay.tick(w)
}

func (w *Worker) beat() {
	w.announced = false
	if !w.control.up {
		return
	}
	w.control.said, w.reported = w.now, w.applied
	w.send(w.control.link, &Beat{Received: w.log.head(), Applied: w.applied, Gathered: w.gathering.given,
		Lacks: w.gathering.lacks})
}
