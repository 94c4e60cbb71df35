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

// FitIterations trains exactly n more iterations, starting over where the data ends, and counts no epoch. Within a
// round, each worker trains the same number of minibatches fewer. Where it fails, the network is as after the last
// complete round.
func (m *TrainingMaster) FitIterations(ctx context.Context, net nn.Network, d *distributed.Data, n int, listen func(distributed.Round)) error {
	if n < 1 {
		return fmt.Errorf("%d iterations were asked for", n)
	}
	return m.train(net, func() (int, error) {
		examples := 0
		for again, end := 0, net.Iteration()+n; net.Iteration() < end; again++ {
			more, err := m.fit(ctx, net, d, pass{Pass(net.Epoch(), again), end - net.Iteration()}, listen)
			if err != nil {
				return 0, err
			}
			examples += more
		}
		return examples, nil
	})
}

// pass is one pass over the data, or a part of it.
type pass struct {
	key        uint64
	iterations int // at most; 0 for all
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
