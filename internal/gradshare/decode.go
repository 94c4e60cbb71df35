package gradshare

import (
	"encoding/binary"
	"fmt"
	"math"
)

// FormatError is what Decode finds wrong with a frame.
type FormatError struct {
	Offset  int // in the frame, in bytes
	Problem string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("gradient sharing: a message is damaged or foreign: byte %d: %s", e.Offset, e.Problem)
}

// Decode reads a frame of this job. The message's vectors share frame, which nobody may change from now on. What it
// takes of memory beyond that is at most a small multiple of the frame's length. Errors are of type *FormatError.
func Decode(frame []byte, job JobID) (Message, error) {
	if len(frame) < 6 {
		return nil, &FormatError{len(frame), "it ends too early"}
	}
	body := frame[:len(frame)-4]
	if frame[0] != version {
		return nil, &FormatError{0, fmt.Sprintf("version %d of the protocol, this program speaks version %d: all must run the same program", frame[0], version)}
	}
	if binary.LittleEndian.Uint32(frame[len(body):]) != checksum(job, body) {
		return nil, &FormatError{len(body), "the checksum does not fit: it was changed on its way, or belongs to another job"}
	}
	r := reader{b: body, at: 2}
	m := r.message(kind(frame[1]))
	if r.err == nil && r.at != len(body) {
		r.fail("something follows")
	}
	if r.err != nil {
		return nil, r.err
	}
	return m, nil
}

// maxEntries bounds the entries of a Log, which take more memory than bytes.
const maxEntries = 1 << 16

// reader reads fields. After an error it gives zeros.
type reader struct {
	b   []byte
	at  int
	err error
}

func (r *reader) fail(problem string) {
	if r.err == nil {
		r.err = &FormatError{r.at, problem}
	}
	r.at = len(r.b)
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 {
		r.fail("a number is cut or too large")
		return 0
	}
	r.at += n
	return v
}

func (r *reader) uint32() uint32 {
	v := r.uint()
	if v > math.MaxUint32 {
		r.fail("a number is too large")
		return 0
	}
	return uint32(v)
}

func (r *reader) bool() bool {
	v := r.uint()
	if v > 1 {
		r.fail("neither true nor false")
	}
	return v == 1
}

func (r *reader) fixed64() uint64 {
	if len(r.b)-r.at < 8 {
		r.fail("it ends too early")
		return 0
	}
	r.at += 8
	return binary.LittleEndian.Uint64(r.b[r.at-8:])
}

// count reads the number of things of which each takes at least a byte.
func (r *reader) count() int {
	n := r.uint()
	if n > uint64(len(r.b)-r.at) {
		r.fail("it ends too early")
		return 0
	}
	return int(n)
}

func (r *reader) bytes() []byte {
	n := r.count()
	r.at += n
	return r.b[r.at-n : r.at : r.at]
}

func (r *reader) optional() []byte {
	if !r.bool() {
		return nil
	}
	return r.bytes()
}

func (r *reader) string() string { return string(r.bytes()) }

func (r *reader) peer() Peer { return Peer{r.uint32(), r.uint32()} }

func (r *reader) uints() []uint32 {
	v := make([]uint32, r.count())
	for i := range v {
		v[i] = r.uint32()
	}
	return v
}

func (r *reader) message(k kind) Message {
	switch k {
	case kindHello:
		m := &Hello{}
		if job := r.bytes(); len(job) == len(m.Job) {
			copy(m.Job[:], job)
		} else {
			r.fail("a job's ID has another length")
		}
		m.Nonce, m.Attempt = r.fixed64(), r.uint32()
		m.Shares = make([]Share, r.count())
		for i := range m.Shares {
			m.Shares[i] = Share{r.uint32(), r.uint32()}
		}
		m.Address, m.Term, m.Incarnation = r.string(), r.uint32(), r.uint32()
		return m
	case kindWelcome:
		return &Welcome{r.uint32(), r.peer(), r.bool(), r.uint(), r.bool(), r.uint()}
	case kindRefuse:
		return &Refuse{r.string(), r.bool()}
	case kindSnapshot:
		return &Snapshot{r.uint(), r.uint32(), r.bool(), r.uints(), r.optional(), r.optional()}
	case kindUpdate:
		return &Update{r.peer(), r.uint(), r.uint32(), r.uint32(), r.uint32(), r.uint(), math.Float64frombits(r.fixed64()), r.optional(), r.bytes()}
	case kindBeat:
		return &Beat{r.uint(), r.uint(), r.uint(), r.bool()}
	case kindPulse:
		return &Pulse{r.uint(), r.uint(), r.uint()}
	case kindStateRequest:
		return &StateRequest{r.uint32()}
	case kindState:
		return &State{r.uint32(), r.optional()}
	case kindFollow:
		return &Follow{r.uint32(), r.peer(), r.string()}
	case kindAttach:
		return &Attach{r.uint32(), r.peer(), r.uint32(), r.uint()}
	case kindLog:
		m := &Log{First: r.uint(), Keep: r.uint()}
		n := r.count()
		if n > maxEntries {
			r.fail("it has too many entries")
			n = 0
		}
		m.Entries = make([]*Entry, n)
		for i := range m.Entries {
			m.Entries[i] = r.entry()
			if r.err != nil {
				break
			}
		}
		return m
	case kindBehind:
		return &Behind{}
	case kindOrphan:
		return &Orphan{r.uint32(), r.uint(), r.bool()}
	case kindPart:
		return &Part{r.uint32(), r.peer(), r.uint(), r.uint32(), r.uint32(), r.bytes()}
	case kindGot:
		return &Got{r.uint(), r.uint32(), r.uint32()}
	case kindTarget:
		return &Target{r.uint(), r.uint32(), r.peer(), r.string()}
	case kindLeave:
		return &Leave{r.string()}
	case kindBye:
		return &Bye{r.string(), r.bool()}
	}
	r.at = 1
	r.fail(fmt.Sprintf("there is no message of kind %d", k))
	return nil
}

func (r *reader) entry() *Entry {
	k := r.uint()
	e := &Entry{Kind: EntryKind(k &^ (ownFlag | moreFlag)), Own: k&ownFlag != 0, More: k&moreFlag != 0, Epoch: r.uint32()}
	if k > 0xff || e.Own && e.Kind != UpdateEntry && e.Kind != RoundEntry {
		r.fail("an entry of no kind")
	}
	switch e.Kind {
	case UpdateEntry:
		e.Peer, e.Seq, e.Partition, e.Ordinal = r.peer(), r.uint(), r.uint32(), r.uint32()
		if !e.Own {
			e.Payload = r.bytes()
		}
	case StatisticsEntry:
		e.Payload = r.bytes()
	case BaseEntry:
		e.Payload, e.State = r.bytes(), r.optional()
	case OpenEntry, ClosedEntry, ConstrainEntry:
	case RoundEntry:
		e.Shares, e.Group, e.Peer, e.Seq = r.uints(), r.uint32(), r.peer(), r.uint()
		if !e.Own {
			e.Payload = r.bytes()
		}
	case SettleEntry:
		e.Shares, e.Group, e.Payload = r.uints(), r.uint32(), r.bytes()
	default:
		r.fail("an entry of no kind")
	}
	return e
}
