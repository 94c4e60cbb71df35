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

// shape returns the shape of the rounds for at most the given number of workers.
func (s schedule) shape(workers int) shape {
	of := shape{Sizes: s.sizes()}
	places := s.places()
	for w, end := range engine.EvenEnds(places, min(workers, places)) {
		for len(of.Owners) < end {
			of.Owners = append(of.Owners, w)
		}
	}
	return of
}

// workers returns the number of workers.
func (s shape) workers() int { return s.Owners[len(s.Owners)-1] + 1 }

// assignment puts the examples of each worker's shares in its partition: round by round, and within a round place by
// place. Examples that are left, in no round, have one more partition.
func (s shape) assignment(of schedule, left []engine.Piece) engine.Assignment {
	partitions := make([][]engine.Piece, s.workers())
	for _, round := range of.rounds {
		for place, share := range round {
			w := s.Owners[place]
			partitions[w] = append(partitions[w], share)
		}
	}
	return of.assign(partitions, left)
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
