package coordination

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// sums is a reference that keeps the parameters and statistics as text, and the payloads that it expects.
type sums struct{ params, statistics, expected string }

func (s *sums) Install(params []byte) error { s.params = string(params); return nil }
func (s *sums) Apply(e *Entry) error {
	if string(e.Payload) == "bad" {
		return errors.New("it is no update")
	}
	s.params += string(e.Payload)
	return nil
}
func (s *sums) Expect(payloads [][]byte)             { s.expected = joined(payloads) }
func (s *sums) CatchUp()                             {}
func (s *sums) Average(all [][]byte) ([]byte, error) { return []byte(joined(all)), nil }
func (s *sums) SetStatistics(b []byte) error         { s.statistics = string(b); return nil }
func (s *sums) Constrain() error                     { s.params += "|"; return nil }
func (s *sums) Params() ([]byte, error)              { return []byte(s.params), nil }
func (s *sums) Sum() ([]byte, error)                 { return []byte("sum"), nil }

// desk is a coordinator and the actions that it has returned.
type desk struct {
	*testing.T
	c   *Coordinator
	ref *sums
	now Time
	did []Action
}

func newDesk(t *testing.T, c Config) *desk {
	d := &desk{T: t, ref: &sums{}}
	c.Term = 1
	var err error
	if d.c, err = NewCoordinator(c, d.ref, nil); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desk) step(e Event) {
	d.now += time.Millisecond
	d.did = append(d.did, d.c.Step(d.now, e)...)
}

// pass advances the time in steps.
func (d *desk) pass(t time.Duration) {
	for end := d.now + t; d.now < end; {
		d.now += 249 * time.Millisecond
		d.step(Tick{})
	}
}

// on returns the messages of a kind that were sent on a link.
func on[M Message](d *desk, l Link) (all []M) {
	for _, a := range d.did {
		if s, ok := a.(Send); ok && s.Link == l {
			if m, ok := s.Message.(M); ok {
				all = append(all, m)
			}
		}
	}
	return all
}

// did returns the actions of a kind.
func did[A Action](d *desk) (all []A) {
	for _, a := range d.did {
		if a, ok := a.(A); ok {
			all = append(all, a)
		}
	}
	return all
}

// greet makes a worker call on a link: link 2 for partition 0, link 4 for partition 1, and so on.
func (d *desk) greet(l Link, nonce uint64, attempt uint32, partition uint32) {
	d.step(Accepted{l})
	d.step(Received{l, &Hello{Nonce: nonce, Attempt: attempt, Shares: []Share{{partition, 3}}}})
}

// TestMissing checks that a round that can't begin names the partitions without a worker, if any worker is there.
func TestMissing(t *testing.T) {
	d := newDesk(t, Config{Partitions: 3, Min: 3})
	d.greet(2, 1, 0, 0)
	d.greet(6, 3, 0, 2)
	d.step(Round{Round: 0, Shares: []uint32{0, 1, 2}, Group: 2})
	for end := d.now + DefaultTiming().Join + time.Second; d.now < end; {
		d.pass(time.Second)
		d.step(Alive{2})
		d.step(Alive{6})
	}
	missing, failed := did[Missing](d), did[Failed](d)
	if len(missing) != 1 || !reflect.DeepEqual(missing[0].Partitions, []uint32{1}) || len(failed) != 1 {
		t.Errorf("missing %v, failed %v", missing, failed)
	}
}

// TestAdmission checks which workers are admitted, which are refused, and for how long.
func TestAdmission(t *testing.T) {
	d := newDesk(t, Config{Partitions: 3, Max: 2})
	refused := func(l Link, final bool, why string) {
		t.Helper()
		if r := on[*Refuse](d, l); len(r) != 1 || r[0].Final != final || !strings.Contains(r[0].Reason, why) {
			t.Fatalf("link %d is told %+v", l, r)
		}
	}
	d.step(Received{100, &Hello{Job: JobID{1}, Shares: []Share{{0, 3}}}})
	refused(100, true, "another job")
	d.step(Received{102, &Beat{}})
	refused(102, true, "greeting")
	d.step(Received{104, &Hello{Shares: []Share{{3, 3}}}})
	refused(104, true, "partition 3 of 3")
	d.greet(2, 1, 1, 0)
	d.greet(4, 2, 1, 1)
	if a := did[Admitted](d); len(a) != 2 || a[1].Peer != (Peer{1, 1}) {
		t.Fatalf("admitted: %v", a)
	}
	d.greet(6, 3, 1, 2)
	refused(6, false, "2 workers")
	d.greet(8, 4, 0, 1)
	refused(8, true, "held by a newer process, of attempt 1")
	d.greet(12, 5, 2, 1)
	if l := did[Lost](d); len(l) != 1 || l[0].Peer != (Peer{1, 1}) || l[0].Violation || len(on[*Bye](d, 4)) != 1 {
		t.Fatalf("lost: %+v", l)
	}
	if w := on[*Welcome](d, 12); len(w) != 1 || w[0].Peer != (Peer{1, 2}) || w[0].Resumed {
		t.Fatalf("welcomed: %+v", w)
	}
	d.greet(14, 6, 2, 1) // same attempt, but later
	if w := on[*Welcome](d, 14); len(w) != 1 || w[0].Peer != (Peer{1, 3}) || len(on[*Bye](d, 12)) != 1 {
		t.Fatalf("welcomed: %+v", w)
	}
	d.greet(20, 5, 2, 1) // the worker that it has replaced
	refused(20, true, "held by a newer process, of attempt 2")
	d.step(Broken{Link: 14})
	d.step(Accepted{16})
	d.step(Received{16, &Hello{Nonce: 6, Attempt: 2, Shares: []Share{{1, 3}}, Term: 1, Incarnation: 3}})
	if w := on[*Welcome](d, 16); len(w) != 1 || w[0].Peer != (Peer{1, 3}) || !w[0].Resumed {
		t.Fatalf("welcomed: %+v", w)
	}
	for i, a := range did[Admitted](d) {
		if a.Again || a.Replaces != (i > 1) {
			t.Errorf("admitted as number %d: %+v", i, a)
		}
	}
	d.did = nil
	d.step(Received{16, &Leave{"it starts over"}})
	d.step(Accepted{22})
	d.step(Received{22, &Hello{Nonce: 6, Attempt: 2, Shares: []Share{{1, 3}}, Term: 1, Incarnation: 3}})
	if a := did[Admitted](d); len(did[Lost](d)) != 1 || !slices.Equal(a, []Admitted{{Peer{1, 4}, true, true}}) {
		t.Errorf("the process that starts over: lost %+v, admitted %+v", did[Lost](d), a)
	}
	d.step(Accepted{18})
	d.step(Received{18, &Hello{Nonce: 7, Attempt: 3, Shares: []Share{{1, 4}}}})
	if f := did[Failed](d); len(f) != 1 || !strings.Contains(f[0].Err.Error(),
		"partition 1 had 3 minibatches, and has 4") {
		t.Fatalf("rows that changed: %v", f)
	}
}

// TestLate checks that a worker that comes after the end or a failure is told so.
func TestLate(t *testing.T) {
	d := newDesk(t, Config{Partitions: 2})
	d.greet(2, 1, 0, 0)
	d.step(Shut{Reason: "the fit is over"})
	if len(did[ShutDown](d)) != 1 {
		t.Fatal("it is not over")
	}
	d.did = nil
	d.greet(4, 2, 0, 1)
	d.step(Received{6, &Beat{}})
	d.step(Tick{})
	if b := on[*Bye](d, 4); len(b) != 1 || !b[0].Final || b[0].Reason != "the fit is over" {
		t.Errorf("who comes late is told %+v", b)
	}
	if c := did[Close](d); len(d.did) != 3 || len(c) != 2 || c[0].Link != 4 || c[1].Link != 6 {
		t.Errorf("afterwards it did %+v", d.did)
	}
}

// TestIdleLinks checks that silent links are closed in time and are limited in number.
func TestIdleLinks(t *testing.T) {
	d := newDesk(t, Config{Partitions: 1})
	for l := range Link(5000) {
		d.step(Accepted{2*l + 2})
	}
	d.pass(time.Second)
	if n := len(d.c.greeting); n > maxGreeting {
		t.Errorf("%d links are kept", n)
	}
	d.pass(12 * time.Second)
	if closed := len(did[Close](d)); closed != 5000 || len(d.c.greeting) > 0 {
		t.Errorf("%d of 5000 idle links are closed", closed)
	}
}

// TestJoinerGetsState checks that a joiner gets its state from a live worker, or from the next one if the first is
// slow. However late the answer is, no older state is used while a live worker can give a newer one.
func TestJoinerGetsState(t *testing.T) {
	d := newDesk(t, Config{Partitions: 3})
	d.greet(2, 1, 0, 0)
	d.greet(4, 2, 0, 1)
	d.step(Open{Begin: true, Params: []byte("p"), State: []byte("first")})
	d.step(Received{2, &Update{Peer: Peer{0, 1}, Seq: 1, Payload: []byte("+a")}})
	d.greet(6, 3, 0, 2)
	if q := on[*StateRequest](d, 2); len(q) != 1 || len(on[*Snapshot](d, 6)) > 0 {
		t.Fatal("worker 0 is not asked first")
	}
	live := []Link{2, 4, 6}
	beats := func(n int) {
		for range n {
			for _, l := range live {
				d.step(Received{l, &Beat{}})
			}
			d.pass(time.Second)
		}
	}
	d.step(SaveNow{})
	beats(40)
	if q, all := on[*StateRequest](d, 4), on[*StateRequest](d, 2); len(q) != 1 || len(all) != 1 {
		t.Fatalf("worker 1 is asked %d times, worker 0 %d times", len(q), len(all))
	}
	if s := on[*Snapshot](d, 6); len(s) > 0 || len(did[Save](d)) > 0 {
		t.Fatalf("while two workers live, the state is taken to be %q", s[0].State)
	}
	d.step(Received{2, &State{on[*StateRequest](d, 2)[0].ID, []byte("late")}})
	d.step(Received{4, &State{on[*StateRequest](d, 4)[0].ID, []byte("later")}})
	if s := on[*Snapshot](d, 6); len(s) != 1 || string(s[0].State) != "late" || string(s[0].Params) != "p+a" ||
		s[0].Position != 4 || !s[0].Open {
		t.Fatalf("joined with %+v", s[0])
	}
	if len(did[Save](d)) > 0 {
		t.Fatal("saved without reports")
	}
	d.step(Received{4, &Part{Term: 1, Gather: 4, Level: 1, Payload: []byte("reports")}})
	if s := did[Save](d); len(s) != 1 || string(s[0].Checkpoint.State) != "late" ||
		string(s[0].Checkpoint.Reports) != "reports" {
		t.Fatalf("saved %+v", s)
	}

	// The link breaks before the answer. Another worker is asked.
	d.step(Received{6, &Leave{"enough"}})
	d.greet(8, 4, 1, 2)
	live = []Link{2, 4, 8}
	d.step(Broken{Link: 2})
	d.step(Accepted{10})
	d.step(Received{10, &Hello{Nonce: 1, Shares: []Share{{0, 3}}, Term: 1, Incarnation: 1}})
	live[0] = 10
	beats(12)
	if q := on[*StateRequest](d, 10); len(q) != 1 {
		t.Fatalf("on its new link worker 0 is asked %d times", len(q))
	}

	// All workers that knew the state end. The checkpoint gets the state of the remaining worker.
	d.did = nil
	d.step(Received{10, &Update{Peer: Peer{0, 1}, Seq: 2, Ordinal: 1, Payload: []byte("+b")}})
	d.step(SaveNow{})
	d.step(Received{10, &Leave{"enough"}})
	d.step(Received{4, &Leave{"enough"}})
	if s := on[*Snapshot](d, 8); len(s) != 1 || string(s[0].State) != "late" || len(did[Warn](d)) != 1 ||
		len(did[Save](d)) > 0 {
		t.Fatalf("where nobody is left, joined with %+v, warned %v", s, did[Warn](d))
	}
	d.step(Received{8, &Beat{}})
	d.pass(time.Second)
	q := on[*StateRequest](d, 8)
	if len(q) != 1 {
		t.Fatalf("the one that is left is asked %d times", len(q))
	}
	d.step(Received{8, &State{q[0].ID, []byte("again")}})
	d.step(Received{8, &Part{Term: 1, Gather: d.c.Head(), Payload: []byte("its own")}})
	if s := did[Save](d); len(s) != 1 || string(s[0].Checkpoint.State) != "again" {
		t.Fatalf("saved %+v", s)
	}
}

// TestCommit checks that an update is committed once, in turn, and only from the worker that holds the partition. A
// worker that sends an update out of place is ended.
func TestCommit(t *testing.T) {
	begin := func() *desk {
		d := newDesk(t, Config{Partitions: 2, Statistics: 2})
		d.greet(2, 1, 0, 0)
		d.greet(4, 2, 0, 1)
		d.step(Open{Begin: true, Params: []byte("p")})
		d.step(Received{2, &Update{Peer: Peer{0, 1}, Seq: 1, Payload: []byte("+a"), Statistics: []byte("s0")}})
		return d
	}
	d := begin()
	d.step(Received{2, &Update{Peer: Peer{0, 1}, Seq: 1, Payload: []byte("+a")}})
	d.step(Received{4, &Update{Peer: Peer{1, 1}, Seq: 1, Partition: 1, Statistics: []byte("s1")}})
	if c := did[Committed](d); len(c) != 2 || d.ref.params != "p+a" || len(did[Lost](d)) > 0 {
		t.Fatalf("committed %v, the reference is %s", c, d.ref.params)
	}
	d.step(Received{2, &Update{Peer: Peer{0, 1}, Seq: 2, Ordinal: 1}})
	d.step(Received{2, &Update{Peer: Peer{0, 1}, Seq: 3, Ordinal: 2}})
	if d.ref.statistics != "s0+s1" {
		t.Errorf("statistics are %q after two minibatches of each worker", d.ref.statistics)
	}
	for name, u := range map[string]*Update{
		"a gap":                   {Peer: Peer{0, 1}, Seq: 3, Ordinal: 1},
		"another's name":          {Peer: Peer{1, 1}, Seq: 1, Partition: 1},
		"another's partition":     {Peer: Peer{0, 1}, Seq: 2, Partition: 1},
		"a partition that is not": {Peer: Peer{0, 1}, Seq: 2, Partition: 1 << 30},
		"another epoch":           {Peer: Peer{0, 1}, Seq: 2, Epoch: 1, Ordinal: 1},
		"out of turn":             {Peer: Peer{0, 1}, Seq: 2, Ordinal: 2},
		"what cannot be applied":  {Peer: Peer{0, 1}, Seq: 2, Ordinal: 1, Payload: []byte("bad")},
		"applied too much":        {Peer: Peer{0, 1}, Seq: 2, Ordinal: 1, Applied: 99},
	} {
		d := begin()
		d.step(Received{2, u})
		if l := did[Lost](d); len(l) != 1 || !l[0].Violation || l[0].Peer != (Peer{0, 1}) || len(did[Committed](d)) != 1 ||
			d.ref.params != "p+a" {
			t.Errorf("%s: lost %v, the reference is %s", name, l, d.ref.params)
		}
	}
}

// TestTree checks that the tree grows level by level and that no worker feeds itself. The children of a dead relay find
// other relays nearby. The coordinator feeds a worker that reaches none.
func TestTree(t *testing.T) {
	d := newDesk(t, Config{Partitions: 20, Mode: Mesh, Fanout: 3})
	for p := range uint32(20) {
		d.step(Accepted{Link(2*p + 2)})
		d.step(Received{Link(2*p + 2), &Hello{Nonce: uint64(p), Shares: []Share{{p, 3}}, Address: "somewhere"}})
	}
	var depths []int
	for _, m := range d.c.Members() {
		depths = append(depths, m.Depth)
	}
	if want := []int{1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3}; !reflect.DeepEqual(depths, want) {
		t.Fatalf("depths are %v", depths)
	}
	d.step(Received{2, &Leave{"enough"}})
	for _, m := range d.c.Members() {
		if m.Parent == (Peer{0, 1}) || m.Depth > 4 {
			t.Errorf("%v is fed by %v, at depth %d", m.Peer, m.Parent, m.Depth)
		}
	}
	parent := func() (*Follow, Peer) {
		all := on[*Follow](d, 40)
		return all[len(all)-1], all[len(all)-1].Parent
	}
	seen := map[Peer]bool{}
	for range maxFailures {
		f, p := parent()
		if p.Incarnation == 0 || seen[p] {
			t.Fatalf("worker 19 is to follow %v, after %v", p, seen)
		}
		seen[p] = true
		d.step(Received{40, &Orphan{Version: f.Version, Unreachable: true}})
	}
	if _, p := parent(); p.Incarnation != 0 {
		t.Errorf("worker 19 is to follow %v, after %v", p, seen)
	}
}
