package coordination

// Peer names a worker's life in a run. Worker is the lowest partition that it holds. Incarnation counts the lives with
// this Worker, from 1. An Incarnation of 0 names no worker; as a parent, it is the coordinator.
type Peer struct{ Worker, Incarnation uint32 }

// Share is a partition that a worker holds, with its number of minibatches in an epoch.
type Share struct{ Partition, Minibatches uint32 }

// Message is a message on a link. Messages, and all their contents, are never changed once they are sent.
type Message interface{ kind() kind }

// JobID names a job. It is part of every frame's checksum, so that a frame of another job is refused.
type JobID [16]byte

// Hello is a worker's first message to the coordinator on a link.
type Hello struct {
	Job     JobID
	Nonce   uint64 // differs between processes
	Attempt uint32 // of the task: the higher one holds a partition; of equal ones, the later process
	Shares  []Share
	Address string // where other workers reach it; empty if they can't: then it relays nothing

	// The life that it wants to resume after its link broke; Incarnation 0 for a new one.
	Term        uint32
	Incarnation uint32
}

// Welcome admits a worker, or resumes its life.
type Welcome struct {
	Term    uint32 // of the coordinator, another one after each restart
	Peer    Peer
	Resumed bool
	// Committed is the last committed Seq of the life that the worker asked for, if it gets another life.
	Committed uint64
	// Fresh means that no Snapshot will come. The worker begins after Position of the log.
	Fresh    bool
	Position uint64
}

// Refuse refuses a greeting. Final: trying again is of no use.
type Refuse struct {
	Reason string
	Final  bool
}

// Snapshot is where a joiner begins: the reference parameters at Position of the log, a live worker's state, and how
// far the joiner's partitions are.
type Snapshot struct {
	Position uint64
	Epoch    uint32
	Open     bool     // the epoch is under way
	Next     []uint32 // for each of its shares, the first uncommitted ordinal
	Params   []byte   // nil: they come with the log
	State    []byte   // nil: none is known, the worker keeps its initial state
}

// Update is the result of a step, sent by the worker to the coordinator. Its identity is (Peer, Seq). It commits the
// minibatch (Epoch, Partition, Ordinal).
type Update struct {
	Peer       Peer
	Seq        uint64 // from 1 in each incarnation, without gaps
	Epoch      uint32
	Partition  uint32
	Ordinal    uint32
	Applied    uint64 // position of the log that the replica has
	Score      float64
	Statistics []byte // now and then, the statistics that no gradient moves
	Payload    []byte // may be empty
}

// Beat says that a worker lives, and how far it is.
type Beat struct {
	Received, Applied uint64
	// Gathered is the last gathering to which the worker has given all its parts. Lacks: it waits for others' parts of
	// a later one.
	Gathered uint64
	Lacks    bool
}

// Pulse says that the coordinator lives. Head is the log's last position, Keep the first one that a worker may still
// ask for. A replica tells its position after Report more entries.
type Pulse struct{ Head, Keep, Report uint64 }

// StateRequest asks a worker for its updater and threshold state. State answers it, however late.
type StateRequest struct{ ID uint32 }

// State answers a StateRequest.
type State struct {
	ID    uint32
	State []byte
}

// Follow tells a worker its new parent, which feeds it the log from now on.
type Follow struct {
	Version uint32 // grows with each one
	Parent  Peer   // zero: the coordinator, on the existing link
	Address string
}

// Attach asks a parent for the log after Received.
type Attach struct {
	Term     uint32
	Peer     Peer
	Version  uint32
	Received uint64
}

// Log brings entries First, First+1, … Keep is as in Pulse.
type Log struct {
	First, Keep uint64
	Entries     []*Entry
}

// Behind is a parent's answer to an Attach that it cannot serve: its own log begins later, or it has enough children.
type Behind struct{}

// Orphan complains to the coordinator about the parent of a Follow: it can't be reached, can't serve, or is silent
// although there are new entries.
type Orphan struct {
	Version     uint32
	Received    uint64
	Unreachable bool
}

// Part is a node of a gathering's tree: the sum of the contributions below it. It goes to the owner of the node above.
// In a sliced round, a part with a Slice above 0 is a piece of the result at the place Index (Level 0), or the sum of
// all pieces of the slice (Level 1).
type Part struct {
	Term         uint32
	To           Peer   // the receiver; zero: the coordinator
	Gather       uint64 // the position of its Round or Settle entry
	Level, Index uint32
	Slice        uint32 // counted from 1; 0 for a node of the tree
	Payload      []byte
}

// Got confirms a Part, on the link by which it came.
type Got struct {
	Gather       uint64
	Level, Index uint32
	Slice        uint32
}

// Target tells a participant which peer owns the place at Position, so that it can send its part there.
type Target struct {
	Gather   uint64
	Position uint32
	Peer     Peer
	Address  string // empty: by way of the coordinator
}

// Leave is a worker's last message.
type Leave struct{ Reason string }

// Bye is the coordinator's last message. Final: the run is over or has no use for the worker. Otherwise the worker may
// greet again, as a new incarnation.
type Bye struct {
	Reason string
	Final  bool
}

type kind uint8

const (
	kindHello kind = iota + 1
	kindWelcome
	kindRefuse
	kindSnapshot
	kindUpdate
	kindBeat
	kindPulse
	kindStateRequest
	kindState
	kindFollow
	kindAttach
	kindLog
	kindBehind
	kindOrphan
	kindPart
	kindGot
	kindTarget
	kindLeave
	kindBye
)

func (*Hello) kind() kind        { return kindHello }
func (*Welcome) kind() kind      { return kindWelcome }
func (*Refuse) kind() kind       { return kindRefuse }
func (*Snapshot) kind() kind     { return kindSnapshot }
func (*Update) kind() kind       { return kindUpdate }
func (*Beat) kind() kind         { return kindBeat }
func (*Pulse) kind() kind        { return kindPulse }
func (*StateRequest) kind() kind { return kindStateRequest }
func (*State) kind() kind        { return kindState }
func (*Follow) kind() kind       { return kindFollow }
func (*Attach) kind() kind       { return kindAttach }
func (*Log) kind() kind          { return kindLog }
func (*Behind) kind() kind       { return kindBehind }
func (*Orphan) kind() kind       { return kindOrphan }
func (*Part) kind() kind         { return kindPart }
func (*Got) kind() kind          { return kindGot }
func (*Target) kind() kind       { return kindTarget }
func (*Leave) kind() kind        { return kindLeave }
func (*Bye) kind() kind          { return kindBye }
