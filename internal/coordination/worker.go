package coordination

import "fmt"

// Replica is a worker's numbers: parameters, residual, updater and threshold state. Its methods are called between
// steps; only Sum and Abandon may be called during one. The slices that it is given are shared; the machine owns the
// slices that it returns.
type Replica interface {
	// Install starts over. It drops the residual, and counts it as lost. A nil state means the initial one. For a
	// round, params are its Start.
	Install(params, state []byte) error
	// Apply subtracts a payload from the parameters: another worker's update, its own or, in a Summed job, the sum of a
	// release.
	Apply(e *Entry) error
	SetStatistics(statistics []byte) error
	// Constrain applies the network's constraints to the parameters without the worker's pending updates. Those have
	// been applied here, but come after this entry in the log. In a Summed job there are none.
	Constrain(pending []*Update) error
	// State returns the state that a joiner needs besides parameters.
	State() ([]byte, error)
	// Report returns the worker's contribution to a settlement: at the end of a fit, or, if the epoch is open, for a
	// checkpoint, after which training goes on. The checkpoint's reference lacks the worker's pending updates. They have
	// been applied here, unless the job is Summed.
	Report(open bool, pending []*Update) ([]byte, error)
	// Sum adds up two or more parts, in this order.
	Sum(parts [][]byte) ([]byte, error)
	// Abandon counts an update as lost: it was taken from the residual and will not be committed. An update that was
	// never sent has no Peer.
	Abandon(u *Update)
}

// WorkerConfig is a worker's settings. InFlight, Summed, Fanout, Batch, Statistics and Timing are as in Config.
type WorkerConfig struct {
	Job         JobID
	Nonce       uint64 // drawn for the process
	Attempt     uint32
	Shares      []Share // in rising order
	Address     string  // where other workers reach it; empty if they can't
	Coordinator string
	InFlight    int
	Summed      bool
	Fanout      int
	Batch       int
	Statistics  int
	Timing      Timing
}

// Train is the action that starts a step in the background. Trained must follow.
type Train struct {
	ID uint64
	// A minibatch: the step adds its update to the residual, encodes the payload and takes it out of the residual.
	// Replica.Apply applies it later.
	Epoch, Partition, Ordinal uint32
	Statistics                bool // to be sent with the update
	// Round means that the step trains the share of Partition in the round numbered Epoch. Install came before.
	Round bool
}

// Trained is the event that a step has ended. A payload may be empty.
type Trained struct {
	ID         uint64
	Payload    []byte
	Statistics []byte
	Score      float64
	Err        error
}

// Done is the worker's last action if the coordinator dismissed it.
type Done struct{ Reason string }

// Worker is the worker's side of the protocol: a state machine like Coordinator.
type Worker struct {
	outbox
	conf    WorkerConfig
	replica Replica
	now     Time
	ended   bool
	started bool
	ticked  Time

	dialled uint64 // links
	control controlLink
	term    uint32
	peer    Peer // Incarnation 0: not a member
	active  bool // it has parameters, or will have with the first entry
	barred  bool // the coordinator has ended this life; the next has not begun
	parent  parentLink
	targets targetLinks
	relay   relay

	log         window
	applied     uint64
	keep        uint64
	partial     bool      // other entries of the last applied one's release follow
	begin       *Snapshot // to be installed between two steps
	askedFor    *StateRequest
	pending     []*Update // its own updates, not yet seen in the log
	seq         uint64
	epoch       uint32
	open        bool
	next        []uint32 // of each share
	steps       steps
	reported    uint64 // the position that the coordinator was told last
	reportAfter uint64
	gathering   workerGathering
	sum         *Part // the last sum of a round that it gave the coordinator
	announced   bool  // it has to send a Beat soon
}

// NewWorker makes a worker.
func NewWorker(c WorkerConfig, r Replica) (*Worker, error) {
	d := Config{Partitions: 1, InFlight: c.InFlight, Fanout: c.Fanout, Batch: c.Batch, Statistics: c.Statistics,
		Timing: c.Timing}.withDefaults()
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if len(c.Shares) == 0 || len(c.Shares) > maxPartitions {
		return nil, fmt.Errorf("gradient sharing: a worker with %d partitions", len(c.Shares))
	}
	c.InFlight, c.Fanout, c.Batch, c.Statistics, c.Timing = d.InFlight, d.Fanout, d.Batch, d.Statistics, d.Timing
	return &Worker{conf: c, replica: r, next: make([]uint32, len(c.Shares)), steps: steps{place: -1}, reportAfter: 16}, nil
}

// Step handles an event and returns the actions to be done. The first Step also dials the coordinator.
func (w *Worker) Step(now Time, e Event) []Action {
	w.actions = w.actions[:0]
	if w.ended {
		return nil
	}
	w.now = now
	if !w.started {
		w.started = true
		w.control.heard, w.ticked = now, now
		w.control.dial(w)
	}
	switch e := e.(type) {
	case Tick:
		w.tick()
	case Accepted:
		w.relay.accept(w, e.Link)
	case Connected:
		w.connected(e.Link)
	case Received:
		w.receive(e.Link, e.Message)
	case Alive:
		w.alive(e.Link)
	case Sent:
		w.relay.sent(w, e.Link)
	case Broken:
		w.broken(e)
	case Trained:
		w.steps.ended(w, &e)
	case Quit:
		w.leave(e.Reason)
	default:
		w.fail(fmt.Errorf("gradient sharing: a worker got an event of type %T", e))
	}
	if !w.ended {
		w.advance()
	}
	if w.announced && !w.ended {
		w.control.beat(w)
	}
	return w.actions
}

// tick checks all waits.
func (w *Worker) tick() {
	if gap := w.now - w.ticked; gap > w.conf.Timing.Quiet {
		w.control.stopped(gap)
		w.parent.came += gap
		w.steps.since += gap
	}
	w.ticked = w.now
	err := w.control.orphaned(w)
	if err == nil {
		err = w.steps.stuck(w)
	}
	if err != nil {
		w.fail(err)
		return
	}
	w.control.tick(w)
	w.parent.tick(w)
	w.targets.redial(w)
	w.relay.tick(w)
}

// Quit is the event that makes a worker leave.
type Quit struct{ Reason string }

// fail ends the worker.
func (w *Worker) fail(err error) {
	if w.ended {
		return
	}
	w.leave(err.Error())
	w.do(Failed{err})
}

// leave sends a Leave and closes all links.
func (w *Worker) leave(reason string) {
	w.ended = true
	w.send(w.control.link, &Leave{reason})
	w.closeAll()
}

func (w *Worker) closeAll() {
	w.close(w.control.link)
	w.control.link = 0
	w.parent.drop(w)
	w.targets.drop(w)
	w.relay.drop(w)
}

// fresh ends the worker's life. It abandons its updates after the Seq committed.
func (w *Worker) fresh(committed uint64) {
	for _, u := range w.pending {
		if u.Seq > committed {
			w.replica.Abandon(u)
		}
	}
	w.pending, w.seq, w.peer, w.active, w.begin, w.askedFor = nil, 0, Peer{}, false, nil, nil
	w.open, w.barred, w.partial = false, false, false
	w.log.reset(0)
	w.applied, w.reported = 0, 0
	w.gathering, w.sum = workerGathering{}, nil
	w.steps.lost = w.steps.running()
	w.parent.drop(w)
	w.parent = parentLink{}
	w.targets.drop(w)
	w.relay.drop(w)
}

// newLink returns a number for a link that this worker dials.
func (w *Worker) newLink() Link {
	w.dialled++
	return Link(2*w.dialled - 1)
}
