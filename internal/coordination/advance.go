package coordination

import "fmt"

// open begins an epoch as soon as there are enough workers.
func (c *Coordinator) open(o *Open) {
	if c.phase != idle {
		c.fail(fmt.Errorf("gradient sharing: epoch %d was to be opened while the coordinator is %v", o.Epoch, c.phase))
		return
	}
	if !o.Begin && !c.agreed {
		c.fail(fmt.Errorf("gradient sharing: epoch %d was to be opened without parameters to begin with", o.Epoch))
		return
	}
	if o.Begin {
		if err := c.ref.Install(o.Params); err != nil {
			c.fail(fmt.Errorf("gradient sharing: the parameters to begin with: %w", err))
			return
		}
		c.agreed = true
		c.beginAt(&Entry{Kind: BaseEntry, Epoch: o.Epoch, Payload: o.Params, State: o.State})
		c.knows(o.State)
	}
	c.begin = o
	c.enter(mustering)
}

// muster waits for the workers that a command needs. wrong is the error in the command, or nil.
func (c *Coordinator) muster(wrong error) {
	if wrong != nil {
		c.fail(wrong)
		return
	}
	c.enter(mustering)
}

// advance moves on to the next phase if its conditions are met.
func (c *Coordinator) advance() {
	switch c.phase {
	case mustering:
		n := 0
		for _, m := range c.members {
			if m != nil && m.active {
				n++
			}
		}
		if (n >= c.conf.Min || c.settle && n > 0) && c.seated() {
			c.mustered()
		}
	case training:
		if c.whole() && !c.saving() {
			c.closeEpoch()
		}
	case draining:
		if c.drained() {
			c.enter(idle)
			c.do(EpochDone{c.epoch})
		}
	}
}

// mustered begins the command that waited for workers.
func (c *Coordinator) mustered() {
	switch {
	case c.begin != nil:
		c.openEpoch(c.begin.Epoch)
		c.measure()
		c.begin = nil
	case c.round != nil:
		c.agreed = false
		c.beginAt(c.roundEntry())
		c.beginRound()
	case c.settle:
		c.beginSettlement()
	}
}

// release commits accepted updates, as long as the workers do not run too far ahead of the slowest one.
func (c *Coordinator) release() {
	if c.held == 0 || c.phase == closed || c.holdsCommits() || c.conf.Lockstep && !c.together() {
		return
	}
	from := c.log.head()
	c.expect()
	c.commitHeld()
	if c.conf.Summed && c.log.head() > from && c.phase != closed {
		c.addUp()
	}
	if c.conf.Lockstep {
		c.joinFrom(from)
	}
}

// expect tells the reference which updates it is about to get.
func (c *Coordinator) expect() {
	payloads := make([][]byte, 0, c.held)
	for _, m := range c.members {
		if m == nil {
			continue
		}
		for _, u := range m.held {
			payloads = append(payloads, u.Payload)
		}
	}
	c.ref.Expect(payloads)
}

// commitHeld commits the accepted updates of the members that may go on.
func (c *Coordinator) commitHeld() {
	measured := false
	for _, m := range c.members {
		for m != nil && len(m.held) > 0 {
			u := m.held[0]
			if !c.allowed(m) {
				if measured {
					break
				}
				measured = true
				c.measure()
				continue
			}
			m.held = m.held[1:]
			c.held--
			if err := c.commit(m, u); err != nil {
				c.violation(m, err.Error())
			}
		}
		if c.held == 0 {
			return
		}
	}
}
