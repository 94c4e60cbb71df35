package coordination

import "testing"

// TestSilent checks which silent workers a checkpoint counts: those that may have a residual. A worker that has made no
// step has none, unless it was there before its link broke for good.
func TestSilent(t *testing.T) {
	d := newDesk(t, Config{Partitions: 3})
	d.greet(2, 1, 0, 0)
	d.greet(4, 2, 0, 1)
	d.greet(6, 3, 0, 2)
	d.step(Open{Begin: true, Params: []byte("p"), State: []byte("state")})
	d.step(Received{2, &Update{Peer: Peer{0, 1}, Seq: 1, Payload: []byte("+a")}})
	save := func(want int, gone ...Link) {
		t.Helper()
		for _, l := range gone {
			d.step(Broken{Link: l})
		}
		d.step(SaveNow{})
		for _, l := range []Link{2, 4} {
			for _, q := range on[*StateRequest](d, l) {
				d.step(Received{l, &State{q.ID, []byte("state")}})
			}
		}
		g := d.c.gathering
		d.step(Received{4, &Part{Term: 1, Gather: g.id, Level: uint32(treeShape{len(g.shares), g.group}.top()),
			Payload: []byte("reports")}})
		if s := did[Save](d); len(s) != 1 || s[0].Silent != want || string(s[0].Checkpoint.Reports) != "reports" {
			t.Fatalf("saved %+v, want %d silent workers with a residual", s, want)
		}
		d.did = nil
	}
	save(0)
	save(0, 6)
	save(1, 2)
	d.step(Received{4, &Update{Peer: Peer{1, 1}, Seq: 1, Partition: 1, Payload: []byte("+b")}})
	save(1)

	// In its second life, worker 2 may have a residual of the first one.
	again := &Hello{Nonce: 3, Shares: []Share{{2, 3}}, Term: 1, Incarnation: 1}
	d.step(Accepted{8})
	d.step(Received{8, again})
	save(1)
	d.step(Received{8, &Leave{"given up for dead"}})
	d.step(Accepted{10})
	d.step(Received{10, again})
	save(2, 10)
}
