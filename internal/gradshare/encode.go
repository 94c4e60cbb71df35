package gradshare

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
)

// A frame is a message in bytes: the version of the protocol, the kind, the fields, and a CRC32C of the job's ID and of
// all that. Whole numbers are varints, strings and vectors have their length before them. A frame that some other job
// made, or that was changed on its way, is refused; its length is for the transport to say and to bound.
const version = 3

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(job JobID, frame []byte) uint32 {
	return crc32.Update(crc32.Checksum(job[:], castagnoli), castagnoli, frame)
}

// Encode appends a message's frame to b.
func Encode(b []byte, job JobID, m Message) []byte {
	from := len(b)
	w := writer{b: append(b, version, byte(m.kind()))}
	w.message(m)
	return binary.LittleEndian.AppendUint32(w.b, checksum(job, w.b[from:]))
}

// Size is the length of a message's frame.
func Size(m Message) int {
	w := writer{counts: true}
	w.message(m)
	return w.n + 6
}

// writer writes fields, or counts their bytes.
type writer struct {
	b      []byte
	n      int
	counts bool
}

func (w *writer) uint(v uint64) {
	if w.counts {
		w.n += (bits.Len64(v|1) + 6) / 7
		return
	}
	w.b = binary.AppendUvarint(w.b, v)
}

func (w *writer) uint32(v uint32) { w.uint(uint64(v)) }

func (w *writer) bool(v bool) {
	if v {
		w.uint(1)
	} else {
		w.uint(0)
	}
}

func (w *writer) fixed64(v uint64) {
	if w.counts {
		w.n += 8
		return
	}
	w.b = binary.LittleEndian.AppendUint64(w.b, v)
}

func (w *writer) bytes(v []byte) {
	w.uint(uint64(len(v)))
	if w.counts {
		w.n += len(v)
		return
	}
	w.b = append(w.b, v...)
}

// optional tells nil from nothing in it.
func (w *writer) optional(v []byte) {
	if w.bool(v != nil); v != nil {
		w.bytes(v)
	}
}

func (w *writer) string(v string) {
	w.uint(uint64(len(v)))
	if w.counts {
		w.n += len(v)
		return
	}
	w.b = append(w.b, v...)
}

func (w *writer) peer(p Peer) {
	w.uint32(p.Worker)
	w.uint32(p.Incarnation)
}

func (w *writer) uints(v []uint32) {
	w.uint(uint64(len(v)))
	for _, x := range v {
		w.uint32(x)
	}
}

func (w *writer) message(m Message) {
	switch m := m.(type) {
	case *Hello:
		w.bytes(m.Job[:])
		w.fixed64(m.Nonce)
		w.uint32(m.Attempt)
		w.uint(uint64(len(m.Shares)))
		for _, s := range m.Shares {
			w.uint32(s.Partition)
			w.uint32(s.Minibatches)
		}
		w.string(m.Address)
		w.uint32(m.Term)
		w.uint32(m.Incarnation)
	case *Welcome:
		w.uint32(m.Term)
		w.peer(m.Peer)
		w.bool(m.Resumed)
		w.uint(m.Committed)
		w.bool(m.Fresh)
		w.uint(m.Position)
	case *Refuse:
		w.string(m.Reason)
		w.bool(m.Final)
	case *Snapshot:
		w.uint(m.Position)
		w.uint32(m.Epoch)
		w.bool(m.Open)
		w.uints(m.Next)
		w.optional(m.Params)
		w.optional(m.State)
	case *Update:
		w.peer(m.Peer)
		w.uint(m.Seq)
		w.uint32(m.Epoch)
		w.uint32(m.Partition)
		w.uint32(m.Ordinal)
		w.uint(m.Applied)
		w.fixed64(math.Float64bits(m.Score))
		w.optional(m.Statistics)
		w.bytes(m.Payload)
	case *Beat:
		w.uint(m.Received)
		w.uint(m.Applied)
		w.uint(m.Gathered)
		w.bool(m.Lacks)
	case *Pulse:
		w.uint(m.Head)
		w.uint(m.Keep)
		w.uint(m.Report)
	case *StateRequest:
		w.uint32(m.ID)
	case *State:
		w.uint32(m.ID)
		w.optional(m.State)
	case *Follow:
		w.uint32(m.Version)
		w.peer(m.Parent)
		w.string(m.Address)
	case *Attach:
		w.uint32(m.Term)
		w.peer(m.Peer)
		w.uint32(m.Version)
		w.uint(m.Received)
	case *Log:
		w.uint(m.First)
		w.uint(m.Keep)
		w.uint(uint64(len(m.Entries)))
		for _, e := range m.Entries {
			w.entry(e)
		}
	case *Behind:
	case *Orphan:
		w.uint32(m.Version)
		w.uint(m.Received)
		w.bool(m.Unreachable)
	case *Part:
		w.uint32(m.Term)
		w.peer(m.To)
		w.uint(m.Gather)
		w.uint32(m.Level)
		w.uint32(m.Index)
		w.bytes(m.Payload)
	case *Got:
		w.uint(m.Gather)
		w.uint32(m.Level)
		w.uint32(m.Index)
	case *Target:
		w.uint(m.Gather)
		w.uint32(m.Position)
		w.peer(m.Peer)
		w.string(m.Address)
	case *Leave:
		w.string(m.Reason)
	case *Bye:
		w.string(m.Reason)
		w.bool(m.Final)
	}
}

// ownFlag marks, beside the kind, an entry whose payload its receiver has.
const ownFlag = 1 << 7

// moreFlag marks, likewise, an entry whose release goes on.
const moreFlag = 1 << 6

func (w *writer) entry(e *Entry) {
	k := uint64(e.Kind)
	if e.Own {
		k |= ownFlag
	}
	if e.More {
		k |= moreFlag
	}
	w.uint(k)
	w.uint32(e.Epoch)
	switch e.Kind {
	case UpdateEntry:
		w.peer(e.Peer)
		w.uint(e.Seq)
		w.uint32(e.Partition)
		w.uint32(e.Ordinal)
		if !e.Own {
			w.bytes(e.Payload)
		}
	case StatisticsEntry:
		w.bytes(e.Payload)
	case BaseEntry:
		w.bytes(e.Payload)
		w.optional(e.State)
	case RoundEntry:
		w.uints(e.Shares)
		w.uint32(e.Group)
		w.peer(e.Peer)
		w.uint(e.Seq)
		if !e.Own {
			w.bytes(e.Payload)
		}
	case SettleEntry:
		w.uints(e.Shares)
		w.uint32(e.Group)
		w.bytes(e.Payload)
	}
}
