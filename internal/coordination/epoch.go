package coordination

import "fmt"

// epochs tracks the commits of the open epoch, or of the last one.
type epochs struct {
	*run
	*roster
	*journal
	epoch      uint32
	opened     bool     // its OpenEntry is in the log, its ClosedEntry is not
	left       int      // uncommitted minibatches of the partitions that were seen
	statistics [][]byte // the last of each worker in this epoch
	sinceMean  int      // minibatches committed since the last mean of the statistics
	loose      int      // minibatches committed since the last constraints
}

// openEpoch opens an epoch: it appends the OpenEntry and resets the counts.
func (o *epochs) openEpoch(epoch uint32) {
	o.epoch, o.opened, o.left, o.sinceMean = epoch, true, 0, 0
	clear(o.statistics)
	for i := range o.partitions {
		p := &o.partitions[i]
		p.next, p.ends, p.failures = 0, 0, 0
		p.absent = o.now
		o.left += int(p.count)
	}
	for _, m := range o.members {
		if m != nil {
			m.worked = o.now
		}
	}
	o.append(&Entry{Kind: OpenEntry, Epoch: epoch})
	o.enter(training)
}

// whole reports whether all minibatches of the epoch are committed.
func (o *epochs) whole() bool { return o.left == 0 && o.unseen == 0 }

// closeEpoch ends an epoch that is whole.
func (o *epochs) closeEpoch() {
	o.meanStatistics()
	o.constrain()
	o.append(&Entry{Kind: ClosedEntry, Epoch: o.epoch})
	o.opened = false
	o.enter(draining)
}

// drained reports whether all active members have applied the whole log.
func (o *epochs) drained() bool {
	for _, m := range o.members {
		if m != nil && m.active && m.applied < o.log.head() {
			return false
		}
	}
	return true
}

// commit gives an update its position in the log.
func (o *epochs) commit(m *member, u *Update) error {
	p := &o.partitions[min(int(u.Partition), len(o.partitions)-1)]
	if o.phase != training || u.Epoch != o.epoch || int(u.Partition) >= len(o.partitions) || p.owner != m ||
		u.Ordinal != p.next || p.next >= p.count {
		return fmt.Errorf("it sent minibatch %d of partition %d in epoch %d, which was not its turn",
			u.Ordinal, u.Partition, u.Epoch)
	}
	e := &Entry{Kind: UpdateEntry, Epoch: u.Epoch, Peer: u.Peer, Seq: u.Seq, Partition: u.Partition, Ordinal: u.Ordinal,
		Payload: u.Payload}
	if err := o.ref.Apply(e); err != nil {
		return fmt.Errorf("its update cannot be applied: %w", err)
	}
	o.behind = true
	if o.conf.Summed {
		o.append(e.own())
	} else {
		o.append(e)
	}
	o.fresh = false
	p.next++
	p.ends, p.failures = 0, 0
	m.life.Seq = u.Seq
	o.left--
	if u.Statistics != nil {
		o.statistics[m.Worker] = u.Statistics
	}
	o.do(Committed{e, u.Score})
	o.sinceMean++
	o.loose++
	if !o.conf.Summed {
		o.tidy()
	}
	return nil
}

// addUp ends a release of a Summed job with the entry of its sum.
func (o *epochs) addUp() {
	sum, err := o.ref.Sum()
	if err != nil {
		o.fail(fmt.Errorf("gradient sharing: the sum of the workers' updates: %w", err))
		return
	}
	o.append(&Entry{Kind: SumEntry, Epoch: o.epoch, Payload: sum})
	o.tidy()
}

// tidy averages the statistics and applies the constraints, if it is time for that.
func (o *epochs) tidy() {
	if o.sinceMean >= o.conf.Statistics*max(1, o.living) {
		o.meanStatistics()
	}
	if o.loose >= o.living {
		o.constrain()
	}
}

// constrain applies the network's constraints to the reference, and has all replicas do so at the same position of the
// log.
func (o *epochs) constrain() {
	if !o.conf.Constrained || o.loose == 0 {
		return
	}
	o.loose = 0
	if err := o.ref.Constrain(); err != nil {
		o.fail(fmt.Errorf("gradient sharing: the constraints: %w", err))
		return
	}
	o.append(&Entry{Kind: ConstrainEntry, Epoch: o.epoch})
}

// meanStatistics sets the statistics of all replicas to the mean of the workers' latest.
func (o *epochs) meanStatistics() {
	o.sinceMean = 0
	var all [][]byte
	for _, s := range o.statistics {
		if s != nil {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return
	}
	mean, err := o.ref.Average(all)
	if err == nil {
		err = o.ref.SetStatistics(mean)
	}
	if err != nil {
		o.fail(fmt.Errorf("gradient sharing: the mean of the workers' statistics: %w", err))
		return
	}
	o.append(&Entry{Kind: StatisticsEntry, Epoch: o.epoch, Payload: mean})
}
