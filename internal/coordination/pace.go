package coordination

import (
	"fmt"
	"math"
)

// pace keeps workers from running ahead: it decides which of the held updates may be committed.
type pace struct {
	*run
	*roster
	*journal
	held    int    // updates that wait to be committed
	floor   uint64 // position of the slowest replica
	slowest int    // committed minibatches of the slowest worker
}

// accept holds a minibatch's update if it is the next one of this incarnation. Otherwise it returns what is wrong with
// it.
func (p *pace) accept(m *member, u *Update) (wrong string) {
	if u.Peer != m.Peer || !m.active {
		return fmt.Sprintf("it sent an update in the name of %v", u.Peer)
	}
	if wrong = p.applied(m, u.Applied); wrong != "" || u.Seq <= m.accepted {
		return wrong // a repetition after its link broke is ignored
	}
	if u.Seq != m.accepted+1 || len(m.held) >= p.conf.InFlight {
		return fmt.Sprintf("it sent update %d after %d, of which %d are not committed", u.Seq, m.accepted, len(m.held))
	}
	m.accepted, m.worked = u.Seq, p.now
	m.held = append(m.held, u)
	p.held++
	return ""
}

// applied notes how much of the log a replica has applied.
func (p *pace) applied(m *member, applied uint64) (wrong string) {
	if applied > p.log.head() {
		return fmt.Sprintf("it says that it has applied the log up to %d, which ends at %d", applied, p.log.head())
	}
	m.received = max(m.received, applied)
	if applied > m.applied {
		m.applied = applied
		if p.phase == draining {
			m.worked, p.moved = p.now, p.now
		}
	}
	return ""
}

func (p *pace) beat(m *member, b *Beat) (wrong string) {
	if !m.active {
		return ""
	}
	m.beat = *b
	m.received = max(m.received, min(b.Received, p.log.head()))
	return p.applied(m, b.Applied)
}

// together reports whether every worker that is present and has something to train has sent an update.
func (p *pace) together() bool {
	for _, m := range p.members {
		if m != nil && len(m.held) == 0 && p.responsive(m) && p.unfinished(m) != nil {
			return false
		}
	}
	return true
}

// allowed reports whether a member's next update may be committed. In Lockstep, Lag is no bound, as no update lags
// behind the others.
func (p *pace) allowed(m *member) bool {
	return (p.conf.Lockstep || p.log.head() < p.floor+uint64(p.conf.Lag)*uint64(max(1, p.living))) &&
		(p.conf.Lead == 0 || p.trained(m) <= p.slowest+p.conf.Lead)
}

// measure updates the positions of the slowest replica and of the slowest worker that has something to train. It only
// counts members that are present.
func (p *pace) measure() {
	p.floor, p.slowest = p.log.head(), math.MaxInt/2
	for _, m := range p.members {
		if m == nil || !p.responsive(m) {
			continue
		}
		p.floor = min(p.floor, m.applied)
		if p.unfinished(m) != nil {
			p.slowest = min(p.slowest, p.trained(m))
		}
	}
}
