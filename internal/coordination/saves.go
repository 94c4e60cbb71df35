package coordination

import "fmt"

// saves is the requested checkpoint: it waits for the workers' reports and a live worker's state.
type saves struct {
	*run
	*roster
	*journal
	*pace
	*epochs
	*gatherings
	*handover
	*watch
	saved    Time
	wantSave bool
	cut      *Checkpoint    // as of the settlement under way, if commits go on meanwhile
	reports  []byte         // the workers' sum for the next checkpoint; nil before it has come
	silent   int            // workers with a residual that were not asked for a report
	short    *DeadlineError // why the epoch ends once a checkpoint is made
	shortAt  Time
}

func (s *saves) saveNow() {
	s.wantSave = true
	if !s.reportsFirst() {
		s.askState()
	}
}

// dueSave asks for a checkpoint when Config.Checkpoint has passed since the last one.
func (s *saves) dueSave() {
	every := s.conf.Checkpoint
	if every > 0 && s.now-s.saved >= every && s.sinceSave > 0 && s.phase == training && !s.wantSave {
		s.saveNow()
	}
}

// complete reports whether a requested checkpoint only waits for a state.
func (s *saves) complete() bool { return s.wantSave && (s.reports != nil || !s.reportsFirst()) }

// stateKnown saves if the checkpoint only waited for a state.
func (s *saves) stateKnown() {
	if s.phase != closed && s.complete() {
		s.save()
	}
}

// save emits the checkpoint, with the known state and reports. Then it ends the run if endShort has asked for that.
func (s *saves) save() {
	k := s.cut
	if k == nil {
		params := s.params()
		if params == nil {
			return
		}
		k = s.checkpoint(params)
	}
	k.State, k.Reports = s.state, s.reports
	s.wantSave, s.saved, s.sinceSave = false, s.now, int(s.log.head()-k.Position)
	s.cut, s.reports = nil, nil
	s.do(Save{k, s.silent})
	s.silent = 0
	if s.short != nil {
		s.do(Short{s.absent()})
		s.fail(s.short)
	}
}

// endShort ends an epoch whose partitions lack workers for good, as soon as there is a checkpoint from which the other
// workers can go on.
func (s *saves) endShort(err *DeadlineError) {
	switch {
	case s.phase != training || s.living == 0 || s.short != nil && s.now-s.shortAt > s.conf.Timing.Step:
		s.fail(err)
	case s.short == nil:
		s.short, s.shortAt = err, s.now
		s.saveNow()
	}
}

// checkpoint returns the present progress as a checkpoint, without state and reports.
func (s *saves) checkpoint(params []byte) *Checkpoint {
	k := &Checkpoint{Position: s.log.head(), Epoch: s.epoch, Open: s.opened || s.phase == draining, Params: params}
	for i := range s.partitions {
		p := &s.partitions[i]
		k.Partitions = append(k.Partitions, Progress{Seen: p.seen, Minibatches: p.count, Next: p.next})
	}
	for _, l := range s.lives {
		k.Lives = append(k.Lives, *l)
	}
	return k
}

// restore sets the coordinator to the progress of a checkpoint.
func (s *saves) restore(k *Checkpoint) error {
	if len(k.Partitions) != len(s.partitions) {
		return fmt.Errorf("gradient sharing: a checkpoint of %d partitions for %d", len(k.Partitions), len(s.partitions))
	}
	s.log.reset(k.Position)
	s.fresh, s.agreed = false, true
	s.epoch, s.opened = k.Epoch, k.Open
	s.knows(k.State)
	for i, p := range k.Partitions {
		if p.Next > p.Minibatches {
			return fmt.Errorf("gradient sharing: a checkpoint in which partition %d has %d minibatches and %d are committed",
				i, p.Minibatches, p.Next)
		}
		s.partitions[i] = partition{seen: p.Seen, count: p.Minibatches, next: p.Next}
		if p.Seen {
			s.unseen--
			s.left += int(p.Minibatches - p.Next)
		}
	}
	for _, l := range k.Lives {
		s.lives = append(s.lives, &l)
	}
	if k.Open {
		s.phase = training
	}
	return nil
}
