package coordination

import "time"

// Time is the time since the driver's clock began. It never goes back.
type Time = time.Duration

// Link is the number of a connection within one machine. The side that dials chooses an odd number; the side that
// accepts is given an even one, not 0, by its driver. A number is used once.
type Link uint64

// Event is an input of a machine: one of the types of this package that are called events.
type Event interface{ event() }

// Events of every machine.
type (
	// Tick comes at least every Timing.Beat/2.
	Tick struct{}
	// Accepted means that another machine has dialled.
	Accepted struct{ Link Link }
	// Connected means that the Dial of this link has succeeded.
	Connected struct{ Link Link }
	// Received has a message. The messages of a link come in the order in which they were sent, without gaps.
	Received struct {
		Link    Link
		Message Message
	}
	// Alive means that a part of a large message has come, so the sender is alive.
	Alive struct{ Link Link }
	// Sent means that the last Log for the link is on its way, and there is room for another one.
	Sent struct{ Link Link }
	// Broken means that the link has ended, or that its Dial failed. The last messages may not have arrived. Refused
	// means that nothing listens at the dialled address.
	Broken struct {
		Link    Link
		Refused bool
	}
)

// Action is a task of a machine for its driver, to be done in order. A slice of actions is valid until the machine's
// next Step. Each is one of the types of this package that are called actions.
type Action interface{ action() }

// Actions of every machine. The driver ignores an action on a link that has ended meanwhile, and everything that comes
// on a link after its Close.
type (
	// Dial connects to an address. Connected or Broken follows.
	Dial struct {
		Link    Link
		Address string
	}
	// Send sends a message. A link carries one Log message at a time: the driver answers each with Sent.
	Send struct {
		Link    Link
		Message Message
	}
	// Close ends a link after all its messages are sent. No Broken follows.
	Close struct{ Link Link }
	// Failed is the last action: the machine has failed. If it is the coordinator, the run has failed too, and the
	// coordinator only turns away late workers from now on.
	Failed struct{ Err error }
	// Warn has a text for the log.
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
	next uint64 // next position to be sent
	busy bool   // a Log is in the driver's hands
	dead bool   // the log no longer has the next position
	from Time   // when that Log was handed over
}

// feed sends the entries that the child lacks, if the link can take a Log.
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
