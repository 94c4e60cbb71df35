package coordination

import "fmt"

// advance does everything that must wait for the end of a step: it starts over, applies new entries, sends its state,
// and starts the next step. While a step runs, new entries are only passed on.
func (w *Worker) advance() {
	if w.steps.running() || !w.active {
		return
	}
	if s := w.begin; s != nil {
		w.begin = nil
		if err := w.install(s); err != nil {
			w.fail(err)
			return
		}
	}
	for !w.steps.running() && w.applied < w.log.head() {
		w.applied++
		e := w.log.at(w.applied)
		w.partial = e.More
		if err := w.apply(e); err != nil {
			w.fail(fmt.Errorf("gradient sharing: %v, position %d of the log: %w", w.peer, w.applied, err))
			return
		}
	}
	if w.applied-w.reported >= w.reportAfter {
		w.announced = true
	}
	w.setKeep(0)
	if w.steps.running() {
		return
	}
	if q := w.askedFor; q != nil {
		w.askedFor = nil
		state, err := w.replica.State()
		if err != nil {
			w.fail(err)
			return
		}
		w.send(w.control.link, &State{q.ID, state})
	}
	w.steps.next(w)
}

// install begins from a snapshot.
func (w *Worker) install(s *Snapshot) error {
	if len(s.Next) != len(w.next) {
		return fmt.Errorf("gradient sharing: a snapshot for %d partitions, this worker has %d", len(s.Next), len(w.next))
	}
	if s.Params != nil {
		if err := w.replica.Install(s.Params, s.State); err != nil {
			return fmt.Errorf("gradient sharing: the coordinator's parameters: %w", err)
		}
	}
	w.epoch, w.open = s.Epoch, s.Open
	copy(w.next, s.Next)
	return nil
}

// apply does what an entry of the log says.
func (w *Worker) apply(e *Entry) error {
	switch e.Kind {
	case UpdateEntry:
		if e.Peer != w.peer && w.conf.Summed {
			return nil // a SumEntry follows
		}
		if e.Peer != w.peer {
			return w.replica.Apply(e)
		}
		if len(w.pending) == 0 || w.pending[0].Seq != e.Seq {
			return fmt.Errorf("its own update %d is committed, which it does not expect", e.Seq)
		}
		w.pending = w.pending[1:]
	case SumEntry:
		return w.replica.Apply(e)
	case StatisticsEntry:
		return w.replica.SetStatistics(e.Payload)
	case ConstrainEntry:
		if w.conf.Summed {
			return w.replica.Constrain(nil)
		}
		return w.replica.Constrain(w.pending)
	case BaseEntry:
		return w.replica.Install(e.Payload, e.State)
	case OpenEntry:
		w.epoch, w.open = e.Epoch, true
		clear(w.next)
	case ClosedEntry:
		w.open, w.announced = false, true
	case RoundEntry:
		w.open = false
		w.gathering.begin(w, w.applied, e)
		w.gathering.nextShare(w)
	case SettleEntry:
		w.gathering.begin(w, w.applied, e)
		return w.gathering.report(w)
	default:
		return fmt.Errorf("an entry of kind %d", e.Kind)
	}
	return nil
}
