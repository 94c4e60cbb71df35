package coordination

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// notes is a replica that records the calls it gets.
type notes struct{ said []string }

func (n *notes) say(format string, args ...any) {
	n.said = append(n.said, fmt.Sprintf(format, args...))
}

func (n *notes) Install(params, state []byte) error {
	n.say("install %s %s", params, state)
	return nil
}
func (n *notes) Apply(e *Entry) error {
	n.say("apply %v %d %s", e.Peer.Worker, e.Seq, e.Payload)
	return nil
}
func (n *notes) SetStatistics(s []byte) error           { n.say("statistics %s", s); return nil }
func (n *notes) Constrain(p []*Update) error            { n.say("constrain but %d", len(p)); return nil }
func (n *notes) State() ([]byte, error)                 { return []byte("state"), nil }
func (n *notes) Report(bool, []*Update) ([]byte, error) { return []byte("report"), nil }
func (n *notes) Sum(p [][]byte) ([]byte, error)         { return []byte(fmt.Sprintf("(%s)", joined(p))), nil }
func (n *notes) Abandon(u *Update)                      { n.say("abandon %d", u.Seq) }

func joined(p [][]byte) string {
	var all []string
	for _, b := range p {
		all = append(all, string(b))
	}
	return strings.Join(all, "+")
}

// bench is a worker and the actions that it has returned.
type bench struct {
	*testing.T
	w       *Worker
	replica *notes
	now     Time
	did     []Action
}

// newBench returns worker 3 after it has joined a coordinator of term 9 with the parameters p.
func newBench(t *testing.T) *bench {
	b := &bench{T: t, replica: &notes{}}
	var err error
	if b.w, err = NewWorker(WorkerConfig{Shares: []Share{{3, 5}}, Address: "here", Coordinator: "coordinator",
		InFlight: 2}, b.replica); err != nil {
		t.Fatal(err)
	}
	b.step(Tick{})
	b.step(Connected{1})
	b.hear(&Welcome{Term: 9, Peer: Peer{3, 1}, Fresh: true})
	b.hear(&Follow{Version: 1})
	b.hear(&Log{First: 1, Entries: []*Entry{{Kind: BaseEntry, Payload: []byte("p"), State: []byte("s")},
		{Kind: OpenEntry}}})
	return b
}

func (b *bench) step(e Event) {
	b.now += time.Millisecond
	b.did = append(b.did, b.w.Step(b.now, e)...)
}

// hear passes a message from the coordinator to the worker.
func (b *bench) hear(m Message) { b.step(Received{1, m}) }

// sent returns the messages of a kind that the worker has sent.
func sent[M Message](b *bench) (all []M) {
	for _, a := range b.did {
		if s, ok := a.(Send); ok {
			if m, ok := s.Message.(M); ok {
				all = append(all, m)
			}
		}
	}
	return all
}

func (b *bench) expect(want ...string) {
	b.Helper()
	if !reflect.DeepEqual(b.replica.said, want) {
		b.Fatalf("the replica was told %q, not %q", b.replica.said, want)
	}
}

func other(seq uint64, payload string) *Entry {
	return &Entry{Kind: UpdateEntry, Peer: Peer{8, 1}, Seq: seq, Payload: []byte(payload)}
}

// TestOverlap checks that entries that come twice, from two parents, are applied once, after the running step.
func TestOverlap(t *testing.T) {
	b := newBench(t)
	b.hear(&Log{First: 3, Entries: []*Entry{other(1, "a"), other(2, "b")}})
	b.expect("install p s") // a step runs
	b.hear(&Log{First: 4, Entries: []*Entry{other(2, "b"), other(3, "c")}})
	b.step(Trained{ID: 1, Payload: []byte("mine")})
	b.expect("install p s", "apply 3 1 mine", "apply 8 1 a", "apply 8 2 b", "apply 8 3 c")
	if u := sent[*Update](b); len(u) != 1 || u[0].Seq != 1 || string(u[0].Payload) != "mine" {
		t.Errorf("sent %v", u)
	}
}

// TestSkip checks that the worker complains about a parent that skips entries and doesn't apply what it sent.
func TestSkip(t *testing.T) {
	b := newBench(t)
	b.step(Trained{ID: 1})
	b.hear(&Log{First: 4, Entries: []*Entry{other(2, "b")}})
	b.expect("install p s", "apply 3 1 ")
	if o := sent[*Orphan](b); len(o) != 1 || o[0].Version != 1 || o[0].Received != 2 {
		t.Errorf("complained %v", o)
	}
}

// TestInFlight checks that a worker waits for its own updates to appear in the log and doesn't apply them again.
func TestInFlight(t *testing.T) {
	b := newBench(t)
	b.step(Trained{ID: 1, Payload: []byte("one")})
	b.step(Trained{ID: 2, Payload: []byte("two")})
	if b.w.steps.now != 0 {
		t.Fatal("a third step runs while two updates are not committed")
	}
	b.hear(&Log{First: 3, Entries: []*Entry{{Kind: UpdateEntry, Peer: Peer{3, 1}, Seq: 1, Own: true}}})
	if b.w.steps.now != 3 {
		t.Fatal("no third step runs though one is")
	}
	b.expect("install p s", "apply 3 1 one", "apply 3 2 two")
	if e := b.w.log.at(3); string(e.Payload) != "one" || e.Own {
		t.Errorf("what it passes on of its own update is %+v", e)
	}
}

// TestReconnect checks that updates that were not seen in the log are sent again on a new link, under the same sequence
// numbers. A new life abandons the updates that the coordinator reports as not committed.
func TestReconnect(t *testing.T) {
	b := newBench(t)
	b.step(Trained{ID: 1, Payload: []byte("one")})
	b.step(Trained{ID: 2, Payload: []byte("two")})
	b.hear(&Log{First: 3, Entries: []*Entry{{Kind: UpdateEntry, Peer: Peer{3, 1}, Seq: 1, Own: true}}})
	b.step(Broken{Link: 1})
	b.now += time.Second
	b.did = nil
	b.step(Tick{})
	b.step(Connected{3})
	if h := sent[*Hello](b); len(h) != 1 || h[0].Term != 9 || h[0].Incarnation != 1 {
		t.Fatalf("greeted with %+v", h)
	}
	b.step(Received{3, &Welcome{Term: 9, Peer: Peer{3, 1}, Resumed: true}})
	if u := sent[*Update](b); len(u) != 1 || u[0].Seq != 2 {
		t.Fatalf("sent %v again", u)
	}
	b.step(Trained{ID: 3, Payload: []byte("three")})
	b.step(Received{3, &Welcome{Term: 9, Peer: Peer{3, 2}, Committed: 2}})
	b.expect("install p s", "apply 3 1 one", "apply 3 2 two", "apply 3 3 three", "abandon 3")
	b.step(Received{3, &Snapshot{Position: 7, Open: true, Next: []uint32{2}, Params: []byte("q")}})
	b.expect("install p s", "apply 3 1 one", "apply 3 2 two", "apply 3 3 three", "abandon 3", "install q ")
	if tr, ok := b.did[len(b.did)-1].(Train); !ok || tr.Ordinal != 2 {
		t.Errorf("what it does at last: %+v", b.did[len(b.did)-1])
	}
}

// TestStepOfAnEarlierLife checks that the result of a step that began in an earlier life is abandoned. The new life
// begins its step after it.
func TestStepOfAnEarlierLife(t *testing.T) {
	b := newBench(t)
	b.hear(&Welcome{Term: 10, Peer: Peer{3, 1}})
	b.hear(&Snapshot{Position: 7, Open: true, Next: []uint32{0}, Params: []byte("q")})
	b.expect("install p s")
	b.step(Trained{ID: 1, Payload: []byte("late")})
	b.expect("install p s", "abandon 0", "install q ")
	if len(sent[*Update](b)) > 0 || b.w.steps.now != 2 {
		t.Error("the late update was sent, or no new step runs")
	}
}

// TestPartForAnotherLife checks that a part is answered only by the life that it is for.
func TestPartForAnotherLife(t *testing.T) {
	b := newBench(t)
	b.step(Trained{ID: 1})
	b.hear(&Log{First: 3, Entries: []*Entry{{Kind: ClosedEntry},
		{Kind: RoundEntry, Shares: []uint32{3, 4}, Group: 2, Payload: []byte("start")}}})
	b.step(Accepted{2})
	b.step(Received{2, &Part{Term: 9, To: Peer{3, 2}, Gather: 4, Index: 1, Payload: []byte("4")}})
	if len(sent[*Got](b)) > 0 {
		t.Fatal("a part for another life was taken")
	}
	b.step(Accepted{4})
	b.step(Received{4, &Part{Term: 9, To: Peer{3, 1}, Gather: 4, Index: 1, Payload: []byte("4")}})
	b.step(Trained{ID: b.w.steps.now})
	b.step(Trained{ID: b.w.steps.now, Payload: []byte("3")})
	if p := sent[*Part](b); len(sent[*Got](b)) != 1 || len(p) != 1 || p[0].Level != 1 || string(p[0].Payload) != "(3+4)" {
		t.Fatalf("gave %v", p)
	}
}

// TestSecondGathering checks that the parts of a second gathering go at once over the link that the first one made,
// whether the log or the target comes first.
func TestSecondGathering(t *testing.T) {
	for _, targetFirst := range []bool{false, true} {
		b := newBench(t)
		b.step(Trained{ID: 1})
		b.hear(&Log{First: 3, Entries: []*Entry{{Kind: ClosedEntry}}})
		b.step(Trained{ID: b.w.steps.now})
		for id := uint64(4); id <= 5; id++ {
			target, entry := &Target{Gather: id, Peer: Peer{2, 1}, Address: "there"}, &Log{First: id,
				Entries: []*Entry{{Kind: SettleEntry, Shares: []uint32{2, 3}, Group: 2}}}
			if targetFirst {
				b.hear(target)
				b.hear(entry)
			} else {
				b.hear(entry)
				b.hear(target)
			}
			if id == 4 {
				b.step(Connected{b.w.targets.all[0].link})
			}
			if p := sent[*Part](b); len(p) != int(id-3) || p[id-4].Gather != id {
				t.Fatalf("target first: %v: gave %v for gathering %d", targetFirst, p, id)
			}
			b.hear(target) // repeated: the link is up, so nothing is lost
		}
		if p := sent[*Part](b); len(p) != 2 {
			t.Errorf("target first: %v: gave %d parts for 2 gatherings", targetFirst, len(p))
		}
	}
}

// TestFeeding checks that a child gets one Log at a time, with all entries since the last one. Its own entries come
// without payload.
func TestFeeding(t *testing.T) {
	b := newBench(t)
	b.step(Accepted{2})
	b.step(Received{2, &Attach{Term: 9, Peer: Peer{8, 1}, Received: 2}})
	for seq := uint64(1); seq <= 3; seq++ {
		b.hear(&Log{First: 2 + seq, Entries: []*Entry{other(seq, "x")}})
	}
	if l := sent[*Log](b); len(l) != 1 {
		t.Fatalf("%d messages are under way", len(l))
	}
	b.step(Sent{2})
	l := sent[*Log](b)
	if len(l) != 2 || l[1].First != 4 || len(l[1].Entries) != 2 || !l[1].Entries[0].Own || l[1].Entries[0].Payload != nil {
		t.Fatalf("then came %+v", l[len(l)-1])
	}
	b.step(Accepted{4})
	b.step(Received{4, &Attach{Term: 8, Peer: Peer{9, 1}, Received: 2}})
	if len(sent[*Behind](b)) != 1 {
		t.Error("a child of another term is fed")
	}
}

// TestLeftAlone checks that a worker that hears nothing from its coordinator ends itself with an error that names it.
func TestLeftAlone(t *testing.T) {
	b := newBench(t)
	b.step(Trained{ID: 1})
	most := DefaultTiming().Orphan + 10*time.Second
	for b.now < most {
		if b.w.ended {
			break
		}
		b.now += 250 * time.Millisecond
		b.step(Tick{})
	}
	last := b.did[len(b.did)-1]
	if f, ok := last.(Failed); !ok || !strings.Contains(f.Err.Error(), "coordinator") || b.now > most {
		t.Fatalf("after %v: %+v", b.now, last)
	}
}
