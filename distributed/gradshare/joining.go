package gradshare

import (
	"fmt"
	"slices"
)

// ask is a question for a live worker's state, on behalf of joiners or of a checkpoint. There is one at a time.
type ask struct {
	of    *member // nil: nobody is asked
	id    uint32
	since Time
	tried []uint32
}

// askState finds a live worker's state, and then serves the joiners and saves.
func (c *Coordinator) askState() {
	if c.ask.of == nil {
		c.ask.tried = c.ask.tried[:0]
		c.askNext()
	}
}

// askNext asks the first worker that has not been asked; if there is none, what was known last must do.
func (c *Coordinator) askNext() {
	for _, m := range c.members {
		if m != nil && c.responsive(m) && !slices.Contains(c.ask.tried, m.Worker) {
			c.ask.id++
			c.ask.of, c.ask.since, c.ask.tried = m, c.now, append(c.ask.tried, m.Worker)
			c.send(m.link, &StateRequest{c.ask.id})
			return
		}
	}
	c.serveJoiners()
}

func (c *Coordinator) gotState(m *member, s *State) {
	if c.ask.of != m || s.ID != c.ask.id {
		return // too late
	}
	c.state = s.State
	c.serveJoiners()
}

// serveJoiners gives all who wait the reference parameters as they are now, with the state that was found.
func (c *Coordinator) serveJoiners() {
	c.ask.of = nil
	var params []byte
	load := func() bool {
		if params == nil {
			var err error
			if params, err = c.ref.Params(); err != nil {
				c.fail(fmt.Errorf("gradient sharing: the reference parameters: %w", err))
				return false
			}
		}
		return true
	}
	for _, m := range c.members {
		if m == nil || m.active || m.link == 0 {
			continue
		}
		s := &Snapshot{Position: c.base, Next: make([]uint32, len(m.shares))}
		if !c.fresh { // else the log has a beginning for everybody since the worker came
			if !load() {
				return
			}
			s.Position, s.Epoch, s.Open, s.Params, s.State = c.log.head(), c.epoch, c.opened, params, c.state
			for i, share := range m.shares {
				s.Next[i] = c.partitions[share.Partition].next
			}
		}
		c.send(m.link, s)
		c.activate(m, s.Position)
	}
	if c.wantSave && load() {
		c.wantSave = false
		c.saved, c.sinceSave = c.now, 0
		c.do(Save{c.checkpoint(params)})
	}
}
