// Package sim runs the machines of package gradshare in one goroutine, with a false clock and a false network, from a
// seed. Workers are killed, stopped, cut off, slow and started again; connections break; the coordinator restarts from
// its checkpoint. After each run the properties that gradshare promises are checked, and the run's trace is hashed: the
// same seed gives the same hash.
package sim

import (
	"time"

	"github.com/dl4go/dl4go/distributed/gradshare"
)

// happening is something that is due.
type happening struct {
	at    time.Duration
	order uint64 // among those at the same time
	what  what
	node  *node
	conn  *conn
	end   int // of conn
	msg   gradshare.Message
	event gradshare.Event
	do    func()
}

type what uint8

const (
	ticks what = iota + 1
	arrives
	connects
	breaks
	isSent
	ends  // a step
	calls // do
)

// clock is a queue of happenings.
type clock struct {
	now   time.Duration
	queue []happening
	order uint64
}

func (c *clock) before(i, j int) bool {
	a, b := &c.queue[i], &c.queue[j]
	return a.at < b.at || a.at == b.at && a.order < b.order
}

// add puts a happening in; one in the past is due now.
func (c *clock) add(h happening) {
	h.at = max(h.at, c.now)
	c.order++
	h.order = c.order
	c.queue = append(c.queue, h)
	for i := len(c.queue) - 1; i > 0; {
		up := (i - 1) / 2
		if !c.before(i, up) {
			break
		}
		c.queue[i], c.queue[up] = c.queue[up], c.queue[i]
		i = up
	}
}

// next takes the earliest out and sets the clock.
func (c *clock) next() (happening, bool) {
	if len(c.queue) == 0 {
		return happening{}, false
	}
	h := c.queue[0]
	last := len(c.queue) - 1
	c.queue[0] = c.queue[last]
	c.queue[last] = happening{}
	c.queue = c.queue[:last]
	for i := 0; ; {
		least := i
		for _, k := range [2]int{2*i + 1, 2*i + 2} {
			if k < last && c.before(k, least) {
				least = k
			}
		}
		if least == i {
			break
		}
		c.queue[i], c.queue[least] = c.queue[least], c.queue[i]
		i = least
	}
	c.now = h.at
	return h, true
}

// after runs do later.
func (c *clock) after(d time.Duration, do func()) {
	c.add(happening{at: c.now + d, what: calls, do: do})
}
