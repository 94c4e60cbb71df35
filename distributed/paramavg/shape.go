package paramavg

import "github.com/dl4go/dl4go/engine"

// shape is what residents need to know of a pass: how many examples each share of each round has, and who trains it.
type shape struct {
	// Sizes holds the examples of the shares, by round and place in the round.
	Sizes [][]int `json:"sizes"`
	// Owners holds the worker of each place. A worker's places are neighbours.
	Owners []int `json:"owners"`
}

// shape is the shape of rounds for at most the given number of workers.
func (r Rounds) shape(workers int) shape {
	var s shape
	for _, round := range r {
		var sizes []int
		for _, share := range round {
			sizes = append(sizes, len(share))
		}
		s.Sizes = append(s.Sizes, sizes)
	}
	places := r.places()
	for w, end := range engine.EvenEnds(places, min(workers, places)) {
		for len(s.Owners) < end {
			s.Owners = append(s.Owners, w)
		}
	}
	return s
}

// places is how many shares the largest round has.
func (r Rounds) places() int {
	n := 0
	for _, round := range r {
		n = max(n, len(round))
	}
	return n
}

// workers is how many there are.
func (s shape) workers() int { return s.Owners[len(s.Owners)-1] + 1 }

// assignment puts the examples of each worker's shares in its partition: round by round, and in a round place by place.
// The rounds that it gives are the same, as parts of that order: so nobody needs the memory of those given.
func (s shape) assignment(r Rounds) (engine.Assignment, Rounds) {
	a := engine.Assignment{Order: make([]int64, 0, r.examples())}
	same := make(Rounds, len(r))
	for i, round := range r {
		same[i] = make([][]int64, len(round))
	}
	for w := range s.workers() {
		for i, round := range r {
			for place, share := range round {
				if s.Owners[place] == w {
					from := len(a.Order)
					a.Order = append(a.Order, share...)
					same[i][place] = a.Order[from:len(a.Order):len(a.Order)]
				}
			}
		}
		a.Ends = append(a.Ends, len(a.Order))
	}
	return a, same
}

// part is a share, as its worker sees it.
type part struct {
	from, to int // the rows
	position int // of its first example in the order of the pass
}

// parts are a worker's, by round and place.
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
