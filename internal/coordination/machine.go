package coordination

import "time"

// Time is how long ago the driver's clock began. It never goes back.
type Time = time.Duration

// Link is a connection, as one machine knows it. Who dials chooses a number from its own (odd ones); who accepts is
// given one by its driver (even ones, not 0). A number is used once.
type Link uint64

// Event is what happens to a machine: one of the types of this package that are called events.
type Event interface{ event() }

// Events of every machine.
type (
	// Tick comes at least every Timing.Beat/2.
	Tick struct{}
	// Accepted: somebody has dialled.
	Accepted struct{ Link Link }
	// Connected: the Dial of this link has succeeded.
	Connected struct{ Link Link }
	// Received: messages of a link come in the order in which they were sent, without gaps.
	Received struct {
		Link    Link
		Message Message
	}
	// Alive: a part of a large message has come. Whoever sends it lives.
	Alive struct{ Link Link }
	// Sent: the last Log given to the link is on its way; there is room for another one.
	Sent struct{ Link Link }
	// Broken: the link has ended, or its Dial failed. The last messages may not have arrived. Refused: nobody
	// listens at the dialled address.
	Broken struct {
		Link    Link
		Refused bool
	}
)

// Action is what a machine wants its driver to do, in order. A slice of actions is valid until the machine's next Step.
// Each is one of the types of this package that are called actions.
type Action interface{ action() }

// Actions of every machine. Those on a link that has ended meanwhile are to be ignored, and so is what still comes on a
// link after its Close.
type (
	// Dial connects to an address. Connected or Broken follows.
	Dial struct {
		Link    Link
		Address string
	}
	// Send sends a message. Of Log messages there is one at a time on a link: Sent is asked for after each.
	Send struct {
		Link    Link
		Message Message
	}
	// Close ends a link after what was sent on it. No Broken follows.
	Close struct{ Link Link }
	// Failed is the last action: the machine has failed, and so has the run if it is the coordinator, which then
	// only turns away late workers.
	Failed struct{ Err error }
	// Warn is worth a line in the log.
	Warn struct{ Text string }
)

// outbox gathers the actions of a step.
type outbox struct{ actions []Action }

func (o *outbox) do(a Action) { o.actions = append(o.actions, a) }

func (o *outbox) send(l Link, m Message) {
	if l != 0 {
		o.do(Send{l, m})
	}
}

func (o *outbox) close(l Link) {
	if l != 0 {
		o.do(Close{l})
	}
}

// stream feeds the log to a child, as fast as its link takes it.
type stream struct {
	peer Peer
	link Link
	next uint64 // position to be sent
	busy bool   // a Log is in the driver's hands
	dead bool   // what it needs is gone
	from Time   // when that Log was given
}

// feed sends what there is, if the link takes it.
func (s *stream) feed(w *window, keep uint64, bytes int, now Time, out *outbox) {
	if s.dead = s.dead || s.next <= w.base; s.dead || s.busy || s.next > w.head() {
		return
	}
	entries := w.batch(s.next, bytes)
	mine := false
	for _, e := range entries {
		mine = mine || e.of(s.peer)
	}
	if mine {
		short := make([]*Entry, len(entries))
		for i, e := range entries {
			if short[i] = e; e.of(s.peer) {
				short[i] = e.own()
			}
		}
		entries = short
	}
	out.send(s.link, &Log{First: s.next, Keep: keep, Entries: entries})
	s.next += uint64(len(entries))
	s.busy, s.from = true, now
}
