package coordination

import "fmt"

// open begins an epoch, when there are workers enough.
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

// beginAt appends an entry with which everybody can begin who knows nothing.
func (c *Coordinator) beginAt(e *Entry) {
	c.fresh, c.base = true, c.log.head()
	c.append(e)
	c.ask.least = c.ask.id + 1
	if c.ask.open { // nobody needs a state to begin here
		c.ask.open = false
		c.serveJoiners()
	}
}

// advance does what the phase's conditions allow now.
func (c *Coordinator) advance() {
	switch c.phase {
	case mustering:
		n := 0
		for _, m := range c.members {
			if m != nil && m.active {
				n++
			}
		}
		if n >= c.conf.Min || c.settle && n > 0 {
			c.mustered()
		}
	case training:
		if c.left == 0 && c.unseen == 0 && !c.saving() {
			c.meanStatistics()
			c.constrain()
			c.append(&Entry{Kind: ClosedEntry, Epoch: c.epoch})
			c.opened = false
			c.enter(draining)
		}
	case draining:
		for _, m := range c.members {
			if m != nil && m.active && m.applied < c.log.head() {
				return
			}
		}
		c.enter(idle)
		c.do(EpochDone{c.epoch})
	}
}

// mustered begins what waits for workers.
func (c *Coordinator) mustered() {
	switch {
	case c.begin != nil:
		c.openEpoch(c.begin.Epoch)
		c.begin = nil
	case c.round != nil:
		c.gatherRound()
	case c.settle:
		c.gatherSettlement()
	}
}

func (c *Coordinator) openEpoch(epoch uint32) {
	c.epoch, c.opened, c.left, c.sinceMean = epoch, true, 0, 0
	clear(c.statistics)
	for i := range c.partitions {
		p := &c.partitions[i]
		p.next, p.ends, p.failures = 0, 0, 0
		p.absent = c.now
		c.left += int(p.count)
	}
	for _, m := range c.members {
		if m != nil {
			m.worked = c.now
		}
	}
	c.append(&Entry{Kind: OpenEntry, Epoch: epoch})
	c.enter(training)
	c.measure()
}
