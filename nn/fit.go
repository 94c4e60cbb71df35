package nn

import (
	"cmp"
	"fmt"
	"github.com/dl4go/dl4go/program"
	"io"

	"github.com/dl4go/dl4go/data"
)

// SetListeners replaces the listeners.
func (n *Network) SetListeners(l ...Listener) { n.listeners = l }

// Fit does one step on a minibatch and returns the score before the step. The key decides the random numbers of
// dropout. If the score is not a finite number, the error is a DivergedError and nothing has changed.
func (n *Network) Fit(d *data.MultiDataSet, key Key) (float64, error) {
	if n.Truncated() && !n.segmented() {
		return n.fitSegments(d, func(part *data.MultiDataSet, i int) (float64,
			error) {
			return n.Fit(part, segmentKey(key, i))
		})
	}
	score, err := n.fit(d, key)
	if err != nil {
		return score, err
	}
	for _, l := range n.listeners {
		l.IterationDone(n, n.iteration, n.epoch, score)
	}
	return score, nil
}

// FitEpoch fits all minibatches of an iterator and counts the epoch. The random numbers depend on seed, the epoch, and
// the number of examples before each minibatch. It fails if there are no examples.
func (n *Network) FitEpoch(it data.Iterator, seed uint64) error {
	examples := 0
	for {
		d, err := it.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if examples == 0 {
			if err := n.Check(d); err != nil {
				return err
			}
		}
		if _, err := n.Fit(d, Key{Seed: seed, Epoch: uint64(n.epoch), Example: uint64(examples)}); err != nil {
			return err
		}
		examples += d.Examples()
	}
	if examples == 0 {
		return fmt.Errorf("there are no examples to train on")
	}
	n.epoch++
	return cmp.Or(n.CheckParams(), n.CheckState())
}

// Key keys the random numbers of a training step: the run's seed, the epoch, and the index of the minibatch's first
// example in the order of the epoch.
type Key = program.Key
