package coordination

import "fmt"

// Reference is the coordinator's own parameters, to which every committed update is applied. The slices that it is
// given are shared; the coordinator owns the slices that it returns.
type Reference interface {
	// Install starts over from parameters.
	Install(params []byte) error
	// Expect lists the payloads of the updates that are about to be committed, in this order. Most of them come in an
	// Apply soon. A reference may decode them on several cores.
	Expect(payloads [][]byte)
	// Apply checks an update's payload and subtracts it. If the job is Summed, it adds the payload to the sum of the
	// release instead. An error refuses the update and leaves everything unchanged. The reference may put subtracting
	// off until CatchUp, or until another method needs the parameters.
	Apply(e *Entry) error
	// Sum ends a release of a Summed job: it returns a payload for the release's sum, and subtracts it from the
	// parameters. It may put subtracting off, too.
	Sum() ([]byte, error)
	// CatchUp subtracts what was put off. It may leave a few updates for the next call.
	CatchUp()
	// Average returns the mean of statistics, added in this order. SetStatistics installs it.
	Average(statistics [][]byte) ([]byte, error)
	SetStatistics(statistics []byte) error
	// Constrain applies the network's constraints to the parameters.
	Constrain() error
	// Params returns the parameters that a joiner begins with, statistics included.
	Params() ([]byte, error)
}

// Coordinator keeps the log, the reference parameters and the members. It is a state machine: Step hands each event to
// the part that handles it. The parts have their own state, and know only the parts that they are made of. Work that
// concerns several parts, such as a member's end, is here.
type Coordinator struct {
	*run
	*roster
	*journal
	*tree
	*pace
	*epochs
	*gatherings
	*handover
	*watch
	*saves
	started bool
	ticked  Time
	told    Time  // the last Stalled
	begin   *Open // waits for workers; nil if none does
}

// NewCoordinator makes a coordinator with the parameters of ref. If from is not nil, the coordinator goes on from this
// checkpoint; ref must already have its parameters.
func NewCoordinator(c Config, ref Reference, from *Checkpoint) (*Coordinator, error) {
	c = c.withDefaults()
	if err := c.Validate(); err != nil {
		return nil, err
	}
	k := compose(c, ref)
	if from != nil {
		if err := k.restore(from); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// compose connects the parts.
func compose(conf Config, ref Reference) *Coordinator {
	run := &run{conf: conf}
	roster := newRoster(run)
	journal := &journal{run: run, roster: roster, ref: ref, fresh: true}
	tree := &tree{run, roster, journal}
	pace := &pace{run: run, roster: roster, journal: journal}
	epochs := &epochs{run: run, roster: roster, journal: journal, statistics: make([][]byte, conf.Partitions)}
	gatherings := &gatherings{run: run, roster: roster, journal: journal, epochs: epochs}
	handover := &handover{run: run, roster: roster, journal: journal, tree: tree, pace: pace, epochs: epochs,
		gatherings: gatherings}
	watch := &watch{run, roster, journal, pace, epochs, gatherings}
	saves := &saves{run: run, roster: roster, journal: journal, pace: pace, epochs: epochs, gatherings: gatherings,
		handover: handover, watch: watch}
	handover.known = saves.stateKnown
	return &Coordinator{run: run, roster: roster, journal: journal, tree: tree, pace: pace, epochs: epochs,
		gatherings: gatherings, handover: handover, watch: watch, saves: saves}
}

// Step handles an event and returns the actions to be done.
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
		c.muster(c.askRound(&e))
		c.checkKept()
	case Settle:
		c.muster(c.askSettlement(e.Group))
	case SaveNow:
		c.saveNow()
	case Shut:
		c.dismiss(e.Reason)
		c.do(ShutDown{})
	default:
		c.fail(fmt.Errorf("gradient sharing: the coordinator got an event of type %T", e))
	}
	c.release()
	c.askReports(head)
	c.advance()
	if c.log.head() != head {
		c.feedAll()
	}
	if c.behind {
		c.behind = false
		c.do(CatchUp{})
	}
	return c.actions
}

// receive handles a message of a link.
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
	wrong := ""
	switch msg := msg.(type) {
	case *Update:
		wrong = c.accept(m, msg)
	case *Beat:
		wrong = c.beat(m, msg)
	case *State:
		c.got(m, msg)
	case *Attach:
		wrong = c.attach(m, msg)
	case *Orphan:
		c.orphan(m, msg)
	case *Part:
		wrong = c.part(m, msg)
	case *Leave:
		c.gaveUp(m, msg.Reason)
	default:
		wrong = fmt.Sprintf("it sent a %T, which is not for coordinators", msg)
	}
	if wrong != "" {
		c.violation(m, wrong)
	}
}

// part handles a part of a sum. The last part ends the round, the settlement, or a checkpoint's wait for reports.
func (c *Coordinator) part(m *member, p *Part) (wrong string) {
	last, wrong := c.take(m, p)
	switch {
	case !last:
	case c.phase == training:
		c.hasReports(p.Payload)
	default:
		c.gathered(m, p)
	}
	return wrong
}

// Members lists the workers by number.
func (c *Coordinator) Members() []Member {
	var all []Member
	for _, m := range c.members {
		if m == nil {
			continue
		}
		info := Member{Peer: m.Peer, Active: m.active, Here: c.responsive(m), Trained: c.trained(m), Held: len(m.held),
			Depth: 1}
		if m.active {
			info.Behind = c.log.head() - m.applied
		}
		if m.parent != nil {
			info.Parent = m.parent.Peer
		}
		for p := m.parent; p != nil; p = p.parent {
			info.Depth++
		}
		all = append(all, info)
	}
	return all
}
