package paramavg

import (
	"slices"

	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/engine"
)

// schedule is the rounds of a pass. A share is a piece of an order, so it takes no memory for an example.
type schedule struct {
	rounds [][]engine.Piece // by round and worker
	order  []int64          // nil: the permutation of the seed
	seed   *uint64          // nil: 0, 1, 2, …
}

// schedule returns the rounds of a splitter.
func (m *TrainingMaster) schedule(l Layout) (s schedule, err error) {
	if by, ok := m.opts.Splitter.(ByIndex); ok {
		return by.schedule(l)
	}
	rounds, err := m.opts.Splitter.Split(l)
	return rounds.schedule(), err
}

// schedule returns listed rounds as a schedule.
func (r Rounds) schedule() schedule {
	s := schedule{order: []int64{}}
	for _, round := range r {
		s.append(round)
	}
	return s
}

// append adds a round of listed examples.
func (s *schedule) append(round [][]int64) {
	var shares []engine.Piece
	for _, share := range round {
		from := len(s.order)
		s.order = append(s.order, share...)
		shares = append(shares, engine.Piece{From: from, To: len(s.order)})
	}
	s.rounds = append(s.rounds, shares)
}

// list returns the examples of the shares.
func (s schedule) list() (all Rounds) {
	order := s.assignment(nil).Listed()
	place := 0
	for _, round := range s.rounds {
		var shares [][]int64
		for _, share := range round {
			var of []int64
			for range share.To - share.From {
				of = append(of, order.Index(place))
				place++
			}
			shares = append(shares, of)
		}
		all = append(all, shares)
	}
	return all
}

// sizes returns the number of examples of each worker in each round.
func (s schedule) sizes() (all [][]int) {
	for _, round := range s.rounds {
		var of []int
		for _, share := range round {
			of = append(of, share.To-share.From)
		}
		all = append(all, of)
	}
	return all
}

// assignment puts the examples of each round and worker in a partition: those of a round follow each other, and those
// of the next round. Examples that are left, in no round, have one more partition.
func (s schedule) assignment(left []engine.Piece) engine.Assignment {
	var partitions [][]engine.Piece
	for _, round := range s.rounds {
		for _, share := range round {
			partitions = append(partitions, []engine.Piece{share})
		}
	}
	return s.assign(partitions, left)
}

// assign makes an assignment of the pieces of each partition, and of a partition of those that are left if there are
// any.
func (s schedule) assign(partitions [][]engine.Piece, left []engine.Piece) (a engine.Assignment) {
	if len(left) > 0 {
		partitions = append(partitions, left)
	}
	end := 0
	for _, pieces := range partitions {
		for _, p := range pieces {
			end += p.To - p.From
		}
		a.Ends = append(a.Ends, end)
	}
	a.Pieces = slices.Concat(partitions...)
	if s.order == nil {
		a.Seed = s.seed
		return a
	}
	for _, p := range a.Pieces {
		a.Order = append(a.Order, s.order[p.From:p.To]...)
	}
	a.Pieces = nil
	return a
}

// partition returns the partition of the round's first worker in assignment. Those of the other workers follow.
func (s schedule) partition(round int) (p int) {
	for _, workers := range s.rounds[:round] {
		p += len(workers)
	}
	return p
}

// places returns the number of shares in the largest round.
func (s schedule) places() (n int) {
	for _, round := range s.rounds {
		n = max(n, len(round))
	}
	return n
}

// checksum returns a checksum of the rounds. Equal ones have the same examples in the same order.
func (s schedule) checksum() uint32 {
	var c masters.Checksum
	if s.seed != nil {
		c.Add(*s.seed)
	}
	for _, k := range s.order {
		c.Add(uint64(k))
	}
	for _, round := range s.rounds {
		c.Add(uint64(len(round)))
		for _, share := range round {
			c.Add(uint64(share.From))
			c.Add(uint64(share.To))
		}
	}
	return c.Sum()
}
