package coordination

import "slices"

// A checkpoint of an epoch under way begins with a settlement, in which the workers report what they have not sent. The
// settlement's entry cuts the log. Each worker reports between two steps, when it has applied the log up to the entry.
// The updates that it has not seen in the log by then, its pending ones, are not in the reference. It adds them to its
// report, together with the residual that they leave. So reference and reports together have each step up to the cut
// once, and no worker waits for another.
//
// In lockstep the entry ends a release. No worker has a pending update then, and later updates are committed after the
// Save, so that all replicas have made the same number of steps. Otherwise commits go on, and the checkpoint is of the
// cut.

// reportsFirst reports whether a checkpoint needs the workers' reports.
func (s *saves) reportsFirst() bool { return s.phase == training || s.phase == draining }

// saving reports whether a checkpoint waits for reports, or has them. The epoch stays open until it is saved.
func (s *saves) saving() bool {
	return s.phase == training && (s.gathering != nil || s.reports != nil)
}

// holdsCommits reports whether commits wait for a checkpoint.
func (s *saves) holdsCommits() bool { return s.conf.Lockstep && s.saving() }

// askReports begins the settlement of a requested checkpoint. from is the last position of the log before the current
// Step.
func (s *saves) askReports(from uint64) {
	if !s.wantSave || s.saving() || s.phase != training || s.whole() {
		return
	}
	g := &gathering{group: max(2, s.conf.Fanout), shares: s.reporters(s.log.head() > from)}
	if len(g.shares) == 0 {
		return
	}
	params := []byte(nil)
	if !s.conf.Lockstep {
		if params = s.params(); params == nil {
			return
		}
	}
	s.silent = s.withoutReport(g.shares)
	s.gatherReports(g)
	if s.conf.Lockstep {
		s.joinFrom(from)
	} else {
		s.cut = s.checkpoint(params)
	}
	s.askState()
}

// reporters lists the workers that report; silent ones do not. In lockstep the list is empty, unless this Step has
// committed a release, or no worker present has anything to train.
func (s *saves) reporters(released bool) (all []uint32) {
	if s.conf.Lockstep && s.held > 0 {
		return nil
	}
	for _, m := range s.members {
		if m == nil || !s.responsive(m) {
			continue
		}
		if s.conf.Lockstep && !released && s.unfinished(m) != nil {
			return nil // it is in a step
		}
		all = append(all, m.Worker)
	}
	return all
}

// withoutReport counts the workers that are not asked for a report although they may have a residual. A worker that
// has made no step yet has none.
func (s *saves) withoutReport(asked []uint32) (n int) {
	for _, m := range s.members {
		if m != nil && (m.accepted > 0 || m.again) && !slices.Contains(asked, m.Worker) {
			n++
		}
	}
	return n
}

// hasReports takes the sum of the reports, and saves if the known state is not older than the cut. Otherwise it asks
// for a state.
func (s *saves) hasReports(sum []byte) {
	if s.gathering, s.reports = nil, sum; sum == nil {
		s.reports = []byte{}
	}
	at := s.log.head()
	if s.cut != nil {
		at = s.cut.Position
	}
	if s.stateAt >= at {
		s.save()
		return
	}
	s.askState()
}

// reportsLost cancels a checkpoint's settlement if a participant is gone or silent. Another one follows.
func (s *saves) reportsLost() {
	if s.phase != training || s.gathering == nil {
		return
	}
	there := 0
	for _, m := range s.members {
		if m != nil && s.takesPart(m) && s.responsive(m) {
			there++
		}
	}
	if there < len(s.gathering.shares) {
		s.gathering, s.cut = nil, nil
	}
}
