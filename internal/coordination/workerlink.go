package coordination

func (w *Worker) connected(l Link) {
	switch l {
	case w.control.link:
		w.control.greet(w)
	case w.parent.link:
		w.parent.attach(w)
	default:
		if t := w.targets.at(l); t != nil {
			t.up, t.since, t.failed = true, w.now, 0
			w.targets.handAll(w, t)
		}
	}
}

func (w *Worker) broken(e Broken) {
	switch l := e.Link; l {
	case w.control.link:
		w.control.broken(w, e.Refused)
	case w.parent.link:
		w.parent.link = 0
		w.parent.complain(w, true)
	default:
		if t := w.targets.at(l); t != nil {
			t.broken(w)
			return
		}
		w.relay.broken(l)
	}
}

// alive notes that a large message is on its way.
func (w *Worker) alive(l Link) {
	if l == w.control.link {
		w.control.heard = w.now
	}
	if l == w.control.link && w.parent.peer.Incarnation == 0 || l == w.parent.link {
		w.parent.came = w.now
	}
	w.relay.alive(l, w.now)
}

// receive handles a message of a link: of the coordinator, of the parent, or of another worker.
func (w *Worker) receive(l Link, msg Message) {
	if l == w.control.link {
		w.control.heard = w.now
		w.control.receive(w, msg)
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
			w.close(l) // it is for another life: an earlier one, or one that this worker does not know yet
			w.relay.broken(l)
			return
		}
		w.relay.giver(l)
		w.gathering.take(w, msg)
		w.send(l, &Got{msg.Gather, msg.Level, msg.Index, msg.Slice})
	case *Got:
		if t := w.targets.at(l); t != nil {
			w.gathering.got(t, msg)
		}
	default:
		w.close(l)
		w.broken(Broken{Link: l})
	}
}

// follows begins an empty log after a position.
func (w *Worker) follows(position uint64) {
	w.active = true
	w.log.reset(position)
	w.applied, w.reported, w.keep = position, position, position+1
	w.control.head = position
}
