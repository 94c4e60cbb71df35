package sharing

import "fmt"

// deed is what happens to a worker.
type deed string

const (
	killed  deed = "killed"
	stopped deed = "stopped"             // SIGSTOP, and after a while SIGCONT
	cutOff  deed = "cut off"             // its links break, and for a while it reaches nobody and nobody reaches it
	silent  deed = "cut off, links stay" // its links stay, and for a while nothing comes through
)

// point is where in the protocol it happens.
type point string

const (
	beforeSend   point = "before it sends an update"
	beforeCommit point = "between send and commit"       // the update has come, and is not committed
	atCommit     point = "when the commit comes back"    // it has its entry of the log, and has not applied it
	relaying     point = "while it relays"               // it has an entry, and so have Children of those that it feeds
	handing      point = "while it hands its state over" // to the replacement for the victim of the fault Opener
	settling     point = "in the settlement"             // before it gives its part
)

// fault is a deed, and the (worker, step) at which it is done. It happens once.
type fault struct {
	Deed deed
	At   point
	// Of its minibatch, whoever is the worker then. Relaying is at the first entry from there on that goes to so many
	// Children before, whoever trained it and whoever relays.
	Worker, Epoch, Ordinal uint32
	Children               int
	Opener                 int
}

func (f fault) String() string {
	return fmt.Sprintf("worker %d, minibatch %d of epoch %d: %s %s", f.Worker, f.Ordinal, f.Epoch, f.Deed, f.At)
}

// is says whether a minibatch is the fault's.
func (f fault) is(epoch, partition, ordinal uint32) bool {
	return f.Epoch == epoch && f.Worker == partition && f.Ordinal == ordinal
}
