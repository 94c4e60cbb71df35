package paramavg

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/stats"
)

// mostMoved bounds the examples of a pass whose rows workers move among themselves: each worker computes the orders of
// both passes, which takes about 24 bytes for each example.
const mostMoved = 1 << 21

// stays reports whether the workers stay for the next pass. On an engine of this machine, starting workers and moving
// rows cost little.
func (r *residents) stays() bool {
	m, c := r.master, r.course
	return m.opts.Stay && m.outer == nil && !r.lacks() && r.shape.workers() <= mostSlices &&
		c.rounds.order == nil && len(c.left) == 0 && c.layout.Examples() <= mostMoved &&
		(m.opts.anywhere || c.from.Persisted() && strings.Contains(c.from.Engine().Master(), "://"))
}

// takes reports whether the workers that stayed can train another pass.
func (r *residents) takes(c *course) bool {
	if c.from != r.from || c.place.Done > 0 || c.rounds.order != nil || len(c.left) > 0 || r.lacks() ||
		!slices.Equal(c.rounds.shape(r.shape.workers()).Owners, r.shape.Owners) {
		return false
	}
	was, err := r.worker().settings()
	is, failed := c.worker().settings()
	return err == nil && failed == nil && bytes.Equal(was, is)
}

// settings are all that does not change from one pass to the next.
func (c workerConfig) settings() ([]byte, error) {
	c.Epoch, c.NetEpoch = 0, 0
	return json.Marshal(c)
}

// stayers are the workers that stayed after the last fit, if any.
type stayers struct{ of *residents }

// goOn returns the workers with the rows of another pass, or nil if there are none. If they can't train that pass, they
// are ended.
func (s *stayers) goOn(ctx context.Context, c *course) (runner, error) {
	r := s.of
	if r == nil {
		return nil, nil
	}
	if !r.takes(c) {
		s.dismiss()
		return nil, nil
	}
	s.of = nil
	from := r.shape.assignment(r.rounds, nil)
	r.course, r.shape, r.held, r.begun = c, c.rounds.shape(r.shape.workers()), held{}, 0
	r.attend(ctx)
	err := r.move(ctx, move{From: from, To: r.shape.assignment(c.rounds, nil), Shape: r.shape, Epoch: c.layout.Epoch,
		NetEpoch: c.net.Epoch()})
	if err == nil {
		return r, nil
	}
	if err := r.end(err); ctx.Err() != nil {
		return nil, err
	}
	c.master.base.Log.Warn("parameter averaging: the workers that stayed after the last pass can't train the next one; "+
		"others are started", "reason", err)
	return nil, nil
}

// dismiss ends the workers.
func (s *stayers) dismiss() {
	r := s.of
	if r == nil {
		return
	}
	s.of = nil
	if err := r.leave(); err != nil {
		r.master.base.Log.Warn("parameter averaging: workers that were no longer needed ended with an error", "error", err)
	}
}

// move has the workers move the rows among themselves.
func (r *residents) move(ctx context.Context, m move) error {
	defer r.master.base.Times.Begin(stats.MasterRepartition)(r.layout.Examples())
	start, err := json.Marshal(m)
	if err != nil {
		return err
	}
	places := make([]uint32, len(r.shape.Owners))
	for i := range places {
		places[i] = uint32(i)
	}
	for {
		answer, err := r.command(ctx, coordination.Round{Round: moveRound, Shares: places, Group: max(2, len(places)),
			Start: start, Sliced: true})
		if err != nil {
			return err
		}
		done, ok := answer.(coordination.RoundDone)
		if !ok {
			return errors.New("a worker was lost")
		}
		report, err := decodeState(done.Payload)
		if err != nil {
			return err
		}
		if report.Examples == 0 {
			r.hasMoved()
			return nil
		}
	}
}

// hasMoved notes that the workers no longer have the rows of their partitions. A replacement would have those.
func (r *residents) hasMoved() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moved = true
}

// attend ends the workers' job with a context, until they stay without one.
func (r *residents) attend(ctx context.Context) {
	cancel := r.cancel // end forgets it, maybe before the function runs
	r.alone = context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
}
