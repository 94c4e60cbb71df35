package paramavg

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
)

// Pass returns the key of a pass over the data, which determines its permutation and random numbers. The key of the
// first pass of an epoch is the number of the epoch. Further passes of an epoch, which FitIterations makes, have other
// keys; again counts them.
func Pass(epoch, again int) uint64 { return uint64(epoch) + uint64(again)<<32 }

// FitIterations trains n more minibatches on each worker. It starts over when the data ends, and does not count epochs.
// A minibatch counts once, even if truncated back-propagation makes several iterations of it. n counts the worker with
// the most minibatches of each round; others may have trained fewer. If FitIterations fails, the network is as after
// the last complete round, or one of the last second: see Resident.
func (m *TrainingMaster) FitIterations(ctx context.Context, of nn.AnyNetwork, d *distributed.Data, n int,
	listen func(distributed.Round)) error {
	if n < 1 {
		return fmt.Errorf("%d iterations were asked for", n)
	}
	net := of.Base()
	return m.train(net, func() (int, error) {
		examples, left := 0, n
		for p := m.first(net, n); left > 0; p = next(p.place, net, left) {
			more, minibatches, err := m.fit(ctx, net, d, p, listen)
			if err != nil {
				return 0, err
			}
			examples += more
			left -= minibatches
		}
		return examples, nil
	})
}

// pass is one pass over the data, or a part of it.
type pass struct {
	place distributed.Place // where it begins
	left  int               // maximum of minibatches of a worker from there on; 0 for all
}

// first returns the pass with which a fit begins. left is its minibatches for each worker; 0 for the whole pass.
func (m *TrainingMaster) first(net *nn.Network, left int) pass {
	at := distributed.Place{Pass: Pass(net.Epoch(), 0), Begun: net.Iteration()}
	if m.base.From != nil {
		at = *m.base.From
	}
	return pass{at, left}
}

// next returns the next pass over all of the data, in the same epoch.
func next(p distributed.Place, net *nn.Network, left int) pass {
	return pass{distributed.Place{Pass: p.Pass + 1<<32, Begun: net.Iteration()}, left}
}

// cut returns the rounds to train, including those before the pass's place, and the examples that are left out.
func (p pass) cut(all schedule, batch int) (trained schedule, untrained []engine.Piece) {
	if p.left == 0 {
		return all, nil
	}
	left := p.left
	done := max(0, min(p.place.Done, len(all.rounds)))
	for _, round := range all.rounds[:done] { // none of these was cut: some were left
		left += minibatches(round, batch)
	}
	trained = all
	trained.rounds = nil
	for _, round := range all.rounds {
		var shares []engine.Piece
		for _, s := range round {
			end := s.From + min(s.To-s.From, left*batch)
			if s.From < end {
				shares = append(shares, engine.Piece{From: s.From, To: end})
			}
			if end < s.To {
				untrained = append(untrained, engine.Piece{From: end, To: s.To})
			}
		}
		if len(shares) > 0 {
			trained.rounds = append(trained.rounds, shares)
		}
		left -= minibatches(shares, batch)
	}
	return trained, untrained
}

// minibatches returns the number of minibatches in a round of the worker with most.
func minibatches(round []engine.Piece, batch int) int {
	most := 0
	for _, share := range round {
		most = max(most, (share.To-share.From+batch-1)/batch)
	}
	return most
}
