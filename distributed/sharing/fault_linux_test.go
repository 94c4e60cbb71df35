package sharing

import "fmt"

// deed is the kind of a fault.
type deed string

const (
	killed  deed = "killed"
	stopped deed = "stopped"             // SIGSTOP, and after a while SIGCONT
	cutOff  deed = "cut off"             // its links break; for a while it can reach no process, and none can reach it
	silent  deed = "cut off, links stay" // its links stay; for a while nothing comes through
)

// point is the point of the protocol at which a fault happens.
type point string

const (
	beforeSend   point = "before it sends an update"
	beforeCommit point = "between send and commit"       // the update has arrived and is not committed
	atCommit     point = "when the commit comes back"    // the worker has the log entry and has not applied it
	relaying     point = "while it relays"               // it has an entry, and so have Children of its children
	handing      point = "while it hands its state over" // to the replacement for the victim of the fault Opener
	settling     point = "in the settlement"             // before it sends its part
)

// fault is a kind of fault, and the worker and step that it hits. It happens once.
type fault struct {
	Deed deed
	At   point
	// The partition, epoch and number of the minibatch. The victim is the worker that trains it then. A relaying fault
	// happens at the first entry from there on that a relay has passed to Children children, whichever worker trained
	// it and whichever relays it.
	Worker, Epoch, Ordinal uint32
	Children               int
	Opener                 int
}

func (f fault) String() string {
	return fmt.Sprintf("worker %d, minibatch %d of epoch %d: %s %s", f.Worker, f.Ordinal, f.Epoch, f.Deed, f.At)
}

// is reports whether the fault is for a minibatch.
func (f fault) is(epoch, partition, ordinal uint32) bool {
	return f.Epoch == epoch && f.Worker == partition && f.Ordinal == ordinal
}
