package sharing

import (
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/threshold"
)

const (
	// stepOf is the number of plain training's minibatches in a step of all workers, if that is divided among them.
	stepOf = 2
	// leastMinibatch is the least examples of a worker in such a step.
	leastMinibatch = 4
)

// MinibatchFor returns the number of examples of a worker's minibatch, given the number that plain training would use.
// In lockstep, a step has a minibatch of each worker, so an epoch with many workers has few steps. Short runs then
// learn less with Adam and other updaters whose steps do not shrink with the gradient. For them, a step has 2·plain
// examples in total, and a worker has at least 4 of these, or plain if that is less. With other updaters, and with
// Deeplearning4j's algorithms and your own, the result is plain.
func (c Config) MinibatchFor(of nn.AnyNetwork, plain, workers int) int {
	_, ours := c.algorithm().(threshold.Largest)
	if !ours || combineFor(of.Base()) != Sum {
		return plain
	}
	return min(plain, max(leastMinibatch, stepOf*plain/max(1, workers)))
}

// cuts are the minibatches of a partition's examples: as few as a size allows, with nearly as many examples each. If
// the last one had the few that are left, it would move the parameters as far as the others, by a noisier gradient.
type cuts struct {
	examples int
	most     int // of a minibatch
}

// count returns how many minibatches there are.
func (c cuts) count() int { return (c.examples + c.most - 1) / c.most }

// at returns the first example of a minibatch, or the end of the last one if the ordinal is count.
func (c cuts) at(ordinal int) int {
	return int(int64(c.examples) * int64(ordinal) / int64(max(1, c.count())))
}

// size returns the number of examples in a minibatch.
func (c cuts) size(ordinal int) int { return c.at(ordinal+1) - c.at(ordinal) }
