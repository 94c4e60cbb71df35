package coordination

import "fmt"

// Reference is the coordinator's own numbers: the parameters to which every committed update is applied. Slices that it
// is given are shared, those that it gives are the coordinator's.
type Reference interface {
	// Install begins anew from parameters.
	Install(params []byte) error
	// Apply subtracts an update's payload. An error refuses the update, and nothing may be changed.
	Apply(e *Entry) error
	// Average is the mean of statistics, added in this order, and SetStatistics takes it over.
	Average(statistics [][]byte) ([]byte, error)
	SetStatistics(statistics []byte) error
	// Constrain holds the parameters to the network's constraints.
	Constrain() error
	// Params is what a joiner begins with, statistics included.
	Params() ([]byte, error)
}

// phase is what a coordinator is at.
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

// Coordinator keeps the log, the reference parameters and the members. It is a state machine: Step.
type Coordinator struct {
	outbox
	conf Config
	ref  Reference
	now  Time

	started bool
	ticked  Time

	log  window
	keep uint64 // nobody asks for entries before it
	// fresh: nothing has changed the parameters since position base, where everybody can begin.
	fresh bool
	base  uint64
	// agreed: the replicas have the reference's parameters, or are on their way there; not so in and after rounds.
	agreed bool

	came   bool // somebody has been admitted
	phase  phase
	since  Time // of the phase
	moved  Time // the last progress
	told   Time // the last Stalled
	epoch  uint32
	opened bool // the OpenEntry of epoch is in the log, its ClosedEntry is not

	partitions   []partition
	left         int // minibatches of the epoch that are not committed, of the partitions that were seen
	unseen       int // partitions
	members      []*member
	incarnations []uint32
	living       int
	links        map[Link]*member
	greeting     []greeting
	arrivals     map[uint64]int // by nonce: which process it was, in the order of first greetings
	held         int            // updates that wait to be committed
	floor        uint64
	slowest      int
	lives        []*Life
	statistics   [][]byte // by worker, the last of this epoch
	sinceMean    int      // minibatches committed
	loose        int      // minibatches committed since the parameters were held to constraints

	begin     *Open // that waits for workers
	round     *Round
	settle    bool
	gathering *gathering
	sum       struct { // of the last round
		by   Peer
		part *Part
	}

	farewell string // to whoever comes when it is closed

	ask       ask
	state     []byte // of a worker, the last that is known
	stateAt   uint64 // the log's position when it was
	saved     Time
	sinceSave int // entries
	wantSave  bool
	reports   []byte         // of the workers, for the checkpoint that is to be saved; nil before they have come
	short     *DeadlineError // why the epoch is to end when a checkpoint is made
	shortAt   Time
}

// NewCoordinator makes a coordinator whose parameters are ref's. From, if not nil, is the checkpoint to go on from; ref
// must then have its parameters.
func NewCoordinator(c Config, ref Reference, from *Checkpoint) (*Coordinator, error) {
	c = c.withDefaults()
	if err := c.Validate(); err != nil {
		return nil, err
	}
	k := &Coordinator{conf: c, ref: ref, fresh: true, links: map[Link]*member{}, arrivals: map[uint64]int{}, partitions: make([]partition, c.Partitions),
		members: make([]*member, c.Partitions), incarnations: make([]uint32, c.Partitions), unseen: c.Partitions,
		statistics: make([][]byte, c.Partitions)}
	if from != nil {
		if err := k.restore(from); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// Step takes an event in and gives what is to be done.
func (c *Coordinator) Step(now Time, e Event) []Action {
	c.actions = c.actions[:0]
	if c.phase == closed {
		c.turnAway(e)
		return c.actions
	}
	c.now = now
	if !c.started {
		c.started = true
		c.since, c.moved, c.saved, c.ticked = now, now, now, now
	}
	head := c.log.head()
	switch e := e.(type) {
	case Tick:
		c.tick()
	case Accepted:
		c.greeting = append(c.greeting, greeting{e.Link, now})
	case Received:
		c.receive(e.Link, e.Message)
	case Alive:
		if m := c.links[e.Link]; m != nil {
			m.heard = now
		}
	case Sent:
		c.sent(e.Link)
	case Broken:
		c.broken(e.Link)
	case Open:
		c.open(&e)
	case Round:
		c.startRound(&e)
	case Settle:
		c.startSettle(e.Group)
	case SaveNow:
		c.saveNow()
	case Shut:
		c.shut(e.Reason)
	default:
		c.fail(fmt.Errorf("gradient sharing: the coordinator got an event of type %T", e))
	}
	c.release()
	c.askReports(head)
	c.advance()
	if c.log.head() != head {
		for _, m := range c.members {
			if m != nil && m.stream != nil {
				m.stream.feed(&c.log, c.keep, c.conf.Batch, c.now, &c.outbox)
			}
		}
	}
	return c.actions
}

// sent feeds on.
func (c *Coordinator) sent(l Link) {
	m := c.links[l]
	if m == nil {
		return
	}
	m.unsent = 0
	if m.stream != nil {
		m.stream.busy = false
		m.stream.feed(&c.log, c.keep, c.conf.Batch, c.now, &c.outbox)
	}
}

// receive takes a message of a link.
func (c *Coordinator) receive(l Link, msg Message) {
	if h, ok := msg.(*Hello); ok {
		c.hello(l, h)
		return
	}
	m := c.links[l]
	if m == nil {
		c.refuse(l, "a greeting must come first", true)
		return
	}
	m.heard = c.now
	switch msg := msg.(type) {
	case *Update:
		c.update(m, msg)
	case *Beat:
		c.beat(m, msg)
	case *State:
		c.gotState(m, msg)
	case *Attach:
		c.attach(m, msg)
	case *Orphan:
		c.orphan(m, msg)
	case *Part:
		c.part(m, msg)
	case *Leave:
		c.gaveUp(m, msg.Reason)
	default:
		c.violation(m, fmt.Sprintf("it sent a %T, which is not for coordinators", msg))
	}
}

// enter changes the phase.
func (c *Coordinator) enter(p phase) {
	c.phase, c.since, c.moved = p, c.now, c.now
}

// append puts an entry into the log.
func (c *Coordinator) append(e *Entry) {
	c.log.append(e)
	c.moved = c.now
	c.sinceSave++
}

// fail ends the run.
func (c *Coordinator) fail(err error) {
	if c.phase == closed {
		return
	}
	c.dismiss(err.Error())
	c.do(Failed{err})
}

func (c *Coordinator) shut(reason string) {
	c.dismiss(reason)
	c.do(ShutDown{})
}

// turnAway tells workers that come after the end that there is nothing left to do.
func (c *Coordinator) turnAway(e Event) {
	if r, ok := e.(Received); ok {
		if _, greets := r.Message.(*Hello); greets {
			c.send(r.Link, &Bye{c.farewell, true})
		}
		c.close(r.Link)
	}
}

// dismiss says goodbye to everybody.
func (c *Coordinator) dismiss(reason string) {
	c.farewell = reason
	for _, m := range c.members {
		if m != nil {
			c.send(m.link, &Bye{reason, true})
			c.close(m.link)
		}
	}
	for _, g := range c.greeting {
		c.close(g.link)
	}
	c.enter(closed)
}
