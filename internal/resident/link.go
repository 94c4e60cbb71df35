package resident

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// A driver and the process that hosts its coordinator exchange frames: the length of a JSON object (uint32,
// little-endian), the object, and the vectors that it names, with their lengths. The host begins with its Version. The
// driver orders a coordinator, receives the workers' Access, and then sends commands. The coordinator's actions come in
// the order in which they happen. Both sides send a frame at least every beat. The host's last frame has Ended.

// linkVersion is the version of the frames. Both sides must have the same.
const linkVersion = 3

const (
	beat    = 2 * time.Second
	silence = time.Minute // without a frame, the other side counts as gone
)

// looks is the number of times that a reader looks for bytes within silence. A pause of its own process takes one of
// them at most.
const looks = 20

// frame is a message of a link. At most one of the members up to Ended is set.
type frame struct {
	Version int `json:",omitempty"`

	// From the driver.
	Order     *order  `json:",omitempty"`
	Reference string  `json:",omitempty"` // with Order
	Settings  []byte  `json:",omitempty"` // with Order
	Command   command `json:",omitzero"`
	Stop      string  `json:",omitempty"`

	// From the host.
	Access  *access `json:",omitempty"`
	Actions actions `json:",omitzero"`
	Ended   *ended  `json:",omitempty"`

	// With Actions and Ended, the present state.
	Account        []byte                `json:",omitempty"`
	Members        []coordination.Member `json:",omitempty"`
	Sent, Received uint64                `json:",omitempty"`

	// Vectors follow the object, in this order.
	Vectors []vector `json:",omitempty"`
}

// vector is binary data of a frame outside its JSON, where it would take a third more.
type vector struct {
	Name  vectorName
	Bytes int // its length
	b     []byte
}

type vectorName string

const (
	checkpointVector vectorName = "checkpoint" // of Order and Save
	paramsVector     vectorName = "params"     // of Open and Ended
	stateVector      vectorName = "state"      // of Open
	startVector      vectorName = "start"      // of Round
	payloadVector    vectorName = "payload"    // of RoundDone and Settled
)

// attach adds a vector, unless it is nil.
func (f *frame) attach(name vectorName, b []byte) {
	if b != nil {
		f.Vectors = append(f.Vectors, vector{name, len(b), b})
	}
}

// vector returns the vector with a name, or nil if there is none.
func (f *frame) vector(name vectorName) []byte {
	for _, v := range f.Vectors {
		if v.Name == name {
			return v.b
		}
	}
	return nil
}

// command is an event for the coordinator.
type command struct {
	Open    *coordination.Open   `json:",omitempty"`
	Round   *coordination.Round  `json:",omitempty"`
	Settle  *coordination.Settle `json:",omitempty"`
	Shut    *coordination.Shut   `json:",omitempty"`
	SaveNow bool                 `json:",omitempty"`
}

// actions are committed minibatches, and the next other action, if any.
type actions struct {
	Committed []committed             `json:",omitempty"`
	EpochDone *coordination.EpochDone `json:",omitempty"`
	RoundDone *coordination.RoundDone `json:",omitempty"`
	RoundLost *coordination.RoundLost `json:",omitempty"`
	Settled   *coordination.Settled   `json:",omitempty"`
	Admitted  *coordination.Admitted  `json:",omitempty"`
	Lost      *coordination.Lost      `json:",omitempty"`
	Stalled   *coordination.Stalled   `json:",omitempty"`
	Warn      *coordination.Warn      `json:",omitempty"`
	Short     *coordination.Short     `json:",omitempty"`
	Missing   *coordination.Missing   `json:",omitempty"`
	Save      bool                    `json:",omitempty"`
}

// committed is a coordination.Committed without its payload.
type committed struct {
	Peer      coordination.Peer
	Seq       uint64
	Epoch     uint32
	Partition uint32
	Ordinal   uint32
	Score     *float64 // nil: not a number, which JSON can't express
}

func commitOf(a coordination.Committed) committed {
	e := a.Entry
	c := committed{Peer: e.Peer, Seq: e.Seq, Epoch: e.Epoch, Partition: e.Partition, Ordinal: e.Ordinal, Score: &a.Score}
	if math.IsNaN(a.Score) || math.IsInf(a.Score, 0) {
		c.Score = nil
	}
	return c
}

func (c committed) action() coordination.Committed {
	score := math.NaN()
	if c.Score != nil {
		score = *c.Score
	}
	return coordination.Committed{Score: score, Entry: &coordination.Entry{Kind: coordination.UpdateEntry, Peer: c.Peer,
		Seq: c.Seq, Epoch: c.Epoch, Partition: c.Partition, Ordinal: c.Ordinal}}
}

// ended says how a coordinator has ended.
type ended struct {
	Error string `json:",omitempty"`
}

// commandOf packs an event into a frame.
func commandOf(e coordination.Event) (*frame, error) {
	f := &frame{}
	switch e := e.(type) {
	case coordination.Open:
		f.attach(paramsVector, e.Params)
		f.attach(stateVector, e.State)
		e.Params, e.State = nil, nil
		f.Command.Open = &e
	case coordination.Round:
		f.attach(startVector, e.Start)
		e.Start = nil
		f.Command.Round = &e
	case coordination.Settle:
		f.Command.Settle = &e
	case coordination.Shut:
		f.Command.Shut = &e
	case coordination.SaveNow:
		f.Command.SaveNow = true
	default:
		return nil, fmt.Errorf("a %T is not a command of a coordinator", e)
	}
	return f, nil
}

// event unpacks a command, or returns nil if there is none.
func (f *frame) event() coordination.Event {
	c := f.Command
	switch {
	case c.Open != nil:
		c.Open.Params, c.Open.State = f.vector(paramsVector), f.vector(stateVector)
		return *c.Open
	case c.Round != nil:
		c.Round.Start = f.vector(startVector)
		return *c.Round
	case c.Settle != nil:
		return *c.Settle
	case c.Shut != nil:
		return *c.Shut
	case c.SaveNow:
		return coordination.SaveNow{}
	}
	return nil
}

// Bounds of a frame.
const (
	maxHead   = 16 << 20
	maxVector = 4 << 30
	atOnce    = 4 << 20 // memory allocated before the bytes have come
)

// write sends a frame. Each part of it must be sent within silence.
func (f *frame) write(c net.Conn) error {
	head, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if len(head) > maxHead {
		return fmt.Errorf("the head of a frame has %d bytes, at most %d are allowed", len(head), maxHead)
	}
	parts := [][]byte{append(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head...)}
	for _, v := range f.Vectors {
		parts = append(parts, v.b)
	}
	for _, b := range parts {
		for len(b) > 0 {
			n := min(len(b), atOnce)
			c.SetWriteDeadline(time.Now().Add(silence))
			if _, err := c.Write(b[:n]); err != nil {
				return err
			}
			b = b[n:]
		}
	}
	return nil
}

// readFrame waits for the next frame. Each part of it must come within silence.
func readFrame(c net.Conn) (*frame, error) {
	var size [4]byte
	if err := readAll(c, size[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > maxHead {
		return nil, fmt.Errorf("the head of a frame has %d bytes, at most %d are allowed", n, maxHead)
	}
	head := make([]byte, n)
	if err := readAll(c, head); err != nil {
		return nil, err
	}
	f := &frame{}
	if err := json.Unmarshal(head, f); err != nil {
		return nil, fmt.Errorf("the head of a frame: %w", err)
	}
	for i := range f.Vectors {
		v := &f.Vectors[i]
		if v.Bytes < 0 || v.Bytes > maxVector {
			return nil, fmt.Errorf("a vector of %d bytes, at most %d are allowed", v.Bytes, maxVector)
		}
		v.b = []byte{}
		for len(v.b) < v.Bytes {
			from := len(v.b)
			v.b = append(v.b, make([]byte, min(v.Bytes-from, max(atOnce, from)))...)
			if err := readAll(c, v.b[from:]); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

// readAll fills b. There must be some bytes within silence.
func readAll(c net.Conn, b []byte) error {
	for read, look := 0, 1; read < len(b); look++ {
		c.SetReadDeadline(time.Now().Add(silence / looks))
		n, err := c.Read(b[read:])
		if read += n; n > 0 {
			look = 0
		}
		switch late := net.Error(nil); {
		case err == nil, errors.As(err, &late) && late.Timeout() && look < looks:
		case err == io.EOF && read > 0 && read < len(b):
			return io.ErrUnexpectedEOF
		case read < len(b):
			return err
		}
	}
	return nil
}
