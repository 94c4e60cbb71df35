package coordination

import (
	"fmt"
	"slices"
)

// roster is who there is: the members, the partitions that they hold, and links on which nobody has said who they are.
type roster struct {
	*run
	partitions   []partition
	unseen       int // partitions whose size is not known
	members      []*member
	incarnations []uint32
	living       int
	came         bool // somebody has been admitted
	links        map[Link]*member
	greeting     []greeting
	arrivals     map[uint64]int // by nonce: which process it was, in the order of first greetings
	lives        []*Life
	farewell     string // to whoever comes when all is over
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

// maxGreeting bounds the links on which nobody has said who they are.
const maxGreeting = 4096

func (r *roster) refuse(l Link, reason string, final bool) {
	r.ungreet(l)
	r.send(l, &Refuse{reason, final})
	r.close(l)
}

func (r *roster) ungreet(l Link) {
	r.greeting = slices.DeleteFunc(r.greeting, func(g greeting) bool { return g.link == l })
}

// closeIdle ends links on which nothing has come in time, and the oldest ones where there are too many.
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

// checkHello says what is wrong with a greeting, whoever sends it.
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

// older says whether a process is older than a partition's owner: its attempt is lower, or the same and it came
// first. When an executor is lost, Spark may repeat tasks that still run elsewhere, under their old numbers. A
// process never takes over from its replacement. Clocks of machines don't count.
func (r *roster) older(h *Hello, o *member) bool {
	if h.Attempt != o.attempt {
		return h.Attempt < o.attempt
	}
	return r.arrivals[h.Nonce] < r.arrivals[o.nonce]
}

// enrol makes a member of a process on a link, and says how many minibatches its partitions have that nobody knew of.
func (r *roster) enrol(l Link, h *Hello) (m *member, more int) {
	first := h.Shares[0].Partition
	r.incarnations[first]++
	m = &member{Peer: Peer{first, r.incarnations[first]}, nonce: h.Nonce, attempt: h.Attempt, shares: h.Shares,
		address: h.Address, link: l, heard: r.now, worked: r.now}
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
		r.came, r.since = true, r.now // from now on others are waited for
	}
	r.moved = r.now
	return m, more
}

// Life is how many updates of an incarnation are committed.
type Life struct {
	Term uint32
	Peer Peer
	Seq  uint64
}

// committedBy tells a process how many updates of its last life count.
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

// unlink notes that a link has ended; there need not be a member on it.
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

// strike takes a member off, with a word to it. hopeless: too many have ended like this.
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

// failedAt counts a failure that is likely to recur, and ends the run when it does.
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

// responsive says whether a member is there to be waited for.
func (r *roster) responsive(m *member) bool {
	return m.active && m.link != 0 && r.now-m.heard <= r.conf.Timing.Quiet
}

// missing is the partitions that nobody has.
func (r *roster) missing() (all []uint32) {
	for i := range r.partitions {
		if r.partitions[i].owner == nil {
			all = append(all, uint32(i))
		}
	}
	return all
}

// trained is how many minibatches of the epoch are committed of a member's partitions, whoever trained them.
func (r *roster) trained(m *member) (n int) {
	for _, s := range m.shares {
		n += int(r.partitions[s.Partition].next)
	}
	return n
}

// unfinished is the first of a member's shares that is not fully committed.
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

// dismiss says goodbye to everybody.
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
