package paramavg

import (
	"fmt"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/random"
)

// Layout is the input of a [Splitter]: the data and the settings.
type Layout struct {
	// Partitions holds the number of examples of each partition of the data set. Examples are numbered from 0 in the
	// order of partitions.
	Partitions []int
	Workers    int
	Batch      int // examples of a minibatch
	Frequency  int // minibatches of a worker in a round
	Seed       uint64
	Epoch      uint64 // the key of the pass over the data: each pass has its own permutation (see Pass)
	Repartition
	Strategy
}

// Examples returns the total number of examples.
func (l Layout) Examples() int {
	n := 0
	for _, p := range l.Partitions {
		n += p
	}
	return n
}

// permutes reports whether examples are trained in the order of the seed, not in place.
func (l Layout) permutes() bool {
	return l.Repartition != Never && (l.Repartition != NumPartitionsWorkersDiffers || len(l.Partitions) != l.Workers)
}

// share returns the maximum of examples that a worker trains in a round, of n in all.
func (l Layout) share(n int) int {
	if l.Batch >= n || l.Frequency > n/l.Batch {
		return n // the product may overflow
	}
	return l.Batch * l.Frequency
}

// Rounds lists, round by round and worker by worker, the examples to train, in order. Each example is in it once.
type Rounds [][][]int64

// Splitter assigns examples to workers. ByIndex is the default. A test may replay the assignment of a real cluster.
type Splitter interface {
	Split(l Layout) (Rounds, error)
}

// ByIndex divides the examples exactly. A round takes Workers · Batch · Frequency examples of the order that seed and
// epoch define, and each worker gets its part. The last round divides the rest equally. With Never, worker p takes the
// next Batch · Frequency examples of partition p.
type ByIndex struct{}

// Split divides the examples. It fails if there are fewer examples than workers. The result takes 8 bytes of memory for
// each example.
func (b ByIndex) Split(l Layout) (Rounds, error) {
	s, err := b.schedule(l)
	if err != nil {
		return nil, err
	}
	return s.list(), nil
}

// schedule is Split. Unless the seed chooses a worker for each example, it takes no memory for an example.
func (ByIndex) schedule(l Layout) (schedule, error) {
	if err := l.check(); err != nil {
		return schedule{}, err
	}
	if !l.permutes() {
		return inPlace(l), nil
	}
	n, seed := l.Examples(), OrderSeed(l.Seed, l.Epoch)
	s := schedule{seed: &seed}
	var order []int64
	if l.Strategy == SparkDefault {
		order = Permutation(l.Seed, l.Epoch, n)
		s = schedule{order: make([]int64, 0, n)}
	}
	for from, size := 0, l.Workers*l.share(n); from < n; from += size {
		to := min(n, from+size)
		if l.Strategy == SparkDefault {
			s.append(assignAtRandom(order[from:to], l.Workers, random.Mix(seed, uint64(from))))
		} else {
			s.rounds = append(s.rounds, divide(engine.Piece{From: from, To: to}, l.Workers))
		}
	}
	return s, nil
}

// Sizes returns the number of examples of each worker in each round, as [ByIndex.Split] divides them.
func (b ByIndex) Sizes(l Layout) ([][]int, error) {
	s, err := b.schedule(l)
	return s.sizes(), err
}

// check fails if there are too few examples.
func (l Layout) check() error {
	n := l.Examples()
	if n == 0 {
		return fmt.Errorf("the data set is empty: there is nothing to train on")
	}
	if l.permutes() && n < l.Workers {
		return fmt.Errorf("%d workers were asked for, and there must be an example for each: the data has %d; "+
			"use fewer workers", l.Workers, n)
	}
	return nil
}

// OrderSeed returns the seed of the random permutation in whose order the examples of an epoch are trained.
func OrderSeed(seed, epoch uint64) uint64 { return random.Mix(seed, epoch) }

// Permutation returns the order in which the examples of an epoch are trained, also in plain training.
func Permutation(seed, epoch uint64, n int) []int64 {
	order := make([]int64, n)
	random.Permute(OrderSeed(seed, epoch), order)
	return order
}

// divide cuts a piece into equal ones. If it does not divide evenly, the first ones have one example more.
func divide(part engine.Piece, workers int) []engine.Piece {
	var shares []engine.Piece
	from := part.From
	for _, end := range engine.EvenEnds(part.To-part.From, workers) {
		if to := part.From + end; to > from {
			shares = append(shares, engine.Piece{From: from, To: to})
			from = to
		}
	}
	return shares
}

func assignAtRandom(part []int64, workers int, seed uint64) [][]int64 {
	shares := make([][]int64, workers)
	for i, k := range part {
		w := int(random.Uniform(seed, uint64(i)) * float32(workers))
		shares[min(w, workers-1)] = append(shares[min(w, workers-1)], k)
	}
	var filled [][]int64
	for _, s := range shares {
		if len(s) > 0 {
			filled = append(filled, s)
		}
	}
	return filled
}

// inPlace assigns each partition's examples to a worker of its own, in their order.
func inPlace(l Layout) (s schedule) {
	left := make([]engine.Piece, len(l.Partitions))
	at := 0
	for p, n := range l.Partitions {
		left[p] = engine.Piece{From: at, To: at + n}
		at += n
	}
	size := l.share(l.Examples())
	for {
		var round []engine.Piece
		for p, part := range left {
			if part.From == part.To {
				continue
			}
			share := engine.Piece{From: part.From, To: min(part.To, part.From+size)}
			left[p].From = share.To
			round = append(round, share)
		}
		if round == nil {
			return s
		}
		s.rounds = append(s.rounds, round)
	}
}
