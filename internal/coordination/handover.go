package coordination

import "fmt"

// handover gives joiners and checkpoints the state of a live worker.
type handover struct {
	*run
	*roster
	*journal
	*tree
	*pace
	*epochs
	*gatherings
	ask     ask
	state   []byte // of a worker, the last known
	stateAt uint64 // the log's position at the time of state
	// known is called when a state has come, or when no worker with a later state is left.
	known func()
}

// ask is a question for a live worker's state, on behalf of joiners or of a checkpoint. A worker answers between
// two steps. If that takes long, others are asked too, and the first answer counts. While any worker with a state
// lives, no older state replaces it.
type ask struct {
	open  bool
	id    uint32
	least uint32 // earlier questions asked for a state that is obsolete
	since Time   // when the last worker was asked
}

// askState asks a live worker for its state, for the joiners and saves that wait for it.
func (h *handover) askState() {
	if !h.ask.open {
		h.ask.open = true
		h.ask.id++
		h.askNext()
	}
}

// askNext asks the first worker that was not yet asked on its present link. If no worker is left that could answer,
// joiners get the last known state.
func (h *handover) askNext() {
	if !h.ask.open {
		return
	}
	alive := false
	for _, m := range h.members {
		if m == nil || !m.active {
			continue
		}
		alive = true
		if now := (asked{h.ask.id, m.link}); m.asked != now && h.responsive(m) {
			m.asked, h.ask.since = now, h.now
			h.send(m.link, &StateRequest{h.ask.id})
			return
		}
	}
	if !alive {
		h.serveOrphans()
	}
}

// asked is a question and the link on which it was sent.
type asked struct {
	id   uint32
	link Link
}

func (h *handover) got(m *member, s *State) {
	if !h.ask.open || !m.active || s.ID < h.ask.least || s.ID > h.ask.id {
		return // another worker has answered
	}
	h.knows(s.State)
	h.ask.open = false
	h.serveJoiners()
	h.known()
}

// knows records a worker's state as of the log's present position.
func (h *handover) knows(state []byte) {
	h.state, h.stateAt = state, h.log.head()
}

// serveOrphans has joiners go on from the last known state, because all workers with a later one are gone. A
// checkpoint waits for the joiners' state.
func (h *handover) serveOrphans() {
	h.ask.open = false
	behind := h.log.head() - h.stateAt
	if h.serveJoiners() > 0 && behind > 0 && !h.fresh {
		h.do(Warn{fmt.Sprintf("gradient sharing: every worker that knew the updater state is lost; "+
			"training goes on with that of %d positions of the log before", behind)})
	}
	if behind == 0 {
		h.known()
	}
}

// serveJoiners gives all joiners that wait the present reference parameters and the known state. It returns the number
// of joiners served.
func (h *handover) serveJoiners() int {
	var params []byte
	served := 0
	for _, m := range h.members {
		if m == nil || m.active || m.link == 0 {
			continue
		}
		s := &Snapshot{Position: h.base, Next: make([]uint32, len(m.shares))}
		if !h.fresh { // else a joiner can begin with an entry that the log still has
			if params == nil {
				if params = h.params(); params == nil {
					return served
				}
			}
			s.Position, s.Epoch, s.Open, s.Params, s.State = h.log.head(), h.epoch, h.opened, params, h.state
			for i, share := range m.shares {
				s.Next[i] = h.partitions[share.Partition].next
			}
		}
		h.send(m.link, s)
		h.activate(m, s.Position)
		served++
	}
	return served
}

// activate marks a member as one that has the parameters at a position of the log, and gives it a parent.
func (h *handover) activate(m *member, position uint64) {
	m.active, m.start, m.received, m.applied = true, position, position, position
	m.worked = h.now
	h.follow(m)
	h.targets(m)
	h.measure()
}

// beginAt appends an entry at which any replica can begin without earlier parameters.
func (h *handover) beginAt(e *Entry) {
	h.fresh, h.base = true, h.log.head()
	h.append(e)
	h.ask.least = h.ask.id + 1
	if h.ask.open { // no joiner needs a state to begin here
		h.ask.open = false
		h.serveJoiners()
	}
}
