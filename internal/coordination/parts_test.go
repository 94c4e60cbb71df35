package coordination

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// crew returns the parts of a coordinator with this many connected members that have parameters.
func crew(c Config, members int) *Coordinator {
	c.Term = 1
	c.Partitions = max(c.Partitions, members)
	k := compose(c.withDefaults(), &sums{})
	for p := range uint32(members) {
		m, _ := k.enrol(Link(2*p+2), &Hello{Nonce: uint64(p) + 1, Shares: []Share{{p, 3}}, Address: "here"})
		m.active = true
	}
	return k
}

// TestRoster checks that processes are ordered by attempt, then by their first arrival. The end of a member frees its
// partitions and counts towards giving up. A life keeps its count of commits.
func TestRoster(t *testing.T) {
	r := crew(Config{Attempts: 2}, 2).roster
	for nonce := uint64(1); nonce <= 3; nonce++ {
		r.arrived(nonce)
	}
	m := r.members[1]
	for _, c := range []struct {
		attempt uint32
		nonce   uint64
		older   bool
	}{{0, 1, true}, {0, 3, false}, {1, 1, false}} {
		if got := r.older(&Hello{Nonce: c.nonce, Attempt: c.attempt}, m); got != c.older {
			t.Errorf("attempt %d of process %d is older: %v", c.attempt, c.nonce, got)
		}
	}
	m.life.Seq = 7
	r.phase = training
	if r.strike(m, "gone") || len(r.missing()) != 1 || r.missing()[0] != 1 || r.living != 1 || r.links[4] != nil {
		t.Errorf("missing %v, living %d", r.missing(), r.living)
	}
	if n := r.committedBy(&Hello{Shares: m.shares, Term: 1, Incarnation: 1}); n != 7 {
		t.Errorf("the life that has ended committed %d", n)
	}
	for i := range maxEnds*2 - 1 {
		m, _ := r.enrol(4, &Hello{Shares: []Share{{1, 3}}})
		if hopeless := r.strike(m, "gone"); hopeless != (i == maxEnds*2-2) {
			t.Errorf("end %d is the last one: %v", i+2, hopeless)
		}
	}
}

// TestPace checks that updates come in order and that their number in flight is limited. A worker too far ahead of the
// slowest replica or worker waits, but not for silent ones.
func TestPace(t *testing.T) {
	p := crew(Config{InFlight: 2, Lag: 2, Lead: 1}, 2).pace
	fast, slow := p.members[0], p.members[1]
	for _, u := range []Update{{Peer: slow.Peer, Seq: 1}, {Peer: fast.Peer, Seq: 2},
		{Peer: fast.Peer, Seq: 1, Applied: 1}} {
		if p.accept(fast, &u) == "" {
			t.Errorf("%+v is accepted", u)
		}
	}
	for seq := uint64(1); seq <= 2; seq++ {
		if wrong := p.accept(fast, &Update{Peer: fast.Peer, Seq: seq}); wrong != "" {
			t.Fatal(wrong)
		}
	}
	if p.accept(fast, &Update{Peer: fast.Peer, Seq: 3}) == "" || p.held != 2 || p.together() {
		t.Errorf("%d are held; all are together: %v", p.held, p.together())
	}
	for range 4 {
		p.append(&Entry{Kind: UpdateEntry})
	}
	allowed := func() bool { p.measure(); return p.allowed(fast) }
	if allowed() {
		t.Error("the fast one goes on, though a replica lacks 4 entries")
	}
	p.applied(fast, 4)
	p.applied(slow, 1)
	if !allowed() {
		t.Error("the fast one waits for a replica that lacks 3 entries of 4")
	}
	p.partitions[0].next = 2
	if allowed() {
		t.Error("the fast one is 2 minibatches ahead, and goes on")
	}
	slow.heard -= p.conf.Timing.Quiet + 1
	if !allowed() || !p.together() {
		t.Error("a silent worker is waited for")
	}
}

// TestEpochs checks that minibatches are committed in turn. Statistics are averaged and constraints applied at their
// intervals and at the end of the epoch.
func TestEpochs(t *testing.T) {
	c := crew(Config{Partitions: 1, Statistics: 2, Constrained: true}, 1)
	o, m, ref := c.epochs, c.members[0], c.ref.(*sums)
	o.openEpoch(5)
	for i := range uint32(3) {
		u := &Update{Peer: m.Peer, Epoch: 5, Ordinal: i, Payload: []byte("u"), Statistics: []byte{'0' + byte(i)}}
		if err := o.commit(m, u); err != nil {
			t.Fatal(err)
		}
		if err := o.commit(m, u); err == nil {
			t.Error("a minibatch is committed twice")
		}
		if want := []string{"", "1", "1"}[i]; ref.statistics != want {
			t.Errorf("after minibatch %d the statistics are %q", i, ref.statistics)
		}
	}
	if ref.params != "u|u|u|" || !o.whole() {
		t.Errorf("the parameters are %s, all is committed: %v", ref.params, o.whole())
	}
	if o.closeEpoch(); ref.statistics != "2" || o.phase != draining || o.drained() || o.opened {
		t.Errorf("closed with statistics %s, %v, drained %v", ref.statistics, o.phase, o.drained())
	}
	if m.applied = o.Head(); !o.drained() {
		t.Error("nobody lacks anything, and the epoch is not drained")
	}
}

// TestJournal checks that every entry is kept that a member lacks or a joiner can begin with.
func TestJournal(t *testing.T) {
	j := crew(Config{}, 2).journal
	for range 5 {
		j.append(&Entry{Kind: StatisticsEntry})
	}
	j.base = 2
	j.members[0].applied, j.members[1].applied = 5, 3
	if j.trim(); j.log.base != 2 {
		t.Errorf("with a beginning at 2 the log begins behind %d", j.log.base)
	}
	j.fresh = false
	if j.trim(); j.log.base != 3 || j.keep != 4 {
		t.Errorf("with a member that has 3 entries the log begins behind %d", j.log.base)
	}
	j.append(&Entry{Kind: UpdateEntry})
	if j.joinFrom(4); !j.log.at(5).More || j.log.at(6).More || j.log.at(4).More {
		t.Error("a release does not end with its last entry")
	}
}

// TestGatherings checks that a part goes to the owner of its place, that the last sum ends a round, and that a
// settlement starts over without a member that died.
func TestGatherings(t *testing.T) {
	g := crew(Config{}, 3).gatherings
	if err := g.askRound(&Round{Shares: []uint32{0, 0}, Group: 2}); err == nil {
		t.Error("a partition has two shares")
	}
	if err := errors.Join(g.askRound(&Round{Shares: []uint32{0, 1, 2}, Group: 2})); err != nil {
		t.Fatal(err)
	}
	g.append(g.roundEntry())
	g.beginRound()
	g.actions = nil
	m := g.members[0]
	if last, wrong := g.take(m, &Part{Term: 1, Gather: 1, Index: 1, To: Peer{0, 1}}); last || wrong != "" ||
		len(g.actions) != 1 {
		t.Errorf("a part is the last: %v, it %s; done: %v", last, wrong, g.actions)
	}
	if _, wrong := g.take(m, &Part{Term: 1, Gather: 1, Level: 2, Index: 1}); !strings.Contains(wrong, "no tree") {
		t.Errorf("a part of no tree: %q", wrong)
	}
	sum := &Part{Term: 1, Gather: 1, Level: 2, Payload: []byte("sum")}
	if last, _ := g.take(m, sum); !last {
		t.Error("the sum is not the last part")
	}
	if g.gathered(m, sum); g.adds() || g.phase != idle || g.last.by != m.Peer {
		t.Errorf("after the sum: %v", g.phase)
	}
	if err := g.askSettlement(2); err != nil {
		t.Fatal(err)
	}
	g.beginSettlement()
	if g.lostReporter(g.members[2]); g.phase != mustering {
		t.Errorf("without a reporter the settlement is %v", g.phase)
	}
}

// TestWatch checks that a member that owes an answer is dead after Timing.Step, and one whose link broke after
// Timing.Reconnect.
func TestWatch(t *testing.T) {
	c := crew(Config{}, 2)
	w, m := c.watch, c.members[0]
	c.openEpoch(0)
	pass := func(d time.Duration) {
		w.now += d
		m.heard = w.now
	}
	if pass(w.conf.Timing.Step); w.overdue(m) != "" || !strings.Contains(w.owes(m), "minibatch 0 of partition 0") {
		t.Errorf("it is %q, it owes %q", w.overdue(m), w.owes(m))
	}
	if pass(1); !strings.Contains(w.overdue(m), "minibatch 0") {
		t.Errorf("it is %q", w.overdue(m))
	}
	m.worked = w.now
	w.unlink(m.link)
	if pass(w.conf.Timing.Reconnect + 1); !strings.Contains(w.overdue(m), "link broke") {
		t.Errorf("it is %q", w.overdue(m))
	}
	w.strike(m, "gone")
	if got := w.needed(); len(got) != 2 || len(w.absent()) != 0 {
		t.Errorf("needed %v, absent %v", got, w.absent())
	}
	if pass(w.conf.Timing.Absence + 1); len(w.absent()) != 1 || w.absent()[0] != 0 {
		t.Errorf("absent %v", w.absent())
	}
}
