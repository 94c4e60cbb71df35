package paramavg

import (
	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
)

// readAhead reads the minibatches of a resident worker's shares. While the worker exchanges its result with the others,
// it reads the first minibatches of the next share.
type readAhead struct {
	of      *roundWorker
	share   [2]int // the round and the place of batches
	batches *data.Prefetched
}

// take returns the minibatches of a share, until the next call of a method.
func (a *readAhead) take(round, place int) data.Iterator {
	if a.of.conf.Prefetch == 0 {
		return a.minibatches(round, place)
	}
	if a.batches == nil || a.share != [2]int{round, place} {
		a.open(round, place)
	}
	a.share = [2]int{-1, -1} // a repeated round reads them again
	return a.batches
}

// begin reads ahead for the share after this one.
func (a *readAhead) begin(round, place int) {
	next := [2]int{round, place + 1}
	if _, ok := a.of.parts[next]; !ok {
		next = [2]int{round + 1, a.of.first}
	}
	if _, ok := a.of.parts[next]; ok && a.of.conf.Prefetch > 0 {
		a.open(next[0], next[1])
	}
}

func (a *readAhead) open(round, place int) {
	a.close()
	a.share, a.batches = [2]int{round, place}, data.Prefetch(a.minibatches(round, place), a.of.conf.Prefetch)
}

func (a *readAhead) minibatches(round, place int) *distributed.Assembler {
	p := a.of.parts[[2]int{round, place}]
	return distributed.MinibatchesOf(a.of.rows, p.to-p.from, func(k int) int { return p.from + k },
		func() int { return a.of.conf.Batch }).Reuse(a.of.spent)
}

func (a *readAhead) close() {
	if a.batches != nil {
		a.batches.Close()
		a.batches = nil
	}
}
