package gradshare

import "fmt"

// Checkpoint is what a coordinator goes on from after a restart. Workers that outlived the one before join anew; what was
// committed after the checkpoint is trained again.
type Checkpoint struct {
	Position   uint64 // of the log
	Epoch      uint32
	Open       bool // the epoch is under way: EpochDone follows without an Open
	Partitions []Progress
	Lives      []Life
	Params     []byte // of Reference.Params
	State      []byte // a worker's; nil if none was known
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
	c.askState()
}

func (c *Coordinator) checkpoint(params []byte) *Checkpoint {
	k := &Checkpoint{Position: c.log.head(), Epoch: c.epoch, Open: c.opened || c.phase == draining, Params: params, State: c.state}
	for i := range c.partitions {
		p := &c.partitions[i]
		k.Partitions = append(k.Partitions, Progress{p.seen, p.count, p.next})
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
	c.epoch, c.opened, c.state = k.Epoch, k.Open, k.State
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
