package coordination

import "fmt"

// Checkpoint is what a coordinator goes on from after a restart. Workers that outlived the one before join anew; what
// was committed after the checkpoint is trained again.
type Checkpoint struct {
	Position   uint64 // of the log
	Epoch      uint32
	Open       bool // the epoch is under way: EpochDone follows without an Open
	Partitions []Progress
	Lives      []Life
	Params     []byte // of Reference.Params
	State      []byte // a worker's; nil if none was known
	// Reports is the sum of what the workers reported at Position, in lockstep, of an epoch under way; otherwise nil.
	Reports []byte
}

// Progress is how far a partition is.
type Progress struct {
	Seen        bool   // Minibatches is known
	Minibatches uint32 // of an epoch
	Next        uint32 // the first ordinal that is not committed
}

// Save is the action that asks the driver to keep a checkpoint, in place of the one before.
type Save struct{ Checkpoint *Checkpoint }

// SaveNow is the event that asks for a Save.
type SaveNow struct{}

func (c *Coordinator) saveNow() {
	c.wantSave = true
	if !c.reportsFirst() {
		c.askState()
	}
}

// save gives the reference, and the state that is known.
func (c *Coordinator) save() {
	params := c.params()
	if params == nil {
		return
	}
	c.wantSave = false
	c.saved, c.sinceSave = c.now, 0
	c.do(Save{c.checkpoint(params)})
	c.reports = nil
	if c.short != nil {
		c.do(Short{c.absent()})
		c.fail(c.short)
	}
}

// endShort ends an epoch whose partitions lack workers for good, as soon as there is a checkpoint from which the
// others can go on.
func (c *Coordinator) endShort(err *DeadlineError) {
	switch {
	case c.phase != training || c.living == 0 || c.short != nil && c.now-c.shortAt > c.conf.Timing.Step:
		c.fail(err)
	case c.short == nil:
		c.short, c.shortAt = err, c.now
		c.saveNow()
	}
}

// absent lists the partitions that need a worker and have lacked one for longer than Timing.Absence.
func (c *Coordinator) absent() (all []uint32) {
	t := &c.conf.Timing
	for _, i := range c.needed() {
		p, patience := &c.partitions[i], t.Absence
		if !p.seen { // there may be no slot for its worker
			patience = min(t.Join, t.Absence)
		}
		if p.owner == nil && c.now-max(p.absent, c.since) > patience {
			all = append(all, i)
		}
	}
	return all
}

// missing is the partitions that nobody has.
func (c *Coordinator) missing() (all []uint32) {
	for i := range c.partitions {
		if c.partitions[i].owner == nil {
			all = append(all, uint32(i))
		}
	}
	return all
}

func (c *Coordinator) checkpoint(params []byte) *Checkpoint {
	k := &Checkpoint{Position: c.log.head(), Epoch: c.epoch, Open: c.opened || c.phase == draining, Params: params, State: c.state, Reports: c.reports}
	for i := range c.partitions {
		p := &c.partitions[i]
		k.Partitions = append(k.Partitions, Progress{Seen: p.seen, Minibatches: p.count, Next: p.next})
	}
	for _, l := range c.lives {
		k.Lives = append(k.Lives, *l)
	}
	return k
}

func (c *Coordinator) restore(k *Checkpoint) error {
	if len(k.Partitions) != len(c.partitions) {
		return fmt.Errorf("gradient sharing: a checkpoint of %d partitions for %d", len(k.Partitions), len(c.partitions))
	}
	c.log.reset(k.Position)
	c.fresh, c.agreed = false, true
	c.epoch, c.opened = k.Epoch, k.Open
	c.knows(k.State)
	for i, p := range k.Partitions {
		if p.Next > p.Minibatches {
			return fmt.Errorf("gradient sharing: a checkpoint in which partition %d has %d minibatches and %d are committed", i, p.Minibatches, p.Next)
		}
		c.partitions[i] = partition{seen: p.Seen, count: p.Minibatches, next: p.Next}
		if p.Seen {
			c.unseen--
			c.left += int(p.Minibatches - p.Next)
		}
	}
	for _, l := range k.Lives {
		c.lives = append(c.lives, &l)
	}
	if k.Open {
		c.phase = training
	}
	return nil
}
