package coordination

// In lockstep a checkpoint of an epoch under way begins with a settlement. Its entry ends a release: no worker has an
// update that is not committed then, so what the workers report fits the reference to the step. They train on when they
// have reported; what they send meanwhile is committed after the Save.

// reportsFirst says whether a checkpoint is to have the workers' reports.
func (s *saves) reportsFirst() bool {
	return s.conf.Lockstep && (s.phase == training || s.phase == draining)
}

// saving says whether commits wait for a checkpoint.
func (s *saves) saving() bool {
	return s.phase == training && (s.gathering != nil || s.reports != nil)
}

// askReports begins the settlement of a checkpoint that is due, if this Step has committed a release, or nobody who is
// there has anything to train. The log ended at from when the Step began. Who is silent does not take part.
func (s *saves) askReports(from uint64) {
	if !s.wantSave || !s.reportsFirst() || s.saving() || s.phase != training || s.held > 0 || s.whole() {
		return
	}
	released := s.log.head() > from
	g := &gathering{group: max(2, s.conf.Fanout)}
	for _, m := range s.members {
		if m == nil || !s.responsive(m) {
			continue
		}
		if !released && s.unfinished(m) != nil {
			return // it is at a step
		}
		g.shares = append(g.shares, m.Worker)
	}
	if len(g.shares) == 0 {
		return
	}
	s.gatherReports(g)
	s.joinFrom(from)
	s.askState()
}

// hasReports takes the sum of the reports. A state that came meanwhile is of the same position.
func (s *saves) hasReports(sum []byte) {
	if s.gathering, s.reports = nil, sum; sum == nil {
		s.reports = []byte{}
	}
	if s.stateAt == s.log.head() {
		s.save()
		return
	}
	s.askState()
}

// reportsLost gives a checkpoint's settlement up if somebody who takes part is gone or silent. The next release begins
// another.
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
		s.gathering = nil
	}
}
