package coordination

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// A frame is a message in bytes: the version of the protocol, the kind, the fields, and a CRC32C of the job's ID and
// all of these. Whole numbers are varints. Strings and vectors follow their length. Decode refuses a frame of another
// job and a frame that was changed on its way. The transport carries a frame's length and bounds it.
//
// The bytes have no names: fields follow each other in the order in which the methods named fields list them. A change
// there changes testdata/frames.txt or testdata/fields.txt, and needs another version.
const version = 5

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(job JobID, frame []byte) uint32 {
	return crc32.Update(crc32.Checksum(job[:], castagnoli), castagnoli, frame)
}

// Encode appends a message's frame to b.
func Encode(b []byte, job JobID, m Message) []byte {
	from := len(b)
	w := writer{b: append(b, version, byte(m.kind()))}
	c := coder{w: &w}
	c.message(m)
	return binary.LittleEndian.AppendUint32(w.b, checksum(job, w.b[from:]))
}

// splitFrom is the length from which Split leaves a vector where it is.
const splitFrom = 16 << 10

// Split appends a message's frame to b, in pieces. The first piece begins with what b held before. Long vectors are not
// copied: each is a piece in the message's own memory. longest is the offset of the longest piece in the frame.
func Split(b []byte, job JobID, m Message) (pieces [][]byte, longest int) {
	before := len(b)
	w := writer{b: append(b, version, byte(m.kind())), splits: true}
	c := coder{w: &w}
	c.message(m)
	w.cut()
	sum := crc32.Checksum(job[:], castagnoli)
	at, most := 0, 0
	for i, p := range w.pieces {
		if i == 0 {
			p = p[before:]
		}
		sum = crc32.Update(sum, castagnoli, p)
		if len(p) > most {
			longest, most = at, len(p)
		}
		at += len(p)
	}
	w.b = binary.LittleEndian.AppendUint32(w.b, sum)
	w.cut()
	return w.pieces, longest
}

// Size returns the length of a message's frame.
func Size(m Message) int {
	w := writer{counts: true}
	c := coder{w: &w}
	c.message(m)
	return w.n + 6
}

// writer writes fields, or counts their bytes.
type writer struct {
	b      []byte
	n      int
	counts bool

	splits bool // long vectors become pieces of their own
	pieces [][]byte
	from   int // of what is in b, but not in pieces
}

// cut makes a piece of what is in b since the last one.
func (w *writer) cut() {
	if len(w.b) > w.from {
		w.pieces = append(w.pieces, w.b[w.from:len(w.b):len(w.b)])
		w.from = len(w.b)
	}
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
	if w.splits && len(v) >= splitFrom {
		w.cut()
		w.pieces = append(w.pieces, v)
		return
	}
	w.b = append(w.b, v...)
}

// optional distinguishes nil from an empty slice.
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

func (w *writer) uints(v []uint32) {
	w.uint(uint64(len(v)))
	for _, x := range v {
		w.uint32(x)
	}
}
