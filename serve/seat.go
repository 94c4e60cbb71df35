package serve

import (
	"errors"
	"runtime"
	"time"

	"github.com/dl4go/dl4go/nn"
)

// seat is a place where one minibatch is computed at a time: a network that shares the parameters, with programs of
// its own.
type seat struct {
	net   *nn.Network
	o     Options
	own   Executor   // of Options.Executor; nil until it is needed, and without that
	slots []*slot    // the one that was used last comes first
	spans []span     // of the minibatch that is being computed
	spare []oneShort // arrays for answers
	used  time.Time
}

func newSeat(n *nn.Network, o Options) *seat {
	s := &seat{net: n.Share(), o: o}
	if !n.OnDevice() && o.Executor == nil {
		s.net.SetThreads(o.Threads)
	}
	return s
}

// equip gives the seat's network the executor that it is to have.
func (s *seat) equip() error {
	if s.o.Executor == nil || s.own != nil {
		return nil
	}
	e, err := s.o.Executor()
	if err != nil {
		return err
	}
	s.own = e
	s.net.SetExecutor(e)
	return nil
}

// close frees the seat's memory. It can be used again.
func (s *seat) close() {
	s.slots = nil
	s.net.Close()
	if s.own != nil {
		s.own.Close()
		s.own = nil
	}
}

// answering computes the minibatches of calls on seats.
type answering struct {
	computer
	dispatcher
}

// lead computes a group in the goroutine of one of its calls.
func (a *answering) lead(s *seat, g *group, c *call) {
	defer a.handOver(s)
	a.gather(g)
	a.answerGroup(s, g)
	g.part(&a.dispatcher, c)
}

// manyCame is the growth of a group in one yield after which another yield is worth it. A yield lets about 60
// goroutines run.
const manyCame = 32

// gather lets callers that are ready come into a group.
func (a *answering) gather(g *group) {
	for before := a.size(g); ; {
		runtime.Gosched()
		now := a.size(g)
		if now-before < manyCame || now >= a.o.MaxBatch {
			return
		}
		before = now
	}
}

// handOver has a goroutine compute the next group, if there is one.
func (a *answering) handOver(s *seat) {
	if g := a.release(s); g != nil {
		go a.follow(s, g)
	}
}

// follow computes a group whose calls all wait, and the groups that wait by then. Before the next one, the calls of the
// last one go on, and may ask again. So groups become full, and seats and calls stay in the caches of a processor.
func (a *answering) follow(s *seat, g *group) {
	parted := make(chan struct{}, 1)
	a.gather(g)
	for g != nil {
		g.parted = parted
		a.answerGroup(s, g)
		<-parted
		g = a.release(s)
	}
}

// answerGroup computes a group and wakes its calls. If that panics, nobody waits forever. Then it panics, too, unless
// the first call is to do so.
func (a *answering) answerGroup(s *seat, g *group) {
	a.seal(g)
	whole := false
	defer func() {
		if !whole {
			if g.parted != nil {
				g.panicked = recover()
			}
			abandon(g.calls)
			s.tidy()
		}
		g.announce(&a.dispatcher)
	}()
	a.compute(s, g.calls, time.Now())
	whole = true
}

// errAbandoned is the error of calls whose minibatch panicked in the goroutine of another call.
var errAbandoned = errors.New("the minibatch of this call was given up: computing it failed")

// abandon gives calls without an error one.
func abandon(calls []*call) {
	for _, c := range calls {
		if c.err == nil {
			c.out, c.err = nil, errAbandoned
		}
	}
}
