package coordination

import "fmt"

// ask is a question for a live worker's state, on behalf of joiners or of a checkpoint. A worker answers between
// two steps. If that takes long, others are asked too, and the first answer counts. While any worker with a state
// lives, no older state replaces it.
type ask struct {
	open  bool
	id    uint32
	least uint32 // answers to earlier questions are of a state that is gone
	since Time   // of the last worker's being asked
}

// askState finds a live worker's state, and then serves the joiners and saves.
func (c *Coordinator) askState() {
	if !c.ask.open {
		c.ask.open = true
		c.ask.id++
		c.askNext()
	}
}

// askNext asks the first worker that was not asked on its link. When no worker is left that could answer, joiners
// get the last known state.
func (c *Coordinator) askNext() {
	if !c.ask.open {
		return
	}
	alive := false
	for _, m := range c.members {
		if m == nil || !m.active {
			continue
		}
		alive = true
		if now := (asked{c.ask.id, m.link}); m.asked != now && c.responsive(m) {
			m.asked, c.ask.since = now, c.now
			c.send(m.link, &StateRequest{c.ask.id})
			return
		}
	}
	if !alive {
		c.serveOrphans()
	}
}

// asked is a question, and the link that it was put on.
type asked struct {
	id   uint32
	link Link
}

func (c *Coordinator) gotState(m *member, s *State) {
	if !c.ask.open || !m.active || s.ID < c.ask.least || s.ID > c.ask.id {
		return // others have answered
	}
	c.knows(s.State)
	c.ask.open = false
	c.serveJoiners()
	if c.wantSave && c.phase != closed && (c.reports != nil || !c.reportsFirst()) {
		c.save()
	}
}

// knows notes the workers' state at the log's present position.
func (c *Coordinator) knows(state []byte) {
	c.state, c.stateAt = state, c.log.head()
}

// serveOrphans has joiners go on from the last known state, because all workers with a later one are gone. A
// checkpoint waits for the joiners' state.
func (c *Coordinator) serveOrphans() {
	c.ask.open = false
	behind := c.log.head() - c.stateAt
	if c.serveJoiners() > 0 && behind > 0 && !c.fresh {
		c.do(Warn{fmt.Sprintf("gradient sharing: every worker that knew the updater state is lost; training goes on with that of %d positions of the log before", behind)})
	}
	if c.wantSave && behind == 0 && (c.reports != nil || !c.reportsFirst()) {
		c.save()
	}
}

// serveJoiners gives all who wait the reference parameters as they are now, with the state that is known, and says how
// many they are.
func (c *Coordinator) serveJoiners() int {
	var params []byte
	served := 0
	for _, m := range c.members {
		if m == nil || m.active || m.link == 0 {
			continue
		}
		s := &Snapshot{Position: c.base, Next: make([]uint32, len(m.shares))}
		if !c.fresh { // else the log has a beginning for everybody since the worker came
			if params == nil {
				if params = c.params(); params == nil {
					return served
				}
			}
			s.Position, s.Epoch, s.Open, s.Params, s.State = c.log.head(), c.epoch, c.opened, params, c.state
			for i, share := range m.shares {
				s.Next[i] = c.partitions[share.Partition].next
			}
		}
		c.send(m.link, s)
		c.activate(m, s.Position)
		served++
	}
	return served
}

// params are the reference's; nil where they can't be had, which ends the run.
func (c *Coordinator) params() []byte {
	params, err := c.ref.Params()
	if err != nil {
		c.fail(fmt.Errorf("gradient sharing: the reference parameters: %w", err))
		return nil
	}
	if params == nil {
		params = []byte{}
	}
	return params
}
