package coordination

import "fmt"

// controlLink is the worker's link to the coordinator.
type controlLink struct {
	link   Link
	up     bool // the coordinator has welcomed it on this link
	since  Time // since the dial
	heard  Time
	again  Time   // when to dial again; 0: not needed
	reason string // for the lack of a coordinator, the last known
	lost   Time   // since when it has lacked a coordinator; 0: it has one
	empty  Time   // since when nothing listens at its address
	head   uint64
	said   Time // the last Beat
}

// dial calls the coordinator.
func (c *controlLink) dial(w *Worker) {
	c.link = w.newLink()
	c.up, c.since, c.again = false, w.now, 0
	w.do(Dial{c.link, w.conf.Coordinator})
}

// hangUp closes the link to the coordinator and schedules a redial.
func (c *controlLink) hangUp(w *Worker) {
	w.close(c.link)
	if c.link, c.up = 0, false; c.lost == 0 {
		c.lost = w.now
	}
	c.again = w.now + w.conf.Timing.Redial
}

// greet sends the Hello.
func (c *controlLink) greet(w *Worker) {
	c.empty = 0
	h := &Hello{Job: w.conf.Job, Nonce: w.conf.Nonce, Attempt: w.conf.Attempt, Shares: w.conf.Shares,
		Address: w.conf.Address}
	if w.active { // a worker that has not begun has no life to resume
		h.Term, h.Incarnation = w.term, w.peer.Incarnation
	}
	w.send(c.link, h)
}

// broken notes that the link has ended, and since when nothing listens at the address.
func (c *controlLink) broken(w *Worker, refused bool) {
	if !refused {
		c.empty = 0
	} else if c.empty == 0 {
		c.empty = w.now
	}
	c.link, c.reason = 0, "it cannot be reached, or the link breaks"
	c.hangUp(w)
}

// receive handles a message of the coordinator.
func (c *controlLink) receive(w *Worker, msg Message) {
	switch msg := msg.(type) {
	case *Welcome:
		c.welcome(w, msg)
	case *Refuse:
		if msg.Final {
			w.fail(fmt.Errorf("gradient sharing: the coordinator %s refuses this worker: %s", w.conf.Coordinator, msg.Reason))
			return
		}
		c.reason = "it refuses: " + msg.Reason
		c.hangUp(w)
	case *Bye:
		if msg.Final {
			w.ended = true
			w.closeAll()
			w.do(Done{msg.Reason})
			return
		}
		w.barred = true
		c.hangUp(w)
	case *Snapshot:
		if w.peer.Incarnation != 0 && !w.active {
			w.begin = msg
			w.follows(msg.Position)
		}
	case *Pulse:
		c.pulse(w, msg)
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
		w.targets.set(w, msg)
	default:
		c.hangUp(w)
	}
}

// welcome handles the coordinator's answer to a greeting.
func (c *controlLink) welcome(w *Worker, m *Welcome) {
	c.up, c.lost = true, 0
	if m.Resumed {
		for _, u := range w.pending {
			w.send(c.link, u)
		}
		w.targets.handLast(w)
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

func (c *controlLink) pulse(w *Worker, p *Pulse) {
	c.head = max(c.head, p.Head)
	w.reportAfter = max(1, p.Report)
	w.setKeep(p.Keep)
}

// stopped moves all times forward by a pause of the whole worker: messages of that time may come after this tick.
func (c *controlLink) stopped(gap Time) {
	c.heard, c.since = c.heard+gap, c.since+gap
	if c.lost != 0 {
		c.lost += gap
	}
	if c.empty != 0 {
		c.empty += gap
	}
}

// orphaned returns an error if the coordinator seems to be gone.
func (c *controlLink) orphaned(w *Worker) error {
	t := &w.conf.Timing
	switch {
	case c.empty != 0 && w.now-c.empty > t.Orphan/4:
		return fmt.Errorf("gradient sharing: nobody has listened at the coordinator's address %s for %v: its process has "+
			"ended", w.conf.Coordinator, t.Orphan/4)
	case c.lost != 0 && w.now-c.lost > t.Orphan:
		return fmt.Errorf("gradient sharing: the coordinator %s has not taken this worker on for %v: %s",
			w.conf.Coordinator, t.Orphan, c.reason)
	case w.now-c.heard > t.Orphan:
		return fmt.Errorf("gradient sharing: nothing was heard of the coordinator %s for %v: it is gone, or it cannot be "+
			"reached from here", w.conf.Coordinator, t.Orphan)
	}
	return nil
}

// tick redials, closes a silent link, or has a Beat sent.
func (c *controlLink) tick(w *Worker) {
	t := &w.conf.Timing
	switch {
	case c.link == 0:
		if w.now >= c.again {
			c.dial(w)
		}
	case w.now-max(c.heard, c.since) > t.Silence:
		c.hangUp(w)
	case c.up && w.now-c.said >= t.Beat:
		w.announced = true
	}
}

// beat tells the coordinator how far the worker is.
func (c *controlLink) beat(w *Worker) {
	w.announced = false
	if !c.up {
		return
	}
	c.said, w.reported = w.now, w.applied
	w.send(c.link, &Beat{Received: w.log.head(), Applied: w.applied, Gathered: w.gathering.given,
		Lacks: w.gathering.lacks})
}
