package coordination

import "fmt"

// advance does what can be done between two steps: it begins anew, applies what has come, answers, and starts the next
// step. While a step runs, what comes is only passed on.
func (w *Worker) advance() {
	if w.running != 0 || !w.active {
		return
	}
	if s := w.begin; s != nil {
		w.begin = nil
		if err := w.install(s); err != nil {
			w.fail(err)
			return
		}
	}
	for w.running == 0 && w.applied < w.log.head() {
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
	if w.running != 0 {
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
	w.nextMinibatch()
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
		if e.Peer != w.peer {
			return w.replica.Apply(e)
		}
		if len(w.pending) == 0 || w.pending[0].Seq != e.Seq {
			return fmt.Errorf("its own update %d is committed, which it does not expect", e.Seq)
		}
		w.pending = w.pending[1:]
	case StatisticsEntry:
		return w.replica.SetStatistics(e.Payload)
	case ConstrainEntry:
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
		w.nextShare()
	case SettleEntry:
		w.gathering.begin(w, w.applied, e)
		return w.report()
	default:
		return fmt.Errorf("an entry of kind %d", e.Kind)
	}
	return nil
}

// nextMinibatch starts a step, if there is one, not too many wait to be committed, and no release is applied in part.
func (w *Worker) nextMinibatch() {
	if !w.open || w.barred || w.partial || len(w.pending) >= w.conf.InFlight {
		return
	}
	for i, s := range w.conf.Shares {
		if w.next[i] < s.Minibatches {
			w.startStep()
			w.trained++
			last := w.next[i]+1 == s.Minibatches
			w.do(Train{ID: w.running, Epoch: w.epoch, Partition: s.Partition, Ordinal: w.next[i], Statistics: last ||
				w.trained%w.conf.Statistics == 0})
			w.stepOf = i
			return
		}
	}
}

// startStep numbers a step.
func (w *Worker) startStep() {
	w.steps++
	w.running, w.since = w.steps, w.now
}

// hasTrained applies a step's own update and sends it.
func (w *Worker) hasTrained(t *Trained) {
	if t.ID != w.running || w.running == 0 {
		w.fail(fmt.Errorf("gradient sharing: step %d has ended, which does not run", t.ID))
		return
	}
	w.running = 0
	if t.Err != nil {
		w.fail(t.Err)
		return
	}
	if w.training >= 0 {
		place := w.training
		w.training = -1
		if !w.lost {
			w.gathering.give(w, 0, place, t.Payload)
			w.nextShare()
		}
		w.lost = false
		return
	}
	if w.lost {
		w.lost = false
		w.replica.Abandon(&Update{Payload: t.Payload})
		return
	}
	w.seq++
	u := &Update{Peer: w.peer, Seq: w.seq, Epoch: w.epoch, Partition: w.conf.Shares[w.stepOf].Partition,
		Ordinal: w.next[w.stepOf], Applied: w.applied, Score: t.Score, Statistics: t.Statistics, Payload: t.Payload}
	w.next[w.stepOf]++
	w.reported = w.applied
	e := &Entry{Kind: UpdateEntry, Epoch: u.Epoch, Peer: u.Peer, Seq: u.Seq, Partition: u.Partition, Ordinal: u.Ordinal,
		Payload: u.Payload}
	if err := w.replica.Apply(e); err != nil {
		w.fail(fmt.Errorf("gradient sharing: %v, its own update: %w", w.peer, err))
		return
	}
	w.pending = append(w.pending, u)
	if w.control.up {
		w.send(w.control.link, u)
	}
}
