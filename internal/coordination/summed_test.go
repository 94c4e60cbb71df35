package coordination

import "testing"

// TestSummedRelease checks that a release of a Summed job is its updates without payloads, and one sum.
func TestSummedRelease(t *testing.T) {
	d := newDesk(t, Config{Partitions: 2, Min: 2, Lockstep: true, Summed: true, InFlight: 1})
	d.greet(2, 1, 0, 0)
	d.greet(4, 2, 0, 1)
	d.step(Open{Begin: true, Params: []byte("p"), State: []byte("s")})
	head := d.c.Head()
	d.step(Received{2, &Update{Peer: Peer{0, 1}, Seq: 1, Payload: []byte("+a")}})
	if d.c.Head() != head {
		t.Fatal("the release does not wait for the other worker")
	}
	d.step(Received{4, &Update{Peer: Peer{1, 1}, Seq: 1, Partition: 1, Payload: []byte("+b")}})
	if d.c.Head() != head+3 {
		t.Fatalf("the release has %d entries", d.c.Head()-head)
	}
	for i := range uint64(2) {
		if e := d.c.log.at(head + 1 + i); e.Kind != UpdateEntry || e.Peer.Worker != uint32(i) || !e.Own || !e.More ||
			e.Payload != nil {
			t.Errorf("entry %d is %+v", i, e)
		}
	}
	if e := d.c.log.at(head + 3); e.Kind != SumEntry || e.More || string(e.Payload) != "sum" {
		t.Errorf("the sum is %+v", e)
	}
	if c := did[Committed](d); len(c) != 2 || string(c[1].Entry.Payload) != "+b" || d.ref.params != "p+a+b" {
		t.Errorf("the reference has %q, committed %v", d.ref.params, c)
	}
	if _, err := NewCoordinator(Config{Partitions: 1, Summed: true}, &sums{}, nil); err == nil {
		t.Error("updates are added up without lockstep")
	}
}

// TestSendsBeforeCatchingUp checks that the reference learns which updates come, and that it catches up after the
// workers have been sent the release.
func TestSendsBeforeCatchingUp(t *testing.T) {
	for _, summed := range []bool{false, true} {
		d := newDesk(t, Config{Partitions: 2, Min: 2, Lockstep: true, Summed: summed, InFlight: 1})
		d.greet(2, 1, 0, 0)
		d.greet(4, 2, 0, 1)
		d.step(Open{Begin: true, Params: []byte("p"), State: []byte("s")})
		d.step(Received{2, &Attach{Peer: Peer{0, 1}, Version: 1, Received: d.c.Head()}})
		d.did = nil
		d.step(Received{2, &Update{Peer: Peer{0, 1}, Seq: 1, Payload: []byte("a")}})
		if n := len(did[CatchUp](d)); n != 0 || d.ref.expected != "" {
			t.Errorf("before the release, the reference catches up %d times, and expects %q", n, d.ref.expected)
		}
		d.step(Received{4, &Update{Peer: Peer{1, 1}, Seq: 1, Partition: 1, Payload: []byte("b")}})
		if len(on[*Log](d, 2)) != 1 || d.ref.expected != "a+b" {
			t.Errorf("the release is not sent, or the reference expects %q", d.ref.expected)
		}
		if _, last := d.did[len(d.did)-1].(CatchUp); !last || len(did[CatchUp](d)) != 1 {
			t.Errorf("the last action is %T", d.did[len(d.did)-1])
		}
	}
}

// TestSummedWorker checks that a worker of a Summed job applies sums, and no update, not even its own.
func TestSummedWorker(t *testing.T) {
	b := newBench(t)
	b.w.conf.Summed, b.w.conf.InFlight = true, 1
	b.step(Trained{ID: 1, Payload: []byte("mine")})
	b.expect("install p s")
	own := &Entry{Kind: UpdateEntry, Peer: Peer{3, 1}, Seq: 1, Own: true, More: true}
	b.hear(&Log{First: 3, Entries: []*Entry{{Kind: UpdateEntry, Peer: Peer{2, 1}, Seq: 1, Own: true, More: true}, own,
		{Kind: ConstrainEntry, More: true}}})
	if b.w.steps.now != 0 {
		t.Fatal("a step begins without the sum")
	}
	b.hear(&Log{First: 6, Entries: []*Entry{{Kind: SumEntry, Payload: []byte("sum")}}})
	b.expect("install p s", "constrain but 0", "apply 0 0 sum")
	if b.w.steps.now != 2 || len(b.w.pending) != 0 {
		t.Error("no step begins after the release")
	}
}
