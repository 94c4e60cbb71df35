package program

import "github.com/dl4go/dl4go/internal/random"

// Key names a minibatch: the run's seed, the epoch, and the index of its first example in the order of the epoch. The
// random numbers of a step depend on its key only, not on the worker.
type Key struct{ Seed, Epoch, Example uint64 }

// Stream is the seed of one layer's random numbers for the minibatch.
func (k Key) Stream(layer uint64) uint64 {
	return random.Mix(random.Mix(random.Mix(k.Seed, k.Epoch), k.Example), layer)
}
