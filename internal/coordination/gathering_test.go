package coordination

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestRoundFromTheLastSum checks that the start of a round is sent to all workers, and to later joiners, except to the
// worker that sent the sum it begins with.
func TestRoundFromTheLastSum(t *testing.T) {
	d := newDesk(t, Config{Partitions: 2, Min: 2})
	links := []Link{2, 4}
	for i, l := range links {
		d.greet(l, uint64(i+1), 1, uint32(i))
		d.step(Received{l, &Attach{Term: 1, Peer: Peer{uint32(i), 1}, Version: 1}})
	}
	for r, c := range []struct {
		start string
		own   []bool
	}{{"start", []bool{false, false}}, {"sum 0", []bool{true, false}}, {"another", []bool{false, false}}} {
		d.step(Round{Round: uint32(r), Shares: []uint32{0, 1}, Group: 2, Start: []byte(c.start)})
		for i, l := range links {
			logs := on[*Log](d, l)
			e := logs[len(logs)-1].Entries[0]
			want := c.start
			if c.own[i] {
				want = ""
			}
			if len(logs) != r+1 || e.Own != c.own[i] || string(e.Payload) != want {
				t.Errorf("round %d: worker %d was sent %+v", r, i, e)
			}
			d.step(Sent{l})
		}
		d.step(Received{2, &Part{Term: 1, Gather: d.c.log.head(), Level: 1, Payload: fmt.Appendf(nil, "sum %d", r)}})
		if done := did[RoundDone](d); len(done) != r+1 {
			t.Fatalf("%d rounds are done", len(done))
		}
	}
	d.step(Round{Round: 3, Shares: []uint32{0, 1}, Group: 2, Start: []byte("sum 2")})
	d.greet(6, 9, 2, 0) // it replaces the worker that sent the sum
	d.step(Received{6, &Attach{Term: 1, Peer: Peer{0, 2}, Version: 1, Received: d.c.log.head() - 1}})
	if logs := on[*Log](d, 6); len(logs) != 1 || string(logs[0].Entries[0].Payload) != "sum 2" {
		t.Errorf("the replacement was sent %+v", logs)
	}
}

// TestOwnSum checks that a worker begins a round with the sum that it sent itself, and passes the sum on whole.
func TestOwnSum(t *testing.T) {
	b := newBench(t)
	b.step(Trained{ID: 1})
	b.hear(&Log{First: 3, Entries: []*Entry{{Kind: ClosedEntry},
		{Kind: RoundEntry, Shares: []uint32{3}, Group: 2, Payload: []byte("start")}}})
	b.step(Trained{ID: b.w.steps.now})
	b.step(Trained{ID: b.w.steps.now, Payload: []byte("sum")})
	if p := sent[*Part](b); len(p) != 1 || string(p[0].Payload) != "sum" {
		t.Fatalf("gave %v", p)
	}
	b.step(Accepted{2})
	b.step(Received{2, &Attach{Term: 9, Peer: Peer{8, 1}, Received: 4}})
	b.hear(&Log{First: 5, Entries: []*Entry{{Kind: RoundEntry, Epoch: 1, Peer: Peer{3, 1}, Seq: 4, Own: true,
		Shares: []uint32{3}, Group: 2}}})
	b.expect("install p s", "apply 3 1 ", "apply 3 2 ", "install start ", "install sum ")
	if l := sent[*Log](b); len(l) != 1 || l[0].Entries[0].Own || !bytes.Equal(l[0].Entries[0].Payload, []byte("sum")) {
		t.Errorf("its child was sent %+v", l)
	}
	b.step(Trained{ID: b.w.steps.now, Payload: []byte("more")})
	b.hear(&Log{First: 6, Entries: []*Entry{{Kind: RoundEntry, Epoch: 2, Peer: Peer{3, 1}, Seq: 4, Own: true,
		Shares: []uint32{3}, Group: 2}}})
	if o := sent[*Orphan](b); len(o) != 1 || b.w.log.head() != 5 {
		t.Errorf("it was told of a sum that it does not have: it complained %v, its log ends at %d", o, b.w.log.head())
	}
}

// TestDetour checks that a part whose link can't be made yet goes through the coordinator, once. When the link is up,
// the unanswered parts go over it.
func TestDetour(t *testing.T) {
	b := newBench(t)
	b.step(Trained{ID: 1})
	b.hear(&Target{Gather: 4, Peer: Peer{2, 1}, Address: "there"})
	b.hear(&Log{First: 3, Entries: []*Entry{{Kind: ClosedEntry},
		{Kind: RoundEntry, Shares: []uint32{2, 3}, Group: 2, Payload: []byte("start")}}})
	b.step(Trained{ID: b.w.steps.now})
	b.step(Trained{ID: b.w.steps.now, Payload: []byte("three")})
	if p := sent[*Part](b); len(p) != 0 {
		t.Fatalf("gave %v before there was a way", p)
	}
	b.step(Broken{Link: b.w.targets.all[0].link})
	for range 12 {
		b.now += 250 * time.Millisecond
		b.step(Tick{})
	}
	parts := sent[*Part](b)
	if len(parts) != 1 || parts[0].To != (Peer{2, 1}) || string(parts[0].Payload) != "three" {
		t.Fatalf("gave %v", parts)
	}
	b.step(Connected{b.w.targets.all[0].link})
	if p := sent[*Part](b); len(p) != 2 {
		t.Errorf("gave %d parts when the way was there", len(p))
	}
}

// TestSlowPart checks that a link is kept while its first message arrives slowly, and given up if nothing arrives.
func TestSlowPart(t *testing.T) {
	b := newBench(t)
	b.step(Accepted{2})
	b.step(Accepted{4})
	for range 24 {
		b.now += 250 * time.Millisecond
		b.step(Alive{4})
		b.step(Tick{})
	}
	var closed []Link
	for _, a := range b.did {
		if c, ok := a.(Close); ok {
			closed = append(closed, c.Link)
		}
	}
	if !slices.Equal(closed, []Link{2}) {
		t.Errorf("it closed the links %v", closed)
	}
}
