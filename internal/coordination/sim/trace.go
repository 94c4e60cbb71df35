package sim

import (
	"fmt"
	"hash/crc64"
	"io"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/random"
)

// trace hashes all events, and prints them if asked.
type trace struct {
	hash  uint64
	off   bool
	whole bool // it hashes every byte of messages, and all actions
	print io.Writer
}

func (t *trace) event(at time.Duration, node int, e coordination.Event) {
	if t.off {
		return
	}
	h := random.Mix(uint64(at), uint64(node))
	switch e := e.(type) {
	case coordination.Tick:
		h++
		t.hash = random.Mix(t.hash, h)
		return
	case coordination.Received:
		h = random.Mix(h+2, uint64(e.Link)<<32|digest(e.Message))
		if t.whole {
			h = random.Mix(h, frame(e.Message))
		}
	case coordination.Trained:
		h = random.Mix(h+3, e.ID)
	default:
		h = random.Mix(h+4, 0)
	}
	t.hash = random.Mix(t.hash, h)
	if t.print != nil {
		fmt.Fprintf(t.print, "%12v  node %d: %T", at, node, e)
		if r, ok := e.(coordination.Received); ok {
			fmt.Fprintf(t.print, " %T%+v", r.Message, r.Message)
		} else {
			fmt.Fprintf(t.print, "%+v", e)
		}
		fmt.Fprintln(t.print)
	}
}

// action adds an action to a whole trace.
func (t *trace) action(at time.Duration, node int, a coordination.Action) {
	if t.off || !t.whole {
		return
	}
	h := random.Mix(uint64(at), uint64(node)+5)
	switch a := a.(type) {
	case coordination.Send:
		h = random.Mix(h+uint64(a.Link), frame(a.Message))
	case coordination.Save:
		h = random.Mix(h, sum(a.Checkpoint.Append(nil, jobID)))
	case coordination.Committed:
		h = random.Mix(h, sum(fmt.Appendf(nil, "%+v %v", *a.Entry, a.Score)))
	default:
		h = random.Mix(h, sum(fmt.Appendf(nil, "%T %+v", a, a)))
	}
	t.hash = random.Mix(t.hash, h)
}

// frame returns the checksum of a message's encoding.
func frame(m coordination.Message) uint64 { return sum(coordination.Encode(nil, jobID, m)) }

func sum(b []byte) uint64 { return crc64.Checksum(b, crc64.MakeTable(crc64.ECMA)) }

func (t *trace) note(at time.Duration, format string, args ...any) {
	if t.print != nil {
		fmt.Fprintf(t.print, "%12v  %s\n", at, fmt.Sprintf(format, args...))
	}
}

// digest returns 32 bits of the fields that tell messages apart.
func digest(m coordination.Message) uint64 {
	h := uint64(coordination.Size(m))
	switch m := m.(type) {
	case *coordination.Update:
		h = random.Mix(h, m.Seq<<32|uint64(m.Ordinal))
		for _, b := range m.Payload {
			h = h*31 + uint64(b)
		}
	case *coordination.Log:
		h = random.Mix(h, m.First<<20|uint64(len(m.Entries)))
	case *coordination.Beat:
		h = random.Mix(h, m.Applied<<32|m.Received)
	case *coordination.Snapshot:
		h = random.Mix(h, m.Position)
	}
	return h & (1<<32 - 1)
}
