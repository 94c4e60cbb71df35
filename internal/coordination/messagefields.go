package coordination

// The fields of each message, in the order of the wire.

func (m *Hello) fields(c *coder) {
	c.job("Job", &m.Job)
	c.fixed64("Nonce", &m.Nonce)
	c.uint32("Attempt", &m.Attempt)
	n := c.list("Shares", &m.Shares, len(m.Shares))
	if c.r != nil {
		m.Shares = make([]Share, n)
	}
	for i := range m.Shares {
		m.Shares[i].fields(c)
	}
	c.string("Address", &m.Address)
	c.uint32("Term", &m.Term)
	c.uint32("Incarnation", &m.Incarnation)
}

func (s *Share) fields(c *coder) {
	c.uint32("Partition", &s.Partition)
	c.uint32("Minibatches", &s.Minibatches)
}

func (m *Welcome) fields(c *coder) {
	c.uint32("Term", &m.Term)
	c.peer("Peer", &m.Peer)
	c.bool("Resumed", &m.Resumed)
	c.uint("Committed", &m.Committed)
	c.bool("Fresh", &m.Fresh)
	c.uint("Position", &m.Position)
}

func (m *Refuse) fields(c *coder) {
	c.string("Reason", &m.Reason)
	c.bool("Final", &m.Final)
}

func (m *Snapshot) fields(c *coder) {
	c.uint("Position", &m.Position)
	c.uint32("Epoch", &m.Epoch)
	c.bool("Open", &m.Open)
	c.uints("Next", &m.Next)
	c.optional("Params", &m.Params)
	c.optional("State", &m.State)
}

func (m *Update) fields(c *coder) {
	c.peer("Peer", &m.Peer)
	c.uint("Seq", &m.Seq)
	c.uint32("Epoch", &m.Epoch)
	c.uint32("Partition", &m.Partition)
	c.uint32("Ordinal", &m.Ordinal)
	c.uint("Applied", &m.Applied)
	c.float("Score", &m.Score)
	c.optional("Statistics", &m.Statistics)
	c.bytes("Payload", &m.Payload)
}

func (m *Beat) fields(c *coder) {
	c.uint("Received", &m.Received)
	c.uint("Applied", &m.Applied)
	c.uint("Gathered", &m.Gathered)
	c.bool("Lacks", &m.Lacks)
}

func (m *Pulse) fields(c *coder) {
	c.uint("Head", &m.Head)
	c.uint("Keep", &m.Keep)
	c.uint("Report", &m.Report)
}

func (m *StateRequest) fields(c *coder) { c.uint32("ID", &m.ID) }

func (m *State) fields(c *coder) {
	c.uint32("ID", &m.ID)
	c.optional("State", &m.State)
}

func (m *Follow) fields(c *coder) {
	c.uint32("Version", &m.Version)
	c.peer("Parent", &m.Parent)
	c.string("Address", &m.Address)
}

func (m *Attach) fields(c *coder) {
	c.uint32("Term", &m.Term)
	c.peer("Peer", &m.Peer)
	c.uint32("Version", &m.Version)
	c.uint("Received", &m.Received)
}

func (m *Log) fields(c *coder) {
	c.uint("First", &m.First)
	c.uint("Keep", &m.Keep)
	n := c.list("Entries", &m.Entries, len(m.Entries))
	if c.r != nil {
		if n > maxEntries {
			c.r.fail("it has too many entries")
			return
		}
		m.Entries = make([]*Entry, n)
	}
	for i := range m.Entries {
		if c.failed() {
			return
		}
		if c.r != nil {
			m.Entries[i] = &Entry{}
		}
		m.Entries[i].fields(c)
	}
}

func (m *Orphan) fields(c *coder) {
	c.uint32("Version", &m.Version)
	c.uint("Received", &m.Received)
	c.bool("Unreachable", &m.Unreachable)
}

func (m *Part) fields(c *coder) {
	c.uint32("Term", &m.Term)
	c.peer("To", &m.To)
	c.uint("Gather", &m.Gather)
	c.uint32("Level", &m.Level)
	c.uint32("Index", &m.Index)
	c.uint32("Slice", &m.Slice)
	c.bytes("Payload", &m.Payload)
}

func (m *Got) fields(c *coder) {
	c.uint("Gather", &m.Gather)
	c.uint32("Level", &m.Level)
	c.uint32("Index", &m.Index)
	c.uint32("Slice", &m.Slice)
}

func (m *Target) fields(c *coder) {
	c.uint("Gather", &m.Gather)
	c.uint32("Position", &m.Position)
	c.peer("Peer", &m.Peer)
	c.string("Address", &m.Address)
}

func (m *Leave) fields(c *coder) { c.string("Reason", &m.Reason) }

func (m *Bye) fields(c *coder) {
	c.string("Reason", &m.Reason)
	c.bool("Final", &m.Final)
}
