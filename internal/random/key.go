// Package random makes the random numbers of training: functions of a seed and an index, the same on every machine,
// wherever and in whatever order they are computed.
package random

// Key names a minibatch: the run's seed, the epoch, and the index, in the permuted order, of its first example. What
// is drawn for a minibatch depends on its key only, not on the worker that trains it.
type Key struct{ Seed, Epoch, Example uint64 }
