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
	own   Executor // of Options.Executor; nil until it is needed, and without that
	slots []*slot  // the one that was used last comes first
	batch []*call  // that is being computed
	spans []span   // likewise
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

// errAbandoned is the error of calls whose minibatch panicked in the goroutine of another call.
var errAbandoned = errors.New("the minibatch of this call was given up: computing it failed")

// lead computes a minibatch of c and the calls that go with it.
func (p *Predictor) lead(s *seat, c *call) {
	runtime.Gosched() // callers that are ready come into this minibatch
	s.batch = p.gather(s.batch[:0], c)
	begin := time.Now()
	whole := false
	defer func() { // if the computation panics, nobody waits forever
		for _, other := range s.batch[1:] {
			if !whole && other.err == nil {
				other.out, other.err = nil, errAbandoned
			}
			other.wake <- nil
		}
		if clear(s.batch); !whole {
			s.tidy()
		}
		p.release(s)
	}()
	p.compute(c.ctx, s, begin)
	whole = true
}
