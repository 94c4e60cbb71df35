package paramavg

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn"
)

// Pass keys a pass over the data: its permutation and its random numbers. The first pass of an epoch has the epoch's
// number; further ones, where passes do not count as epochs, have keys of their own.
func Pass(epoch, again int) uint64 { return uint64(epoch) + uint64(again)<<32 }

// FitIterations trains exactly n more minibatches on each worker, which are iterations but under truncated back-propagation,
// starting over where the data ends, and counts no epoch. Within a round, each worker trains the same number of minibatches
// fewer. Where it fails, the network is as after the last
// complete round.
func (m *TrainingMaster) FitIterations(ctx context.Context, net nn.Network, d *distributed.Data, n int, listen func(distributed.Round)) error {
	if n < 1 {
		return fmt.Errorf("%d iterations were asked for", n)
	}
	return m.train(net, func() (int, error) {
		examples, left := 0, n
		for p := m.first(net, net.Iteration()+n); left > 0; p = next(p.place, net, left) {
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
	place      distributed.Place // where it begins
	iterations int               // minibatches of a worker, at most, of the whole pass; 0 for all
}

// first is the pass that a fit begins with, until the network's iteration is end; 0 for all of it.
func (m *TrainingMaster) first(net nn.Network, end int) pass {
	at := distributed.Place{Pass: Pass(net.Epoch(), 0), Begun: net.Iteration()}
	if m.from != nil {
		at = *m.from
	}
	return pass{at, max(0, end-at.Begun)}
}

// next is the pass after one over all of the data, in the same epoch.
func next(p distributed.Place, net nn.Network, left int) pass {
	return pass{distributed.Place{Pass: p.Pass + 1<<32, Begun: net.Iteration()}, left}
}

// cut gives the rounds that are trained, and the examples that are not.
func (p pass) cut(rounds Rounds, batch int) (trained Rounds, untrained []int64) {
	if p.iterations == 0 {
		return rounds, nil
	}
	left := p.iterations
	for _, round := range rounds {
		var shares [][]int64
		most := 0
		for _, s := range round {
			n := min(len(s), left*batch)
			untrained = append(untrained, s[n:]...)
			if n > 0 {
				shares = append(shares, s[:n])
				most = max(most, (n+batch-1)/batch)
			}
		}
		if len(shares) > 0 {
			trained = append(trained, shares)
		}
		left -= most
	}
	return trained, untrained
}
