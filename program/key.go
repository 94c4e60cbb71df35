package program

import "github.com/dl4go/dl4go/internal/random"

// Key identifies a minibatch: by the run's seed, the epoch, and the index of the minibatch's first example in the order
// of the epoch. The random numbers of a step depend only on its key, not on the worker.
type Key struct{ Seed, Epoch, Example uint64 }

// Stream returns the seed of the random numbers of one layer for the minibatch.
func (k Key) Stream(layer uint64) uint64 {
	return random.Mix(random.Mix(random.Mix(k.Seed, k.Epoch), k.Example), layer)
}
