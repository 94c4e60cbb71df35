package coordination

// In lockstep a checkpoint of an epoch under way begins with a settlement. Its entry ends a release: no worker has an
// update that is not committed then, so what the workers report fits the reference to the step. They train on when they
// have reported; what they send meanwhile is committed after the Save.

// reportsFirst says whether a checkpoint is to have the workers' reports.
func (c *Coordinator) reportsFirst() bool {
	return c.conf.Lockstep && (c.phase == training || c.phase == draining)
}

// saving says whether commits wait for a checkpoint.
func (c *Coordinator) saving() bool {
	return c.phase == training && (c.gathering != nil || c.reports != nil)
}

// adds says whether a gathering is under way.
func (c *Coordinator) adds() bool {
	return c.phase == adding || c.phase == training && c.gathering != nil
}

// askReports begins the settlement of a checkpoint that is due, if this Step has committed a release, or nobody who is
// there has anything to train. The log ended at from when the Step began. Who is silent does not take part.
func (c *Coordinator) askReports(from uint64) {
	over := c.left == 0 && c.unseen == 0
	if !c.wantSave || !c.reportsFirst() || c.saving() || c.phase != training || c.held > 0 || over {
		return
	}
	released := c.log.head() > from
	g := &gathering{group: max(2, c.conf.Fanout)}
	for _, m := range c.members {
		if m == nil || !c.responsive(m) {
			continue
		}
		if !released && c.unfinished(m) != nil {
			return // it is at a step
		}
		g.shares = append(g.shares, m.Worker)
	}
	if len(g.shares) == 0 {
		return
	}
	c.gatherReports(g)
	c.joinFrom(from)
	c.askState()
}

// hasReports takes the sum of the reports. A state that came meanwhile is of the same position.
func (c *Coordinator) hasReports(sum []byte) {
	if c.gathering, c.reports = nil, sum; sum == nil {
		c.reports = []byte{}
	}
	if c.stateAt == c.log.head() {
		c.save()
		return
	}
	c.askState()
}

// reportsLost gives a checkpoint's settlement up if somebody who takes part is gone or silent. The next release begins
// another.
func (c *Coordinator) reportsLost() {
	if c.phase != training || c.gathering == nil {
		return
	}
	there := 0
	for _, m := range c.members {
		if m != nil && c.takesPart(m) && c.responsive(m) {
			there++
		}
	}
	if there < len(c.gathering.shares) {
		c.gathering = nil
	}
}
