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

// Assignment puts the examples of each round and worker in a partition of an exchanged data set: see Partition.
func (r Rounds) Assignment() engine.Assignment {
	a := engine.Assignment{Order: make([]int64, 0, r.examples())}
	for _, round := range r {
		for _, share := range round {
			a.Order = append(a.Order, share...)
			a.Ends = append(a.Ends, len(a.Order))
		}
	}
	return a
}

// sizes returns the number of examples of each worker in each round.
func (r Rounds) sizes() (all [][]int) {
	for _, round := range r {
		var of []int
		for _, share := range round {
			of = append(of, len(share))
		}
		all = append(all, of)
	}
	return all
}

func (r Rounds) examples() (n int) {
	for _, round := range r {
		for _, share := range round {
			n += len(share)
		}
	}
	return n
}

// Partition returns the partition of the round's first worker in Assignment. Those of the other workers follow.
func (r Rounds) Partition(round int) int {
	p := 0
	for _, workers := range r[:round] {
		p += len(workers)
	}
	return p
}

// Splitter assigns examples to workers. ByIndex is the default. A test may replay the assignment of a real cluster.
type Splitter interface {
	Split(l Layout) (Rounds, error)
}

// ByIndex divides the examples exactly. A round takes Workers · Batch · Frequency examples of the order that seed and
// epoch define, and each worker gets its part. The last round divides the rest equally. With Never, worker p takes the
// next Batch · Frequency examples of partition p.
type ByIndex struct{}

// Split fails if there are fewer examples than workers.
func (ByIndex) Split(l Layout) (Rounds, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	if !l.permutes() {
		return inPlace(l), nil
	}
	n := l.Examples()
	order := Permutation(l.Seed, l.Epoch, n)
	var rounds Rounds
	for from, size := 0, l.Workers*l.share(n); from < n; from += size {
		part := order[from:min(n, from+size)]
		if l.Strategy == SparkDefault {
			rounds = append(rounds, assignAtRandom(part, l.Workers, random.Mix(random.Mix(l.Seed, l.Epoch), uint64(from))))
		} else {
			rounds = append(rounds, divide(part, l.Workers))
		}
	}
	return rounds, nil
}

// Sizes returns the number of examples of each worker in each round of Split. If all sizes are known without the order
// of the examples, it does not make one.
func (b ByIndex) Sizes(l Layout) (sizes [][]int, err error) {
	if !l.permutes() || l.Strategy == SparkDefault {
		rounds, err := b.Split(l)
		return rounds.sizes(), err
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	n := l.Examples()
	for from, size := 0, l.Workers*l.share(n); from < n; from += size {
		var round []int
		last := 0
		for _, end := range engine.EvenEnds(min(size, n-from), l.Workers) {
			if end > last {
				round = append(round, end-last)
			}
			last = end
		}
		sizes = append(sizes, round)
	}
	return sizes, nil
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

// Permutation returns the order in which the examples of an epoch are trained, also in plain training.
func Permutation(seed, epoch uint64, n int) []int64 {
	order := make([]int64, n)
	random.Permute(random.Mix(seed, epoch), order)
	return order
}

// divide cuts the examples into equal contiguous ranges. If they don't divide evenly, the first ones have one more.
func divide(part []int64, workers int) [][]int64 {
	var shares [][]int64
	from := 0
	for _, end := range engine.EvenEnds(len(part), workers) {
		if end > from {
			shares = append(shares, part[from:end])
		}
		from = end
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
func inPlace(l Layout) Rounds {
	next := make([]int64, len(l.Partitions))
	ends := make([]int64, len(l.Partitions))
	at := int64(0)
	for p, n := range l.Partitions {
		next[p] = at
		at += int64(n)
		ends[p] = at
	}
	var rounds Rounds
	size := l.share(l.Examples())
	for {
		var round [][]int64
		for p := range next {
			var share []int64
			for k := 0; k < size && next[p] < ends[p]; k++ {
				share = append(share, next[p])
				next[p]++
			}
			if len(share) > 0 {
				round = append(round, share)
			}
		}
		if round == nil {
			return rounds
		}
		rounds = append(rounds, round)
	}
}
