package coordination

import "slices"

// targetLinks are the ways to the places that this worker gives to.
type targetLinks struct{ all []*targetLink }

// targetLink is the way to a place of a gathering that this worker gives to.
type targetLink struct {
	place   int
	gather  uint64
	peer    Peer
	named   string // its address, as the coordinator says
	address string // the same, or empty: by way of the coordinator
	link    Link
	up      bool
	since   Time // of the dial, or when something was last sent
	wait    Time // for an answer; it doubles each time
	again   Time // when to dial again, if link is 0
	failed  int  // dials in a row
}

// broken tries again after a while. What can't be reached is given to by way of the coordinator.
func (t *targetLink) broken(w *Worker) {
	if !t.up {
		t.failed++
	}
	if t.link, t.up, t.again = 0, false, w.now+w.conf.Timing.Redial; t.failed >= maxFailures {
		t.address = ""
		w.targets.handAll(w, t)
	}
}

// set takes what the coordinator says of a place's owner. It is also said again when something may have been
// lost.
func (l *targetLinks) set(w *Worker, m *Target) {
	t := l.of(int(m.Position))
	if t == nil {
		t = &targetLink{place: int(m.Position)}
		l.all = append(l.all, t)
	}
	if t.peer != m.Peer || t.named != m.Address {
		w.close(t.link)
		*t = targetLink{place: t.place, peer: m.Peer, named: m.Address, address: m.Address, wait: w.conf.Timing.Silence}
		for i := range w.gathering.out {
			if o := &w.gathering.out[i]; o.to == t.place {
				o.got, o.detour = false, false
			}
		}
	}
	repeated := t.gather == m.Gather
	for i := range w.gathering.out { // the coordinator may have lost the messages that it was to pass on
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

// hand sends a part on its way, or gets the way made, on which handAll will send it. Where that has failed, the part
// goes by way of the coordinator meanwhile, once.
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
			w.send(w.control.link, &named)
		}
	case t.up:
		t.since = w.now
		w.send(t.link, &named)
	default:
		if t.failed > 0 && w.control.up && !o.detour {
			o.detour = true
			w.send(w.control.link, &named)
		}
		if t.link == 0 && w.now >= t.again {
			t.link, t.since = w.newLink(), w.now
			w.do(Dial{t.link, t.address})
		}
	}
}

// handAll hands all parts for a place on again.
func (l *targetLinks) handAll(w *Worker, t *targetLink) {
	for i := range w.gathering.out {
		if o := &w.gathering.out[i]; o.to == t.place && o.part.Gather == t.gather && !o.got {
			l.hand(w, o)
		}
	}
}

// owed says whether something for the place was not answered.
func (t *targetLink) owed(w *Worker) bool {
	return slices.ContainsFunc(w.gathering.out, func(o outgoing) bool {
		return o.to == t.place && o.part.Gather == t.gather && !o.got
	})
}

// handLast sends the sum for the coordinator again, on a new link.
func (l *targetLinks) handLast(w *Worker) {
	for i := range w.gathering.out {
		if o := &w.gathering.out[i]; o.to < 0 {
			l.hand(w, o)
		}
	}
}

// redial goes on with what could not be sent, or was not answered.
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
