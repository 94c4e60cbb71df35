package coordination

// EntryKind says what replicas do with an entry of the log.
type EntryKind uint8

const (
	// UpdateEntry is a committed minibatch: Payload is to be subtracted from the parameters. It may be empty.
	UpdateEntry EntryKind = iota + 1
	// StatisticsEntry sets the statistics that no gradient moves to Payload, their mean over the workers.
	StatisticsEntry
	// BaseEntry starts over from Payload, the parameters, and State. Residuals are dropped.
	BaseEntry
	// OpenEntry opens Epoch: workers train its minibatches.
	OpenEntry
	// ClosedEntry closes Epoch: all its minibatches come before this entry. Replicas that have applied it agree.
	ClosedEntry
	// RoundEntry is a round of parameter averaging, with the number Epoch. The owners of Shares train them from
	// Payload, and their results are added up. If Payload is the result of the last round, Peer sent it, for the
	// gathering Seq. If the round is Sliced, they exchange their results.
	RoundEntry
	// SettleEntry adds up the reports of the workers in Shares.
	SettleEntry
	// ConstrainEntry applies the network's constraints to the parameters with all updates up to here.
	ConstrainEntry
	// SumEntry ends the updates of a release of a Summed job. Its Payload is the sum of theirs, which they lack.
	SumEntry
)

// Entry is one position of the log, the same for all replicas. Entries are shared and never changed.
type Entry struct {
	Kind  EntryKind
	Epoch uint32

	// Of an update. In a round, Peer and Seq name the sender of the payload.
	Peer      Peer
	Seq       uint64
	Partition uint32
	Ordinal   uint32
	// Own means that the payload is left out, because the receiver is Peer and has it. In a Summed job no update has
	// its payload: a SumEntry follows.
	Own bool
	// More means that other entries of the same release follow. A replica begins no step before it has applied them.
	More bool

	Payload []byte
	State   []byte

	// Of a round or a settlement: the partitions in the order of addition, and how many neighbours a level of the tree
	// adds up.
	Shares []uint32
	Group  uint32

	// Of a round: see Round. Owners holds the owner of each share of a Sliced round.
	Sliced, Whole, Kept bool
	Owners              []Owner
}

// Owner is the worker that owns a share, and where the others reach it.
type Owner struct {
	Peer    Peer
	Address string // empty: by way of the coordinator
}

// size is about how many bytes the entry takes in memory and on the wire.
func (e *Entry) size() int {
	return 48 + len(e.Payload) + len(e.State) + 4*len(e.Shares) + 32*len(e.Owners)
}

// of reports whether the peer has the entry's payload because it sent it.
func (e *Entry) of(p Peer) bool {
	return e.Peer == p && (e.Kind == UpdateEntry || e.Kind == RoundEntry)
}

// own returns the entry without the payload, for its sender.
func (e *Entry) own() *Entry {
	short := *e
	short.Payload, short.Own = nil, true
	return &short
}

// window is the part of the log that a machine keeps: the positions after base up to head.
type window struct {
	base    uint64 // the position before the first entry
	entries []*Entry
	bytes   int
}

func (w *window) head() uint64 { return w.base + uint64(len(w.entries)) }

func (w *window) at(position uint64) *Entry { return w.entries[position-w.base-1] }

func (w *window) append(e *Entry) {
	w.entries = append(w.entries, e)
	w.bytes += e.size()
}

// trim forgets the entries before keep.
func (w *window) trim(keep uint64) {
	if keep <= w.base+1 {
		return
	}
	n := min(int(keep-w.base-1), len(w.entries))
	for _, e := range w.entries[:n] {
		w.bytes -= e.size()
	}
	w.entries = w.entries[n:] // not cleared: messages on their way share them
	w.base += uint64(n)
}

// reset begins an empty log after position.
func (w *window) reset(position uint64) { *w = window{base: position} }

// batch returns the entries from position on: as many as fit in about the given number of bytes, but at least one.
func (w *window) batch(position uint64, bytes int) []*Entry {
	from := w.entries[position-w.base-1:]
	size := 0
	for i, e := range from {
		if size += e.size(); i > 0 && (size > bytes || i == maxEntries) {
			return from[:i:i]
		}
	}
	return from[:len(from):len(from)]
}
