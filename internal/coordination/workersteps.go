package coordination

import "fmt"

// steps are the training steps of a worker, one after another: minibatches of an epoch, or shares of a round.
type steps struct {
	count   uint64
	now     uint64 // the step under way; 0: none
	since   Time   // when it began
	lost    bool   // the step belongs to an earlier incarnation
	share   int    // the index of its share
	place   int    // its place in a round; -1: it is a minibatch
	trained int    // minibatches
}

func (s *steps) running() bool { return s.now != 0 }

// stuck returns an error if a step takes too long.
func (s *steps) stuck(w *Worker) error {
	if t := w.conf.Timing.Step; s.running() && w.now-s.since > t {
		return fmt.Errorf("gradient sharing: a step of %v has run for %v and has not ended", w.peer, t)
	}
	return nil
}

// next starts the next step, unless all are done, too many updates are uncommitted, or a release is partly applied.
func (s *steps) next(w *Worker) {
	if !w.open || w.barred || w.partial || len(w.pending) >= w.conf.InFlight {
		return
	}
	for i, share := range w.conf.Shares {
		if w.next[i] < share.Minibatches {
			s.start(w)
			s.trained++
			last := w.next[i]+1 == share.Minibatches
			w.do(Train{ID: s.now, Epoch: w.epoch, Partition: share.Partition, Ordinal: w.next[i], Statistics: last ||
				s.trained%w.conf.Statistics == 0})
			s.share = i
			return
		}
	}
}

// start assigns the next step's number and notes the time.
func (s *steps) start(w *Worker) {
	s.count++
	s.now, s.since = s.count, w.now
}

// ended handles the end of a step. It applies and sends the step's update, or contributes its result to a round.
func (s *steps) ended(w *Worker, t *Trained) {
	if t.ID != s.now || !s.running() {
		w.fail(fmt.Errorf("gradient sharing: step %d has ended, which does not run", t.ID))
		return
	}
	s.now = 0
	if t.Err != nil {
		w.fail(t.Err)
		return
	}
	if s.place >= 0 {
		place := s.place
		s.place = -1
		if !s.lost {
			w.gathering.trained(w, place, t.Payload)
			w.gathering.nextShare(w)
		}
		s.lost = false
		return
	}
	if s.lost {
		s.lost = false
		w.replica.Abandon(&Update{Payload: t.Payload})
		return
	}
	w.seq++
	u := &Update{Peer: w.peer, Seq: w.seq, Epoch: w.epoch, Partition: w.conf.Shares[s.share].Partition,
		Ordinal: w.next[s.share], Applied: w.applied, Score: t.Score, Statistics: t.Statistics, Payload: t.Payload}
	w.next[s.share]++
	w.reported = w.applied
	if err := s.apply(w, u); err != nil {
		w.fail(fmt.Errorf("gradient sharing: %v, its own update: %w", w.peer, err))
		return
	}
	w.pending = append(w.pending, u)
	if w.control.up {
		w.send(w.control.link, u)
	}
}

// apply applies the worker's own update at once, unless the sum of the release has it.
func (s *steps) apply(w *Worker, u *Update) error {
	if w.conf.Summed {
		return nil
	}
	return w.replica.Apply(&Entry{Kind: UpdateEntry, Epoch: u.Epoch, Peer: u.Peer, Seq: u.Seq, Partition: u.Partition,
		Ordinal: u.Ordinal, Payload: u.Payload})
}
