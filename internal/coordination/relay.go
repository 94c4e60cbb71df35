package coordination

import "slices"

// relay feeds the log to the worker's children in the tree.
type relay struct {
	children []*stream
	accepted []greeting // links on which no message has come yet
	givers   []Link     // links that bring parts of a gathering
}

// maxAccepted bounds the links on which no message has come yet.
const maxAccepted = 64

func (r *relay) accept(w *Worker, l Link) {
	if len(r.accepted) >= maxAccepted {
		w.close(r.accepted[0].link)
		r.accepted = r.accepted[1:]
	}
	r.accepted = append(r.accepted, greeting{l, w.now})
}

// attach begins to feed a child, if it is of this run and its next entry is still in the log. A link attaches only
// once. The child may be ahead.
func (r *relay) attach(w *Worker, l Link, a *Attach) {
	again := slices.ContainsFunc(r.children, func(s *stream) bool { return s.link == l })
	r.broken(l)
	if again || !w.active || a.Term != w.term || a.Received < w.log.base || len(r.children) >= 2*w.conf.Fanout {
		w.send(l, &Behind{})
		w.close(l)
		return
	}
	s := &stream{peer: a.Peer, link: l, next: a.Received + 1}
	r.children = append(r.children, s)
	s.feed(&w.log, w.keep, w.conf.Batch, w.now, &w.outbox)
}

// feed passes new entries on before any of them is applied.
func (r *relay) feed(w *Worker) {
	for _, s := range r.children {
		s.feed(&w.log, w.keep, w.conf.Batch, w.now, &w.outbox)
	}
}

func (r *relay) sent(w *Worker, l Link) {
	for _, s := range r.children {
		if s.link == l {
			s.busy = false
			s.feed(&w.log, w.keep, w.conf.Batch, w.now, &w.outbox)
		}
	}
}

func (r *relay) broken(l Link) {
	r.children = slices.DeleteFunc(r.children, func(s *stream) bool { return s.link == l })
	r.accepted = slices.DeleteFunc(r.accepted, func(g greeting) bool { return g.link == l })
	r.givers = slices.DeleteFunc(r.givers, func(g Link) bool { return g == l })
}

// giver notes that a link brings parts of a gathering.
func (r *relay) giver(l Link) {
	if !slices.Contains(r.givers, l) {
		r.broken(l)
		r.givers = append(r.givers, l)
	}
}

// tick closes links without a message, and links of children that can't be served any more or that take nothing.
func (r *relay) tick(w *Worker) {
	for i := 0; i < len(r.children); {
		if s := r.children[i]; s.dead || s.busy && w.now-s.from > w.conf.Timing.Orphan {
			w.close(s.link)
			r.children = slices.Delete(r.children, i, i+1)
			continue
		}
		i++
	}
	r.accepted = slices.DeleteFunc(r.accepted, func(g greeting) bool {
		silent := w.now-g.since > w.conf.Timing.Greet
		if silent {
			w.close(g.link)
		}
		return silent
	})
}

// alive notes that the first message of a link is on its way: a large part may take long.
func (r *relay) alive(l Link, now Time) {
	for i := range r.accepted {
		if g := &r.accepted[i]; g.link == l {
			g.since = now
		}
	}
}

func (r *relay) drop(w *Worker) {
	for _, s := range r.children {
		w.close(s.link)
	}
	for _, g := range r.accepted {
		w.close(g.link)
	}
	for _, l := range r.givers {
		w.close(l)
	}
	*r = relay{}
}
