package paramavg

import "github.com/dl4go/dl4go/engine"

// shape describes a pass for resident workers: how many examples each share of each round has, and which worker trains
// it.
type shape struct {
	// Sizes holds the examples of the shares, by round and place in the round.
	Sizes [][]int `json:"sizes"`
	// Owners holds the worker of each place. A worker's places are neighbours.
	Owners []int `json:"owners"`
}

// shape returns the shape of rounds for at most the given number of workers.
func (r Rounds) shape(workers int) shape {
	s := shape{Sizes: r.sizes()}
	places := r.places()
	for w, end := range engine.EvenEnds(places, min(workers, places)) {
		for len(s.Owners) < end {
			s.Owners = append(s.Owners, w)
		}
	}
	return s
}

// places returns the number of shares in the largest round.
func (r Rounds) places() int {
	n := 0
	for _, round := range r {
		n = max(n, len(round))
	}
	return n
}

// workers returns the number of workers.
func (s shape) workers() int { return s.Owners[len(s.Owners)-1] + 1 }

// assignment puts the examples of each worker's shares in its partition: round by round, and within a round place by
// place. Examples that are left, in no round, have one more partition.
func (s shape) assignment(r Rounds, left []int64) engine.Assignment {
	a := engine.Assignment{Order: make([]int64, 0, r.examples()+len(left))}
	for w := range s.workers() {
		for _, round := range r {
			for place, share := range round {
				if s.Owners[place] == w {
					a.Order = append(a.Order, share...)
				}
			}
		}
		a.Ends = append(a.Ends, len(a.Order))
	}
	return withLeft(a, left)
}

// withLeft adds a partition of examples that are in no round, if there are any.
func withLeft(a engine.Assignment, left []int64) engine.Assignment {
	if len(left) > 0 {
		a.Order = append(a.Order, left...)
		a.Ends = append(a.Ends, len(a.Order))
	}
	return a
}

// part is a worker's share.
type part struct {
	from, to int // the worker's rows
	position int // of its first example in the order of the pass
}

// parts returns a worker's parts, by round and place.
func (s shape) parts(worker int) map[[2]int]part {
	parts := map[[2]int]part{}
	row, position := 0, 0
	for r, round := range s.Sizes {
		for place, n := range round {
			if s.Owners[place] == worker {
				parts[[2]int{r, place}] = part{row, row + n, position}
				row += n
			}
			position += n
		}
	}
	return parts
}
