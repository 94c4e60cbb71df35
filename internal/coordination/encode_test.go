package coordination

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/random"
)

// messages returns a message of each kind with every field set.
func messages() []Message {
	p, q := Peer{3, 2}, Peer{300, 1}
	return []Message{
		&Hello{Job: JobID{1, 2, 3}, Nonce: 1 << 60, Attempt: 2, Shares: []Share{{3, 10}, {4, 0}}, Address: "host:1234",
			Term: 5, Incarnation: 2},
		&Welcome{Term: 5, Peer: p, Resumed: true, Committed: 1 << 40, Fresh: true, Position: 77},
		&Refuse{"no", true},
		&Snapshot{Position: 9, Epoch: 1, Open: true, Next: []uint32{3, 0}, Params: []byte{1, 2}, State: []byte{}},
		&Snapshot{Position: 9, Next: []uint32{0}},
		&Update{Peer: p, Seq: 7, Epoch: 1, Partition: 3, Ordinal: 300, Applied: 6, Score: 1.5, Statistics: []byte{9},
			Payload: []byte("payload")},
		&Update{Peer: p, Seq: 8, Payload: []byte{}},
		&Beat{Received: 3, Applied: 2, Gathered: 1, Lacks: true},
		&Pulse{Head: 3, Keep: 2, Report: 16},
		&StateRequest{4},
		&State{4, []byte("state")},
		&Follow{Version: 3, Parent: q, Address: "there"},
		&Attach{Term: 5, Peer: p, Version: 3, Received: 12},
		&Log{First: 10, Keep: 3, Entries: []*Entry{
			{Kind: UpdateEntry, Epoch: 1, Peer: p, Seq: 3, Partition: 3, Ordinal: 2, Payload: []byte("abc")},
			{Kind: UpdateEntry, Epoch: 1, Peer: q, Seq: 3, Partition: 300, Ordinal: 2, Own: true},
			{Kind: StatisticsEntry, Epoch: 1, Payload: []byte("s")},
			{Kind: BaseEntry, Epoch: 1, Payload: []byte("p"), State: []byte("u")},
			{Kind: BaseEntry, Epoch: 1, Payload: []byte("p")},
			{Kind: OpenEntry, Epoch: 1}, {Kind: ConstrainEntry, Epoch: 1}, {Kind: ClosedEntry, Epoch: 1},
			{Kind: RoundEntry, Epoch: 4, Shares: []uint32{0, 1, 400}, Group: 2, Payload: []byte("start")},
			{Kind: RoundEntry, Epoch: 4, Shares: []uint32{0, 1}, Group: 2, Sliced: true, Whole: true, Kept: true,
				Owners: []Owner{{p, "here"}, {q, ""}}, Payload: []byte("start")},
			{Kind: RoundEntry, Epoch: 5, Peer: p, Seq: 9, Shares: []uint32{0}, Group: 2, Own: true},
			{Kind: SettleEntry, Epoch: 1, Shares: []uint32{0}, Group: 2, Payload: []byte{}},
			{Kind: SumEntry, Epoch: 1, Payload: []byte("sum")},
		}},
		&Behind{},
		&Orphan{Version: 3, Received: 5, Unreachable: true},
		&Part{Term: 5, To: q, Gather: 3, Level: 1, Index: 2, Slice: 300, Payload: []byte("sum")},
		&Got{Gather: 3, Level: 1, Index: 2, Slice: 300},
		&Target{Gather: 3, Position: 4, Peer: q, Address: "x"},
		&Leave{"enough"},
		&Bye{"go", true},
	}
}

func TestMessagesReadBack(t *testing.T) {
	job := JobID{7}
	kinds := map[kind]bool{}
	for _, m := range messages() {
		kinds[m.kind()] = true
		b := Encode(nil, job, m)
		if len(b) != Size(m) {
			t.Errorf("%T takes %d bytes, Size says %d", m, len(b), Size(m))
		}
		got, err := Decode(b, job)
		if err != nil {
			t.Fatalf("%T: %v", m, err)
		}
		if !reflect.DeepEqual(got, m) {
			t.Errorf("%T reads back as %+v, was %+v", m, got, m)
		}
	}
	for k := kindHello; k <= kindBye; k++ {
		if !kinds[k] {
			t.Errorf("no message of kind %d was tried", k)
		}
	}
}

// TestSplit checks that the pieces of a frame make the frame, and that long vectors are not copied.
func TestSplit(t *testing.T) {
	job, long := JobID{7}, make([]byte, 5*splitFrom)
	for i := range long {
		long[i] = byte(i * 7)
	}
	all := append(messages(), &Part{Payload: long}, &Part{Payload: long[:splitFrom]}, &Snapshot{Params: long[splitFrom:],
		State: long}, &Log{Entries: []*Entry{{Kind: RoundEntry, Shares: []uint32{1}, Payload: long},
		{Kind: BaseEntry, Payload: long[:splitFrom-1], State: long[1:]}}})
	for _, m := range all {
		for _, before := range []string{"", "header"} {
			pieces, longest := Split([]byte(before), job, m)
			frame := bytes.Join(pieces, nil)
			if want := Encode([]byte(before), job, m); !bytes.Equal(frame, want) {
				t.Fatalf("%T: the pieces are not the frame", m)
			}
			frame = frame[len(before):]
			for _, p := range pieces {
				if len(p) >= splitFrom && len(frame)-longest < len(p) {
					t.Errorf("%T: no piece of %d bytes begins at %d", m, len(p), longest)
				}
			}
		}
	}
	pieces, longest := Split(nil, job, &Part{Payload: long})
	if len(pieces) != 3 || &pieces[1][0] != &long[0] || longest != len(pieces[0]) {
		t.Errorf("a long vector is copied: %d pieces, the longest at %d", len(pieces), longest)
	}
}

// TestForeignFrames checks that a frame of another job, or one that was cut or changed anywhere, is refused.
func TestForeignFrames(t *testing.T) {
	job := JobID{7}
	for _, m := range messages() {
		b := Encode(nil, job, m)
		var wrong *FormatError
		if _, err := Decode(b, JobID{8}); !errors.As(err, &wrong) {
			t.Errorf("%T of another job: %v", m, err)
		}
		for i := range b {
			if _, err := Decode(b[:i], job); !errors.As(err, &wrong) {
				t.Errorf("%T cut to %d bytes: %v", m, i, err)
			}
			c := bytes.Clone(b)
			c[i] ^= 1 << (i % 8)
			if _, err := Decode(c, job); !errors.As(err, &wrong) {
				t.Errorf("%T with byte %d changed: %v", m, i, err)
			}
		}
	}
}

// TestDamagedFrames changes frames and gives them a correct checksum, as an attacker with a certificate could.
func TestDamagedFrames(t *testing.T) {
	var job JobID
	r := random.NewSource(1)
	all := messages()
	n := campaign.Count(10_000, 50_000, 1_000_000)
	campaign.Record(t).Add(n)
	for range n {
		b := Encode(nil, job, all[r.Intn(len(all))])
		b = b[:len(b)-4]
		for range 1 + r.Intn(4) {
			switch at := r.Intn(len(b)); r.Intn(3) {
			case 0:
				b[at] = byte(r.Uint64())
			case 1:
				b = b[:at+1]
			default:
				b = append(b[:at], append([]byte{byte(r.Uint64())}, b[at:]...)...)
			}
		}
		tryFrame(t, b)
	}
}

// tryFrame decodes a frame without its checksum. If that succeeds, it expects that encoding and decoding the message
// gives the same message.
func tryFrame(t *testing.T, b []byte) {
	var job JobID
	frame := binary.LittleEndian.AppendUint32(bytes.Clone(b), checksum(job, b))
	m, err := Decode(frame, job)
	if err != nil {
		var wrong *FormatError
		if !errors.As(err, &wrong) || wrong.Offset < 0 || wrong.Offset > len(frame) {
			t.Fatalf("%x: %#v", b, err)
		}
		return
	}
	full := Encode(nil, job, m)
	again, err := Decode(full, job)
	if err != nil || !bytes.Equal(Encode(nil, job, again), full) {
		t.Fatalf("%x reads as %+v, and that as %+v, %v", b, m, again, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, m := range messages() {
		b := Encode(nil, JobID{}, m)
		f.Add(b[:len(b)-4])
	}
	f.Fuzz(func(t *testing.T, b []byte) { tryFrame(t, b) })
}

// TestMessageLimit checks that a Log message stays below the limit, however many entries wait and however large their
// payloads are.
func TestMessageLimit(t *testing.T) {
	for _, batch := range []int{1, 5000, 1 << 20, 4 << 20} {
		for _, largest := range []int{0, 40, 3000, 2 << 20} {
			var w window
			payload := make([]byte, largest)
			for seq := range uint64(2 << 10) {
				w.append(&Entry{Kind: UpdateEntry, Epoch: math.MaxUint32, Peer: Peer{maxPartitions, math.MaxUint32},
					Seq: math.MaxUint64 - seq, Partition: maxPartitions, Ordinal: math.MaxUint32, Payload: payload})
			}
			limit := Config{Partitions: 1, Batch: batch}.MessageLimit(largest)
			if size := Size(&Log{First: 1, Entries: w.batch(1, batch)}); size > limit {
				t.Errorf("batches of %d bytes, payloads of %d: a message has %d bytes, the limit is %d", batch, largest, size,
					limit)
			}
		}
	}
}
