package coordination

// ownFlag marks, beside the kind, an entry without payload because its receiver has it.
const ownFlag = 1 << 7

// moreFlag marks, beside the kind, an entry whose release goes on.
const moreFlag = 1 << 6

// kind codes the entry's kind and flags in one number.
func (c *coder) kind(e *Entry) {
	c.note("Kind", "kind", &e.Kind)
	c.note("Own", "flag", &e.Own)
	c.note("More", "flag", &e.More)
	if c.r != nil {
		k := c.r.uint()
		e.Kind, e.Own, e.More = EntryKind(k&^(ownFlag|moreFlag)), k&ownFlag != 0, k&moreFlag != 0
		if k > 0xff || e.Own && e.Kind != UpdateEntry && e.Kind != RoundEntry {
			c.r.fail("an entry of no kind")
		}
		return
	}
	k := uint64(e.Kind)
	if e.Own {
		k |= ownFlag
	}
	if e.More {
		k |= moreFlag
	}
	c.w.uint(k)
}

func (e *Entry) fields(c *coder) {
	c.kind(e)
	c.uint32("Epoch", &e.Epoch)
	switch e.Kind {
	case UpdateEntry:
		c.peer("Peer", &e.Peer)
		c.uint("Seq", &e.Seq)
		c.uint32("Partition", &e.Partition)
		c.uint32("Ordinal", &e.Ordinal)
		e.payload(c)
	case StatisticsEntry, SumEntry:
		c.bytes("Payload", &e.Payload)
	case BaseEntry:
		c.bytes("Payload", &e.Payload)
		c.optional("State", &e.State)
	case OpenEntry, ClosedEntry, ConstrainEntry:
	case RoundEntry:
		c.uints("Shares", &e.Shares)
		c.uint32("Group", &e.Group)
		c.peer("Peer", &e.Peer)
		c.uint("Seq", &e.Seq)
		c.bool("Sliced", &e.Sliced)
		c.bool("Whole", &e.Whole)
		c.bool("Kept", &e.Kept)
		e.owners(c)
		e.payload(c)
	case SettleEntry:
		c.uints("Shares", &e.Shares)
		c.uint32("Group", &e.Group)
		c.bytes("Payload", &e.Payload)
	default:
		if c.r != nil {
			c.r.fail("an entry of no kind")
		}
	}
}

func (e *Entry) owners(c *coder) {
	n := c.list("Owners", &e.Owners, len(e.Owners))
	if c.r != nil && n > 0 {
		e.Owners = make([]Owner, n)
	}
	for i := range e.Owners {
		c.peer("Peer", &e.Owners[i].Peer)
		c.string("Address", &e.Owners[i].Address)
	}
	if c.r != nil && e.Sliced && n != len(e.Shares) {
		c.r.fail("a round that does not name the owners of its shares")
	}
}

// payload codes the payload, unless the receiver has it.
func (e *Entry) payload(c *coder) {
	if !e.Own {
		c.bytes("Payload", &e.Payload)
	}
}
