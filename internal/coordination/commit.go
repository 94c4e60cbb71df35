package coordination

import (
	"fmt"
	"math"
)

// update accepts a minibatch's message, if it is the next one of this incarnation. It is committed in release.
func (c *Coordinator) update(m *member, u *Update) {
	if u.Peer != m.Peer || !m.active {
		c.violation(m, fmt.Sprintf("it sent an update in the name of %v", u.Peer))
		return
	}
	c.progress(m, u.Applied)
	if u.Seq <= m.accepted {
		return // sent again after its link broke
	}
	if u.Seq != m.accepted+1 || len(m.held) >= c.conf.InFlight {
		c.violation(m, fmt.Sprintf("it sent update %d after %d, of which %d are not committed", u.Seq, m.accepted, len(m.held)))
		return
	}
	m.accepted, m.worked = u.Seq, c.now
	m.held = append(m.held, u)
	c.held++
}

// release commits what was accepted, as long as the workers do not run too far ahead of the slowest one.
func (c *Coordinator) release() {
	if c.held == 0 || c.phase == closed || c.saving() || c.conf.Lockstep && !c.together() {
		return
	}
	if c.conf.Lockstep {
		defer c.joinFrom(c.log.head())
	}
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

// joinFrom makes one release of what has come behind a position of the log. Nobody was sent any of it yet.
func (c *Coordinator) joinFrom(position uint64) {
	for p := position + 1; p < c.log.head(); p++ {
		c.log.at(p).More = true
	}
}

// together says whether everybody who is there, and has something to train, has an update to be committed.
func (c *Coordinator) together() bool {
	for _, m := range c.members {
		if m != nil && len(m.held) == 0 && c.responsive(m) && c.unfinished(m) != nil {
			return false
		}
	}
	return true
}

// allowed says whether a member's next update may be committed. In Lockstep no update lags behind the others.
func (c *Coordinator) allowed(m *member) bool {
	return (c.conf.Lockstep || c.log.head() < c.floor+uint64(c.conf.Lag)*uint64(max(1, c.living))) &&
		(c.conf.Lead == 0 || c.trained(m) <= c.slowest+c.conf.Lead)
}

// trained is how many minibatches of the epoch are committed of a member's partitions, whoever trained them.
func (c *Coordinator) trained(m *member) (n int) {
	for _, s := range m.shares {
		n += int(c.partitions[s.Partition].next)
	}
	return n
}

// measure finds how far the slowest replica, and the slowest worker that has something to train, are, of those that are
// there.
func (c *Coordinator) measure() {
	c.floor, c.slowest = c.log.head(), math.MaxInt/2
	for _, m := range c.members {
		if m == nil || !c.responsive(m) {
			continue
		}
		c.floor = min(c.floor, m.applied)
		if c.unfinished(m) != nil {
			c.slowest = min(c.slowest, c.trained(m))
		}
	}
}

// unfinished is the first of a member's shares of which something is not committed.
func (c *Coordinator) unfinished(m *member) *Share {
	for i, s := range m.shares {
		if p := &c.partitions[s.Partition]; p.next < p.count {
			return &m.shares[i]
		}
	}
	return nil
}

// commit gives an update its position in the log.
func (c *Coordinator) commit(m *member, u *Update) error {
	p := &c.partitions[min(int(u.Partition), len(c.partitions)-1)]
	if c.phase != training || u.Epoch != c.epoch || int(u.Partition) >= len(c.partitions) || p.owner != m || u.Ordinal != p.next || p.next >= p.count {
		return fmt.Errorf("it sent minibatch %d of partition %d in epoch %d, which was not its turn", u.Ordinal, u.Partition, u.Epoch)
	}
	e := &Entry{Kind: UpdateEntry, Epoch: u.Epoch, Peer: u.Peer, Seq: u.Seq, Partition: u.Partition, Ordinal: u.Ordinal, Payload: u.Payload}
	if err := c.ref.Apply(e); err != nil {
		return fmt.Errorf("its update cannot be applied: %w", err)
	}
	c.append(e)
	c.fresh = false
	p.next++
	p.ends, p.failures = 0, 0
	m.life.Seq = u.Seq
	c.left--
	if u.Statistics != nil {
		c.statistics[m.Worker] = u.Statistics
	}
	c.do(Committed{e, u.Score})
	if c.sinceMean++; c.sinceMean >= c.conf.Statistics*max(1, c.living) {
		c.meanStatistics()
	}
	if c.loose++; c.loose >= c.living {
		c.constrain()
	}
	return nil
}

// constrain has everybody hold the parameters to the network's constraints. Where the order of updates and projections
// matters, it is that of the log.
func (c *Coordinator) constrain() {
	if !c.conf.Constrained || c.loose == 0 {
		return
	}
	c.loose = 0
	if err := c.ref.Constrain(); err != nil {
		c.fail(fmt.Errorf("gradient sharing: the constraints: %w", err))
		return
	}
	c.append(&Entry{Kind: ConstrainEntry, Epoch: c.epoch})
}

// meanStatistics sets everybody's statistics to the mean of what the workers sent last.
func (c *Coordinator) meanStatistics() {
	c.sinceMean = 0
	var all [][]byte
	for _, s := range c.statistics {
		if s != nil {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return
	}
	mean, err := c.ref.Average(all)
	if err == nil {
		err = c.ref.SetStatistics(mean)
	}
	if err != nil {
		c.fail(fmt.Errorf("gradient sharing: the mean of the workers' statistics: %w", err))
		return
	}
	c.append(&Entry{Kind: StatisticsEntry, Epoch: c.epoch, Payload: mean})
}

// progress notes how much of the log a replica has.
func (c *Coordinator) progress(m *member, applied uint64) {
	if applied > c.log.head() {
		c.violation(m, fmt.Sprintf("it says that it has applied the log up to %d, which ends at %d", applied, c.log.head()))
		return
	}
	m.received = max(m.received, applied)
	if applied > m.applied {
		m.applied = applied
		if c.phase == draining {
			m.worked, c.moved = c.now, c.now
		}
	}
}

func (c *Coordinator) beat(m *member, b *Beat) {
	if !m.active {
		return
	}
	m.beat = *b
	m.received = max(m.received, min(b.Received, c.log.head()))
	c.progress(m, b.Applied)
}
