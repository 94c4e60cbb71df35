package coordination

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// The flag -write-frames rewrites the files. A change in them is a change of the protocol and needs a new version.
var writeFrames = flag.Bool("write-frames", false, "write testdata/frames.txt and testdata/fields.txt")

// checkpoints returns checkpoints with every field set, and with nil in every field that may be nil.
func checkpoints() []*Checkpoint {
	return []*Checkpoint{
		{Position: 300, Epoch: 2, Open: true, Partitions: []Progress{{Seen: true, Minibatches: 10, Next: 3}, {}},
			Lives:  []Life{{Term: 1, Peer: Peer{Worker: 0, Incarnation: 2}, Seq: 99}},
			Params: []byte("params"), State: []byte("state"), Reports: []byte("reports")},
		{Params: []byte("params"), State: []byte("state")},
		{Params: []byte{}},
	}
}

// nameOf returns the name of the type that v points to.
func nameOf(v any) string { return reflect.TypeOf(v).Elem().Name() }

// golden compares lines with a file.
func golden(t *testing.T, file string, lines []string) {
	t.Helper()
	got := strings.Join(lines, "\n") + "\n"
	if *writeFrames {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs: this changes what goes over the wire or into checkpoints:\n%s\nwant\n%s", file, got, want)
	}
}

// TestFrames checks that messages and checkpoints have the same bytes as in earlier programs of this version.
func TestFrames(t *testing.T) {
	var lines []string
	for _, m := range messages() {
		lines = append(lines, fmt.Sprintf("%s %x", nameOf(m), Encode(nil, JobID{7}, m)))
	}
	for _, k := range checkpoints() {
		lines = append(lines, fmt.Sprintf("%s %x", nameOf(k), k.Append(nil, JobID{7})))
	}
	golden(t, "testdata/frames.txt", lines)
}

// TestSavedCheckpoints checks that checkpoints of earlier programs can be read.
func TestSavedCheckpoints(t *testing.T) {
	text, err := os.ReadFile("testdata/frames.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got []*Checkpoint
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if words[0] != nameOf(&Checkpoint{}) {
			continue
		}
		b, err := hex.DecodeString(words[1])
		if err != nil {
			t.Fatal(err)
		}
		k, err := ReadCheckpoint(b, JobID{7})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, k)
	}
	if want := checkpoints(); !reflect.DeepEqual(got, want) {
		t.Errorf("they read as %+v, not %+v", got, want)
	}
}

func BenchmarkEncode(b *testing.B) {
	benchmarkFrames(b, func(m Message, _, into []byte) { Encode(into, JobID{}, m) })
}

func BenchmarkDecode(b *testing.B) {
	benchmarkFrames(b, func(_ Message, frame, _ []byte) {
		if _, err := Decode(frame, JobID{}); err != nil {
			b.Error(err)
		}
	})
}

func benchmarkFrames(b *testing.B, do func(m Message, frame, into []byte)) {
	for _, m := range []Message{
		&Update{Peer: Peer{3, 2}, Seq: 7, Payload: make([]byte, 3000)},
		&Log{First: 10, Entries: []*Entry{{Kind: UpdateEntry, Payload: make([]byte, 3000)}, {Kind: UpdateEntry, Own: true}}},
		&Part{Gather: 3, Payload: make([]byte, 1<<16)},
	} {
		b.Run(nameOf(m), func(b *testing.B) {
			frame := Encode(nil, JobID{}, m)
			into := make([]byte, 0, Size(m))
			b.ReportAllocs()
			b.SetBytes(int64(len(frame)))
			for b.Loop() {
				do(m, frame, into[:0])
			}
		})
	}
}
