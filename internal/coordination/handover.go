package coordination

import "fmt"

// handover brings joiners, and checkpoints, the state of a live worker.
type handover struct {
	*run
	*roster
	*journal
	*tree
	*pace
	*epochs
	*gatherings
	ask     ask
	state   []byte // of a worker, the last that is known
	stateAt uint64 // the log's position when it was
	// known is called when a state has come, or nobody lives who had a later one.
	known func()
}

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
func (h *handover) askState() {
	if !h.ask.open {
		h.ask.open = true
		h.ask.id++
		h.askNext()
	}
}

// askNext asks the first worker that was not asked on its link. When no worker is left that could answer, joiners
// get the last known state.
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

// asked is a question, and the link that it was put on.
type asked struct {
	id   uint32
	link Link
}

func (h *handover) got(m *member, s *State) {
	if !h.ask.open || !m.active || s.ID < h.ask.least || s.ID > h.ask.id {
		return // others have answered
	}
	h.knows(s.State)
	h.ask.open = false
	h.serveJoiners()
	h.known()
}

// knows notes the workers' state at the log's present position.
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

// serveJoiners gives all who wait the reference parameters as they are now, with the state that is known, and says how
// many they are.
func (h *handover) serveJoiners() int {
	var params []byte
	served := 0
	for _, m := range h.members {
		if m == nil || m.active || m.link == 0 {
			continue
		}
		s := &Snapshot{Position: h.base, Next: make([]uint32, len(m.shares))}
		if !h.fresh { // else the log has a beginning for everybody since the worker came
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

// activate makes a member one of those who have parameters: those behind a position of the log.
func (h *handover) activate(m *member, position uint64) {
	m.active, m.start, m.received, m.applied = true, position, position, position
	m.worked = h.now
	h.follow(m)
	h.targets(m)
	h.measure()
}

// beginAt appends an entry with which everybody can begin who knows nothing.
func (h *handover) beginAt(e *Entry) {
	h.fresh, h.base = true, h.log.head()
	h.append(e)
	h.ask.least = h.ask.id + 1
	if h.ask.open { // nobody needs a state to begin here
		h.ask.open = false
		h.serveJoiners()
	}
}
