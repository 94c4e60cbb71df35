package coordination

import (
	"fmt"
	"strings"
	"time"
)

// Awaited is a peer or partition that a run waits for.
type Awaited struct {
	Partition uint32
	Peer      Peer // Incarnation 0: the partition has no worker
	For       string
	Waited    time.Duration
}

// Stalled is the action that reports a run without progress. It comes again as long as there is none.
type Stalled struct {
	Phase   string
	Waited  time.Duration
	Awaited []Awaited
}

func (s Stalled) String() string {
	var names []string
	for _, a := range s.Awaited {
		names = append(names, a.String())
	}
	return fmt.Sprintf("%s: no progress for %v; awaited: %s", s.Phase, tenths(s.Waited), strings.Join(names, "; "))
}

func (a Awaited) String() string {
	if a.Peer.Incarnation == 0 {
		return fmt.Sprintf("somebody with partition %d, for %v, for %s", a.Partition, tenths(a.Waited), a.For)
	}
	return fmt.Sprintf("%v, for %v, for %s", a.Peer, tenths(a.Waited), a.For)
}

func tenths(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// DeadlineError ends a run that has waited too long.
type DeadlineError struct {
	Phase   string
	Waited  time.Duration // since the last progress
	Awaited []Awaited
}

func (e *DeadlineError) Error() string {
	return "gradient sharing: waited too long: " + Stalled{e.Phase, e.Waited, e.Awaited}.String()
}

// watch names the peers that the run waits for, and for how long.
type watch struct {
	*run
	*roster
	*journal
	*pace
	*epochs
	*gatherings
}

// overdue returns why a member counts as dead; "" if it does not.
func (w *watch) overdue(m *member) string {
	t := &w.conf.Timing
	switch {
	case m.link == 0 && w.now-m.broken > t.Reconnect:
		return fmt.Sprintf("its link broke, and it did not come back within %v", t.Reconnect)
	case w.now-m.heard > t.Silence:
		return fmt.Sprintf("nothing was heard of it for %v", t.Silence)
	case m.active && w.now-m.worked > t.Step && w.owes(m) != "":
		return fmt.Sprintf("it did not get %s done within %v", w.owes(m), t.Step)
	}
	return ""
}

// owes returns the task that a member has yet to do; "" for none.
func (w *watch) owes(m *member) string {
	switch w.phase {
	case training:
		if w.gathering != nil && w.takesPart(m) && m.beat.Gathered < w.gathering.id {
			return w.owesReport(m)
		}
		if len(m.held) > 0 {
			return ""
		}
		if s := w.unfinished(m); s != nil {
			return fmt.Sprintf("minibatch %d of partition %d", w.partitions[s.Partition].next, s.Partition)
		}
	case draining:
		if m.applied < w.log.head() {
			return "the application of the epoch's last updates"
		}
	case adding:
		if m.beat.Gathered < w.gathering.id && w.takesPart(m) {
			return w.owesReport(m)
		}
	}
	return ""
}

// owesReport returns the contribution that a member still owes to the gathering; "" if it only waits for others.
func (w *watch) owesReport(m *member) string {
	if m.beat.Lacks {
		return "" // other members owe parts
	}
	return w.gathering.what()
}

// needed lists the partitions that must have a worker now.
func (w *watch) needed() []uint32 {
	var all []uint32
	switch {
	case w.phase == adding:
		return w.gathering.shares
	case w.phase == training:
		for i := range w.partitions {
			if p := &w.partitions[i]; !p.seen || p.next < p.count {
				all = append(all, uint32(i))
			}
		}
	}
	return all
}

// absent lists the partitions that need a worker and have lacked one for longer than Timing.Absence.
func (w *watch) absent() (all []uint32) {
	t := &w.conf.Timing
	for _, i := range w.needed() {
		p, patience := &w.partitions[i], t.Absence
		if !p.seen { // the engine may have no free slot for its worker
			patience = min(t.Join, t.Absence)
		}
		if p.owner == nil && w.now-max(p.absent, w.since) > patience {
			all = append(all, i)
		}
	}
	return all
}

// awaited lists the peers and partitions that hold up the run.
func (w *watch) awaited() []Awaited {
	var all []Awaited
	for _, i := range w.needed() {
		if p := &w.partitions[i]; p.owner == nil {
			all = append(all, Awaited{i, Peer{}, "its minibatches", w.now - max(p.absent, w.since)})
		}
	}
	for _, m := range w.members {
		switch {
		case m == nil:
		case !m.active:
			all = append(all, Awaited{m.Worker, m.Peer, "its beginning", w.now - m.heard})
		case m.link == 0:
			all = append(all, Awaited{m.Worker, m.Peer, "its link to come back", w.now - m.broken})
		case w.owes(m) != "":
			all = append(all, Awaited{m.Worker, m.Peer, w.owes(m), w.now - m.worked})
		case w.held > 0 && m.applied < w.log.head():
			all = append(all, Awaited{m.Worker, m.Peer,
				fmt.Sprintf("the application of the log from position %d on", m.applied+1), w.now - m.worked})
		case w.adds() && w.takesPart(m) && (m.beat.Lacks || m.Worker == w.gathering.shares[0]):
			all = append(all, Awaited{m.Worker, m.Peer, "the sum of its own and its neighbours' parts", w.now - m.worked})
		}
	}
	if w.phase == mustering {
		for i := range w.partitions {
			if p := &w.partitions[i]; p.owner == nil {
				all = append(all, Awaited{uint32(i), Peer{}, "the beginning", w.now - w.since})
			}
		}
	}
	return all
}
