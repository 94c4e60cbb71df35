// Package sim runs the machines of package coordination in one goroutine, with a simulated clock and a simulated
// network, from a seed. Workers are killed, stopped, cut off, slowed down and started again; connections break; the
// coordinator restarts from its checkpoint. After each run the package checks the properties that coordination
// promises, and hashes the run's trace: the same seed gives the same hash.
package sim

import (
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// happening is an event at a time.
type happening struct {
	at    time.Duration
	what  what
	node  *node
	conn  *conn
	end   int // of conn
	msg   coordination.Message
	event coordination.Event
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
	queue []due // a heap
	order uint64
	slots []happening
	free  []int32 // empty slots
}

// due is the time of the happening in a slot. It is small and without pointers, as the heap moves it often.
type due struct {
	at    time.Duration
	order uint64 // among those at the same time
	slot  int32
}

func (a due) before(b due) bool { return a.at < b.at || a.at == b.at && a.order < b.order }

// add queues a happening. One in the past is due now.
func (c *clock) add(h happening) {
	h.at = max(h.at, c.now)
	c.order++
	d := due{h.at, c.order, int32(len(c.slots))}
	if last := len(c.free) - 1; last >= 0 {
		d.slot, c.free = c.free[last], c.free[:last]
		c.slots[d.slot] = h
	} else {
		c.slots = append(c.slots, h)
	}
	c.queue = append(c.queue, d)
	for i := len(c.queue) - 1; i > 0; {
		up := (i - 1) / 2
		if !c.queue[i].before(c.queue[up]) {
			break
		}
		c.queue[i], c.queue[up] = c.queue[up], c.queue[i]
		i = up
	}
}

// next removes the earliest happening and sets the clock to its time.
func (c *clock) next() (happening, bool) {
	if len(c.queue) == 0 {
		return happening{}, false
	}
	first := c.queue[0]
	last := len(c.queue) - 1
	c.queue[0] = c.queue[last]
	c.queue = c.queue[:last]
	for i := 0; ; {
		least := i
		for _, k := range [2]int{2*i + 1, 2*i + 2} {
			if k < last && c.queue[k].before(c.queue[least]) {
				least = k
			}
		}
		if least == i {
			break
		}
		c.queue[i], c.queue[least] = c.queue[least], c.queue[i]
		i = least
	}
	h := c.slots[first.slot]
	c.slots[first.slot] = happening{}
	c.free = append(c.free, first.slot)
	c.now = h.at
	return h, true
}

// after runs do after d.
func (c *clock) after(d time.Duration, do func()) {
	c.add(happening{at: c.now + d, what: calls, do: do})
}
