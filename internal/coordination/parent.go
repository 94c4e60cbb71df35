package coordination

// parentLink is the link by which the worker gets the log.
type parentLink struct {
	known   bool
	version uint32
	peer    Peer // Incarnation 0: the coordinator, on the control link
	address string
	link    Link // to another worker
	came    Time // last time that it brought entries, became the parent, or was complained about
}

// follow switches to the parent that the coordinator names.
func (p *parentLink) follow(w *Worker, f *Follow) {
	p.drop(w)
	*p = parentLink{known: true, version: f.Version, peer: f.Parent, address: f.Address, came: w.now}
	if f.Parent.Incarnation == 0 {
		p.attach(w)
		return
	}
	p.link = w.newLink()
	w.do(Dial{p.link, f.Address})
}

// attach asks the parent for the entries that the worker lacks.
func (p *parentLink) attach(w *Worker) {
	to := p.link
	if p.peer.Incarnation == 0 {
		to = w.control.link
	}
	w.send(to, &Attach{Term: w.term, Peer: w.peer, Version: p.version, Received: w.log.head()})
}

// complain asks the coordinator for another parent.
func (p *parentLink) complain(w *Worker, unreachable bool) {
	p.came = w.now
	if w.control.up && p.known {
		w.send(w.control.link, &Orphan{Version: p.version, Received: w.log.head(), Unreachable: unreachable})
	}
}

// tick complains about a parent that is silent although there are new entries.
func (p *parentLink) tick(w *Worker) {
	if !w.active || !p.known {
		return
	}
	if w.control.head <= w.log.head() {
		p.came = w.now
	}
	if w.now-p.came > w.conf.Timing.Stream {
		p.complain(w, p.peer.Incarnation != 0 && p.link == 0)
	}
}

func (p *parentLink) drop(w *Worker) {
	w.close(p.link)
	p.link = 0
}

// extend appends a message's entries to the log.
func (w *Worker) extend(m *Log) {
	if !w.active {
		return
	}
	w.parent.came = w.now
	head := w.log.head()
	if m.First > head+1 {
		w.parent.drop(w) // a parent that skips entries is useless
		w.parent.complain(w, true)
		return
	}
	for i, e := range m.Entries {
		if m.First+uint64(i) <= head {
			continue
		}
		if e.Own && (e.Kind != UpdateEntry || !w.conf.Summed) {
			if e = w.complete(e); e == nil {
				return
			}
		}
		w.log.append(e)
	}
	w.control.head = max(w.control.head, w.log.head())
	w.setKeep(m.Keep)
	w.relay.feed(w)
}

// complete restores the payload of an entry that this worker has sent.
func (w *Worker) complete(e *Entry) *Entry {
	full := *e
	full.Own = false
	if s := w.sum; e.Kind == RoundEntry && s != nil && s.Gather == e.Seq && e.Peer == w.peer {
		full.Payload = s.Payload
		return &full
	}
	for _, u := range w.pending {
		if e.Kind == UpdateEntry && u.Seq == e.Seq && u.Peer == e.Peer {
			full.Payload = u.Payload
			return &full
		}
	}
	w.parent.drop(w)
	w.parent.complain(w, true)
	return nil
}

// setKeep drops the entries that are applied and that no child can ask for any more.
func (w *Worker) setKeep(keep uint64) {
	w.keep = max(w.keep, keep)
	w.log.trim(min(w.keep, w.applied+1))
}
