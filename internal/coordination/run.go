package coordination

// phase is the task that a coordinator works on.
type phase uint8

const (
	idle      phase = iota // waits for its driver
	mustering              // waits for the first Min workers
	training
	draining // the epoch is committed; replicas catch up
	adding   // up a round or a settlement
	closed
)

var phaseNames = [...]string{"idle", "waiting for workers", "training", "closing the epoch", "adding up", "closed"}

func (p phase) String() string { return phaseNames[p] }

// run is what all parts of a coordinator know: its settings, the time, its task, and its next actions.
type run struct {
	outbox
	conf  Config
	now   Time
	phase phase
	since Time // of the phase
	moved Time // the last progress
}

// enter changes the phase.
func (r *run) enter(p phase) {
	r.phase, r.since, r.moved = p, r.now, r.now
}

// Term is the coordinator's.
func (r *run) Term() uint32 { return r.conf.Term }
