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

// run is the state that all parts of a coordinator share: its settings, the time, its phase, and its next actions.
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

// Term returns the coordinator's term.
func (r *run) Term() uint32 { return r.conf.Term }
