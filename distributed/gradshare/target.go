package gradshare

// targetLink is the way to a place of a gathering that this worker gives to.
type targetLink struct {
	place   int
	gather  uint64
	peer    Peer
	address string // empty: by way of the coordinator
	link    Link
	up      bool
	again   Time // when to dial anew, if link is 0
}

// setTarget takes what the coordinator says of a place's owner. It is also said again when something may have been lost.
func (w *Worker) setTarget(m *Target) {
	t := w.targetOf(int(m.Position))
	if t == nil {
		t = &targetLink{place: int(m.Position)}
		w.targets = append(w.targets, t)
	}
	if t.peer != m.Peer || t.address != m.Address {
		w.close(t.link)
		*t = targetLink{place: t.place, peer: m.Peer, address: m.Address}
	}
	t.gather = m.Gather
	if t.address == "" || t.link == 0 {
		w.handAll(t)
	}
}

func (w *Worker) targetOf(place int) *targetLink {
	for _, t := range w.targets {
		if t.place == place {
			return t
		}
	}
	return nil
}

func (w *Worker) targetAt(l Link) *targetLink {
	for _, t := range w.targets {
		if t.link == l && l != 0 {
			return t
		}
	}
	return nil
}

// hand sends a part on its way, or gets the way made, on which handAll will send it.
func (w *Worker) hand(place int, p *Part) {
	if place < 0 {
		if w.control.up {
			w.send(w.control.link, p)
		}
		return
	}
	t := w.targetOf(place)
	switch {
	case t == nil || t.gather != p.Gather:
		// The coordinator will name the owner.
	case t.address == "":
		if w.control.up {
			w.send(w.control.link, p)
		}
	case t.up:
		w.send(t.link, p)
	case t.link == 0 && w.now >= t.again:
		t.link = w.newLink()
		w.do(Dial{t.link, t.address})
	}
}

// handAll hands all parts for a place on again.
func (w *Worker) handAll(t *targetLink) {
	for _, o := range w.gather.out {
		if o.to == t.place && o.part.Gather == t.gather {
			w.hand(o.to, o.part)
		}
	}
}

// handLast sends the sum for the coordinator again, on a new link.
func (w *Worker) handLast() {
	for _, o := range w.gather.out {
		if o.to < 0 {
			w.hand(o.to, o.part)
		}
	}
}

// redial goes on with what could not be sent.
func (w *Worker) redial() {
	for _, t := range w.targets {
		if t.link == 0 && t.address != "" {
			w.handAll(t)
		}
	}
}

func (w *Worker) dropTargets() {
	for _, t := range w.targets {
		w.close(t.link)
	}
	w.targets = nil
}
