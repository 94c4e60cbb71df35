package mesh

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// Machine is a *coordination.Coordinator or a *coordination.Worker.
type Machine interface {
	Step(now coordination.Time, e coordination.Event) []coordination.Action
}

// Config is a Host's machine and settings.
type Config struct {
	Machine   Machine
	Transport Transport
	// Listener accepts other machines' links; nil for none. The Host closes it when the machine has ended or, with
	// Late, in Close.
	Listener Listener
	// Late makes the machine answer new links after its end, until Close.
	Late bool
	// Coordinator is the coordinator's address, for a worker: WorkerConfig.Coordinator. At any other address the Host
	// expects a worker.
	Coordinator string
	// Train does a worker's step, or its share of a round, in a goroutine of its own. Its context ends with Run. The
	// Host fills in the ID of the result.
	Train func(ctx context.Context, a coordination.Train) coordination.Trained
	// Act handles the actions that are neither messages nor Train: EpochDone, Committed, Save and others of a
	// coordinator, and Warn, Done, ShutDown and Failed of either machine. The Host calls it between two events, so it
	// should be quick. It may call Post to give the next command.
	Act func(a coordination.Action)
	// Tick is the time between two Ticks: half of DefaultTiming's Beat by default. It must be at most half of
	// Timing.Beat.
	Tick time.Duration
	// Options are the transport's. Dial limits dials; Linger limits the end of links and of Run.
	Options Options
	// Log gets a line when a link ends with an error: slog.Default() by default.
	Log *slog.Logger
}

// Host drives a machine with a transport and the clock.
type Host struct {
	conf      Config
	start     time.Time
	links     map[coordination.Link]*link
	accepted  uint64
	inputs    chan input
	group     sync.WaitGroup // goroutines of links
	door      sync.WaitGroup // the goroutine that accepts from the Listener
	late      sync.WaitGroup // the goroutine that answers after the end
	closing   chan struct{}  // closed by Close
	closed    sync.Once
	step      sync.WaitGroup // the goroutine of Train
	ended     bool
	answering bool // after the end, with Late
	err       error
	trouble   error // the last error of the coordinator's link

	mu     sync.Mutex
	posted []coordination.Event
	wake   chan struct{}

	sent, received atomic.Uint64
}

// input is a message from a link's goroutine to the Host.
type input struct {
	link  *link
	event coordination.Event
	conn  Conn // accepted, or successfully dialled
	err   error
	fatal bool // another link would not help the machine
}

// NewHost makes a Host. It does nothing before Run.
func NewHost(c Config) (*Host, error) {
	if c.Machine == nil || c.Transport == nil {
		return nil, errors.New("mesh: a host needs a machine and a transport")
	}
	if _, ok := c.Machine.(*coordination.Worker); ok && c.Train == nil {
		return nil, errors.New("mesh: a worker's host needs Train")
	}
	set(&c.Tick, coordination.DefaultTiming().Beat/2)
	if c.Act == nil {
		c.Act = func(coordination.Action) {}
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	c.Options = c.Options.withDefaults()
	return &Host{conf: c, links: map[coordination.Link]*link{}, inputs: make(chan input), wake: make(chan struct{}, 1),
		closing: make(chan struct{})}, nil
}

// Post gives the machine an event, for example a command. It does not wait, and may be called from any goroutine and
// from Act.
func (h *Host) Post(e coordination.Event) {
	h.mu.Lock()
	h.posted = append(h.posted, e)
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// Traffic returns how many bytes of messages were sent and received so far (coordination.Size).
func (h *Host) Traffic() (sent, received uint64) { return h.sent.Load(), h.received.Load() }

// Run drives the machine until it has ended. It returns nil after Done and ShutDown, and the error of Failed. When the
// context ends, a worker leaves and a coordinator sends its workers away, and Run returns the context's cause. Run
// sends the remaining messages for twice Options.Linger at most; then it breaks the links. It also waits for a running
// step, for Options.Linger at most. Run can be called once.
func (h *Host) Run(ctx context.Context) error {
	h.start = time.Now()
	training, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	if h.conf.Listener != nil {
		h.door.Go(h.accept)
	}
	ticker := time.NewTicker(h.conf.Tick)
	defer ticker.Stop()
	h.take(training, coordination.Tick{})
	for !h.ended {
		select {
		case <-ctx.Done():
			h.end(training, context.Cause(ctx))
		case <-ticker.C:
			h.take(training, coordination.Tick{})
		case in := <-h.inputs:
			h.hear(training, in)
		case <-h.wake:
			h.mu.Lock()
			posted := h.posted
			h.posted = nil
			h.mu.Unlock()
			for _, e := range posted {
				h.take(training, e)
			}
		}
	}
	stop()
	if !h.conf.Late {
		h.shut()
	}
	if err := h.finish(); h.err == nil {
		h.err = err
	}
	if h.conf.Late {
		h.late.Go(h.answer)
	} else {
		h.door.Wait()
	}
	return h.err
}

// end makes the machine say goodbye, and ends it with an error.
func (h *Host) end(ctx context.Context, cause error) {
	h.take(ctx, h.farewell(cause))
	h.ended, h.err = true, cause
}

// farewell returns the event that ends the machine.
func (h *Host) farewell(cause error) coordination.Event {
	if _, ok := h.conf.Machine.(*coordination.Worker); ok {
		return coordination.Quit{Reason: cause.Error()}
	}
	return coordination.Shut{Reason: cause.Error()}
}

// take gives the machine an event and carries out the resulting actions.
func (h *Host) take(ctx context.Context, e coordination.Event) {
	if h.ended && !h.answering {
		return
	}
	for _, a := range h.conf.Machine.Step(time.Since(h.start), e) {
		switch a := a.(type) {
		case coordination.Dial:
			h.dial(a.Link, a.Address)
		case coordination.Send:
			if l := h.links[a.Link]; l != nil {
				l.send(a.Message)
			}
		case coordination.Close:
			if l := h.links[a.Link]; l != nil {
				delete(h.links, a.Link)
				l.end()
			}
		case coordination.Train:
			h.step.Go(func() {
				out := h.conf.Train(ctx, a)
				out.ID = a.ID
				h.Post(out)
			})
		case coordination.Failed:
			h.ended, h.err = true, a.Err
			if h.trouble != nil {
				h.err = fmt.Errorf("%w; the last trouble with its link: %w", a.Err, h.trouble)
			}
			h.conf.Act(a)
		case coordination.Done, coordination.ShutDown:
			h.ended = true
			h.conf.Act(a)
		default:
			h.conf.Act(a)
		}
	}
}

// hear handles an input from a link's goroutine. It ignores links that the machine has closed.
func (h *Host) hear(ctx context.Context, in input) {
	if in.link == nil { // accepted
		h.accepted++
		l := h.newLink(coordination.Link(2 * h.accepted))
		l.role = Worker
		l.open(in.conn)
		h.take(ctx, coordination.Accepted{Link: l.id})
		return
	}
	l := in.link
	if in.fatal {
		h.end(ctx, in.err)
		return
	}
	if h.links[l.id] != l {
		if in.conn != nil { // the dial was given up
			h.group.Go(in.conn.Close)
		}
		return
	}
	switch e := in.event.(type) {
	case coordination.Connected:
		l.open(in.conn)
	case coordination.Broken:
		delete(h.links, e.Link)
		l.drop()
		if l.role == Coordinator {
			h.trouble = in.err
		}
		if in.err != nil {
			h.conf.Log.Info("a link has ended", "error", in.err)
		}
	}
	h.take(ctx, in.event)
}

// finish closes all links after the machine's end, and waits for a running step.
func (h *Host) finish() error {
	h.endLinks()
	steps := make(chan struct{})
	go func() { h.step.Wait(); close(steps) }()
	timer := time.NewTimer(h.conf.Options.Linger)
	defer timer.Stop()
	select {
	case <-steps:
		return nil
	case <-timer.C:
		return fmt.Errorf("a training step has not ended %v after the worker: it is left behind", h.conf.Options.Linger)
	}
}

// endLinks closes all links once their queued messages are sent.
func (h *Host) endLinks() {
	for _, l := range h.links {
		l.end()
	}
	clear(h.links)
	links := make(chan struct{})
	go func() { h.group.Wait(); close(links) }()
	var closing sync.WaitGroup
	defer closing.Wait()
	for {
		select {
		case in := <-h.inputs:
			switch {
			case in.conn == nil:
			case in.link == nil:
				in.conn.Abort()
			default:
				closing.Go(in.conn.Close)
			}
		case <-links:
			return
		}
	}
}
