package paramavg

import (
	"context"
	"fmt"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/stats"
)

// slicing says when resident workers add up their results among themselves, in slices. They then keep the sums, and the
// driver gets a whole result now and then. If a worker is lost, the rounds since the last whole result are repeated.
type slicing struct {
	least int           // bytes of a result
	every time.Duration // the age of the last whole result at which the next one is due
}

// usualSlicing keeps the driver at most a second behind. A small result costs less than its repetition.
var usualSlicing = slicing{least: 1 << 20, every: time.Second}

// mostSlices bounds the workers that exchange slices. Each has a link to each other one, and the slices of many workers
// are small.
const mostSlices = 32

func (m *TrainingMaster) slicing() slicing {
	if m.opts.slicing != (slicing{}) {
		return m.opts.slicing
	}
	return usualSlicing
}

// sliced reports whether the workers exchange their results. With an outer optimiser, or an updater state that is not
// averaged, each round begins with parameters of the driver's.
func (r *residents) sliced() bool {
	m, n := r.master, r.shape.workers()
	bytes := 4 * (r.net.NumParams() + r.net.NumStates())
	return m.outer == nil && m.conf.averagesUpdater() && n > 1 && n <= mostSlices && bytes >= m.slicing().least
}

// held is what the driver and the workers have of the results so far.
type held struct {
	start []byte // whole, of the round from
	from  int
	next  []byte // the start of the next round for workers that have kept the last sum; nil if they have not
}

// mostLost bounds how often the workers may be lost before a round is done.
const mostLost = 16

// through runs the rounds up to a round. Usually that is one round. If a worker that had kept the last sum is lost, the
// rounds since the last whole result are repeated, and give the same bits.
func (r *residents) through(ctx context.Context, last int, whole bool) ([]byte, error) {
	for range mostLost {
		round := last
		if r.held.next == nil {
			round = r.held.from
		}
		for {
			row, err := r.once(ctx, round, whole && round == last)
			if err != nil || row != nil && round == last {
				return row, err
			}
			if row == nil {
				break
			}
			round++
			if err := r.held.pass(row, round); err != nil {
				return nil, err
			}
		}
		r.master.base.Log.Info("parameter averaging: a worker was lost; rounds are repeated, and give the same network",
			"from", r.held.from+1, "to", last+1)
	}
	return nil, fmt.Errorf("parameter averaging: workers were lost %d times before round %d was done; see the warnings "+
		"about lost workers", mostLost, last+1)
}

// once runs a round. It returns no row if the round must be repeated.
func (r *residents) once(ctx context.Context, round int, whole bool) ([]byte, error) {
	end := r.master.base.Times.Begin(stats.MasterMapPartitions)
	sizes := r.sizes[round]
	shares := make([]uint32, len(sizes))
	for i := range shares {
		shares[i] = uint32(i)
	}
	// The same groups as in an engine's Reduce, so that jobs and residents add up in the same order.
	group := engine.ReduceGroup(len(shares), r.master.conf.AggregationDepth)
	command := coordination.Round{Round: uint32(round), Shares: shares, Group: group, Start: r.held.start}
	// More workers in the next round would lack the sum.
	grows := round+1 < len(r.sizes) && len(r.sizes[round+1]) > len(sizes)
	if command.Sliced = r.sliced(); command.Sliced {
		command.Whole = whole || grows
		if r.held.next != nil {
			command.Start, command.Kept = r.held.next, true
		}
	}
	end(0)
	defer r.master.base.Times.Begin(stats.MasterAggregate)(0) // as with jobs: all of the round
	answer, err := r.command(ctx, command)
	if err != nil {
		return nil, err
	}
	r.held.next = nil
	done, ok := answer.(coordination.RoundDone)
	if !ok { // RoundLost
		return nil, nil
	}
	if command.Sliced && !grows {
		r.held.next, err = startAfter(done.Payload)
	}
	return done.Payload, err
}

// pass notes the result of a round that was repeated, if it is whole: the start of the round after it.
func (h *held) pass(row []byte, round int) error {
	s, err := decodeState(row)
	if err == nil && s.common() > 0 {
		h.from = round
		h.start, err = s.begin(row)
	}
	return err
}
