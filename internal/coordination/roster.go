package coordination

import (
	"fmt"
	"slices"
)

// roster is the members, the partitions that they hold, and the links on which no Hello has come yet.
type roster struct {
	*run
	partitions   []partition
	unseen       int // partitions whose size is not known
	members      []*member
	incarnations []uint32
	living       int
	came         bool // some worker has been admitted
	links        map[Link]*member
	greeting     []greeting
	arrivals     map[uint64]int // by nonce: the process's number in the order of first greetings
	lives        []*Life
	farewell     string // the reason in the Bye to workers that come after the end
}

func newRoster(r *run) *roster {
	n := r.conf.Partitions
	return &roster{run: r, partitions: make([]partition, n), unseen: n, members: make([]*member, n),
		incarnations: make([]uint32, n), links: map[Link]*member{}, arrivals: map[uint64]int{}}
}

// greeting is a link on which no Hello has come yet.
type greeting struct {
	link  Link
	since Time
}

// maxGreeting bounds the links on which no Hello has come.
const maxGreeting = 4096

func (r *roster) refuse(l Link, reason string, final bool) {
	r.ungreet(l)
	r.send(l, &Refuse{reason, final})
	r.close(l)
}

func (r *roster) ungreet(l Link) {
	r.greeting = slices.DeleteFunc(r.greeting, func(g greeting) bool { return g.link == l })
}

// closeIdle closes links on which no Hello has come in time, and the oldest ones if there are too many.
func (r *roster) closeIdle() {
	for _, g := range slices.Clone(r.greeting) {
		if r.now-g.since > r.conf.Timing.Greet {
			r.ungreet(g.link)
			r.close(g.link)
		}
	}
	for len(r.greeting) > maxGreeting {
		r.close(r.greeting[0].link)
		r.greeting = r.greeting[1:]
	}
}

// checkHello returns what is wrong with a greeting in itself, or "".
func (r *roster) checkHello(h *Hello) string {
	if h.Job != r.conf.Job {
		return "it belongs to another job"
	}
	if len(h.Shares) == 0 {
		return "it holds no partition"
	}
	last := -1
	for _, s := range h.Shares {
		if int(s.Partition) <= last {
			return "its partitions are not in rising order"
		}
		if last = int(s.Partition); last >= r.conf.Partitions {
			return fmt.Sprintf("it holds partition %d of %d", last, r.conf.Partitions)
		}
	}
	return ""
}

// arrived numbers the processes by their first greetings.
func (r *roster) arrived(nonce uint64) {
	if r.arrivals[nonce] == 0 {
		r.arrivals[nonce] = len(r.arrivals) + 1
	}
}

// older reports whether a process is older than a partition's owner: its attempt is lower, or the same and it came
// first. When an executor is lost, Spark may repeat tasks that still run elsewhere, under their old numbers. A process
// never takes over from its replacement. The clocks of the machines play no part.
func (r *roster) older(h *Hello, o *member) bool {
	if h.Attempt != o.attempt {
		return h.Attempt < o.attempt
	}
	return r.arrivals[h.Nonce] < r.arrivals[o.nonce]
}

// enrol makes a process on a link a member. more is the number of minibatches of its partitions whose size was unknown.
func (r *roster) enrol(l Link, h *Hello) (m *member, more int) {
	first := h.Shares[0].Partition
	r.incarnations[first]++
	m = &member{Peer: Peer{first, r.incarnations[first]}, nonce: h.Nonce, attempt: h.Attempt, shares: h.Shares,
		address: h.Address, link: l, heard: r.now, worked: r.now, again: h.Incarnation != 0}
	for _, s := range h.Shares {
		p := &r.partitions[s.Partition]
		if !p.seen {
			p.seen, p.count = true, s.Minibatches
			r.unseen--
			more += int(p.count)
		}
		p.owner = m
	}
	m.life = &Life{Term: r.conf.Term, Peer: m.Peer}
	r.lives = append(r.lives, m.life)
	r.members[first], r.links[l] = m, m
	r.living++
	if !r.came {
		r.came, r.since = true, r.now // from now on the run waits for the others
	}
	r.moved = r.now
	return m, more
}

// Life records how many updates of an incarnation are committed.
type Life struct {
	Term uint32
	Peer Peer
	Seq  uint64
}

// committedBy returns how many updates of the process's last life are committed.
func (r *roster) committedBy(h *Hello) uint64 {
	last := Peer{h.Shares[0].Partition, h.Incarnation}
	for i := len(r.lives) - 1; i >= 0; i-- {
		if l := r.lives[i]; l.Peer == last && l.Term == h.Term {
			return l.Seq
		}
	}
	return 0
}

// relink gives a member another link.
func (r *roster) relink(m *member, l Link) {
	if m.link != 0 {
		delete(r.links, m.link)
		r.close(m.link)
	}
	m.link, m.heard, m.stream = l, r.now, nil
	r.links[l] = m
}

// unlink notes that a link has ended, and returns its member, or nil if it has none.
func (r *roster) unlink(l Link) (m *member) {
	r.ungreet(l)
	if m = r.links[l]; m != nil {
		delete(r.links, l)
		m.link, m.broken, m.stream = 0, r.now, nil
	}
	return m
}

// maxEnds is how many incarnations in a row, times Config.Attempts, may end without having committed anything.
const maxEnds = 8

// strike removes a member and sends it a Bye. hopeless: too many incarnations have ended like this.
func (r *roster) strike(m *member, reason string) (hopeless bool) {
	r.members[m.Worker] = nil
	r.living--
	m.held = nil
	for _, s := range m.shares {
		p := &r.partitions[s.Partition]
		p.owner, p.absent = nil, r.now
		if r.phase == adding || r.phase == training && p.next < p.count {
			p.ends++
			hopeless = hopeless || p.ends >= maxEnds*r.conf.Attempts
		}
	}
	if m.link != 0 {
		delete(r.links, m.link)
		r.send(m.link, &Bye{Reason: reason})
		r.close(m.link)
	}
	if m.parent != nil {
		m.parent.children--
	}
	r.moved = r.now
	return hopeless
}

// failedAt counts a failure that is likely to recur, and ends the run after Config.Attempts of them.
func (r *roster) failedAt(m *member, reason string) {
	for _, s := range m.shares {
		p := &r.partitions[s.Partition]
		if p.failures++; p.failures >= r.conf.Attempts {
			r.fail(fmt.Errorf("gradient sharing: partition %d failed %d times at minibatch %d, the last time with %v: %s",
				s.Partition, p.failures, p.next, m.Peer, reason))
			return
		}
	}
}

// responsive reports whether the run should wait for a member: it has parameters and a link, and was heard from lately.
func (r *roster) responsive(m *member) bool {
	return m.active && m.link != 0 && r.now-m.heard <= r.conf.Timing.Quiet
}

// missing lists the partitions without an owner.
func (r *roster) missing() (all []uint32) {
	for i := range r.partitions {
		if r.partitions[i].owner == nil {
			all = append(all, uint32(i))
		}
	}
	return all
}

// trained returns how many minibatches of a member's partitions are committed in this epoch, whichever worker trained
// them.
func (r *roster) trained(m *member) (n int) {
	for _, s := range m.shares {
		n += int(r.partitions[s.Partition].next)
	}
	return n
}

// unfinished returns the first of a member's shares that is not fully committed, or nil.
func (r *roster) unfinished(m *member) *Share {
	for i, s := range m.shares {
		if p := &r.partitions[s.Partition]; p.next < p.count {
			return &m.shares[i]
		}
	}
	return nil
}

// fail ends the run.
func (r *roster) fail(err error) {
	if r.phase == closed {
		return
	}
	r.dismiss(err.Error())
	r.do(Failed{err})
}

// dismiss sends a final Bye to all members and ends the coordinator.
func (r *roster) dismiss(reason string) {
	r.farewell = reason
	for _, m := range r.members {
		if m != nil {
			r.send(m.link, &Bye{reason, true})
			r.close(m.link)
		}
	}
	for _, g := range r.greeting {
		r.close(g.link)
	}
	r.enter(closed)
}

// turnAway tells workers that come after the end that there is nothing left to do.
func (r *roster) turnAway(e Event) {
	if got, ok := e.(Received); ok {
		if _, greets := got.Message.(*Hello); greets {
			r.send(got.Link, &Bye{r.farewell, true})
		}
		r.close(got.Link)
	}
}
