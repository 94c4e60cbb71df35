package random

// Key names a minibatch: the run's seed, the epoch, and the index, in the permuted order, of its first example. What
// is drawn for a minibatch depends on its key only, not on the worker that trains it.
type Key struct{ Seed, Epoch, Example uint64 }

// Stream is the seed of one layer's Uniform for the minibatch.
func (k Key) Stream(layer uint64) uint64 {
	return Mix(Mix(Mix(k.Seed, k.Epoch), k.Example), layer)
}
