package coordination

import "slices"

// targetLinks are the links to the places to which this worker gives parts.
type targetLinks struct{ all []*targetLink }

// targetLink is the link to a place to which this worker gives parts.
type targetLink struct {
	place   int
	gather  uint64
	peer    Peer
	named   string // the owner's address, as the coordinator says
	address string // the same, or empty: by way of the coordinator
	link    Link
	up      bool
	since   Time // since the dial, or the last message sent
	wait    Time // for an answer; doubles each time
	again   Time // when to dial again, if link is 0
	failed  int  // dials in a row
}

// broken schedules a redial. After maxFailures dials, the parts go by way of the coordinator.
func (t *targetLink) broken(w *Worker) {
	if !t.up {
		t.failed++
	}
	if t.link, t.up, t.again = 0, false, w.now+w.conf.Timing.Redial; t.failed >= maxFailures {
		t.address = ""
		w.targets.handAll(w, t)
	}
}

// set records the owner of a place, as the coordinator names it. The coordinator repeats a Target when messages may
// have been lost.
func (l *targetLinks) set(w *Worker, m *Target) {
	t := l.of(int(m.Position))
	if t == nil {
		t = &targetLink{place: int(m.Position)}
		l.all = append(l.all, t)
	}
	if t.peer != m.Peer || t.named != m.Address {
		w.close(t.link)
		*t = targetLink{place: t.place, peer: m.Peer, named: m.Address, address: m.Address,
			wait: min(w.conf.Timing.Silence, w.conf.Timing.State)} // then it dials again, which loses nothing
		for i := range w.gathering.out {
			if o := &w.gathering.out[i]; o.to == t.place {
				o.got, o.detour = false, false
			}
		}
	}
	repeated := t.gather == m.Gather
	for i := range w.gathering.out { // the coordinator may have lost the messages that it had to relay
		if o := &w.gathering.out[i]; repeated && o.to == t.place {
			o.detour = false
		}
	}
	t.gather = m.Gather
	if !repeated || t.address == "" || t.link == 0 {
		l.handAll(w, t)
	}
}

func (l *targetLinks) of(place int) *targetLink {
	for _, t := range l.all {
		if t.place == place {
			return t
		}
	}
	return nil
}

func (l *targetLinks) at(link Link) *targetLink {
	for _, t := range l.all {
		if t.link == link && link != 0 {
			return t
		}
	}
	return nil
}

// hand sends a part to its place. If there is no link yet, it dials; handAll sends the part once the link is up. After
// a failed dial, the part meanwhile goes by way of the coordinator, once.
func (l *targetLinks) hand(w *Worker, o *outgoing) {
	if o.to < 0 {
		if w.control.up {
			w.send(w.control.link, o.part)
		}
		return
	}
	t := l.of(o.to)
	if t == nil || t.gather != o.part.Gather {
		return // the coordinator will name the owner
	}
	named := *o.part
	named.To = t.peer
	switch {
	case t.address == "":
		if w.control.up {
			o.sent++
			w.send(w.control.link, &named)
		}
	case t.up:
		t.since = w.now
		o.sent++
		w.send(t.link, &named)
	default:
		if t.failed > 0 && w.control.up && !o.detour {
			o.detour = true
			o.sent++
			w.send(w.control.link, &named)
		}
		if t.link == 0 && w.now >= t.again {
			t.link, t.since = w.newLink(), w.now
			w.do(Dial{t.link, t.address})
		}
	}
}

// handAll sends all unconfirmed parts for a place.
func (l *targetLinks) handAll(w *Worker, t *targetLink) {
	for i := range w.gathering.out {
		if o := &w.gathering.out[i]; o.to == t.place && o.part.Gather == t.gather && !o.got {
			l.hand(w, o)
		}
	}
}

// owed reports whether a part for the place is unconfirmed.
func (t *targetLink) owed(w *Worker) bool {
	return slices.ContainsFunc(w.gathering.out, func(o outgoing) bool {
		return o.to == t.place && o.part.Gather == t.gather && !o.got
	})
}

// handLast sends the parts for the coordinator again, on its new link.
func (l *targetLinks) handLast(w *Worker) {
	for i := range w.gathering.out {
		if o := &w.gathering.out[i]; o.to < 0 {
			l.hand(w, o)
		}
	}
}

// redial gives up links that do not connect or answer in time, and sends parts that wait for a link.
func (l *targetLinks) redial(w *Worker) {
	for _, t := range l.all {
		if t.link != 0 && w.now-t.since > t.wait && (!t.up || t.owed(w)) {
			w.close(t.link)
			t.wait *= 2
			t.broken(w)
		}
		if t.link == 0 && t.address != "" {
			l.handAll(w, t)
		}
	}
}

func (l *targetLinks) drop(w *Worker) {
	for _, t := range l.all {
		w.close(t.link)
	}
	l.all = nil
}
