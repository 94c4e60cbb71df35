package sharing

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/internal/stored"
)

// feeder makes the minibatches of a partition from a worker's kept rows. A minibatch only depends on the rows, the
// seed, the epoch and its ordinal. So a replacement for a worker continues where that one ended.
type feeder struct {
	rows     *resident.Rows
	batch    int
	seed     uint64 // differs between partitions
	prefetch int
	from, n  int // its range of the rows; all of them if n is 0

	epoch uint32
	next  uint32
	it    data.Iterator
	ahead *data.Prefetched
	own   *resident.Rows // the rows of the epoch in their order; nil if they are read from rows
	spent distributed.Spent
}

// minibatches returns how many there are in an epoch.
func (f *feeder) minibatches() int { return f.cuts().count() }

func (f *feeder) cuts() cuts { return cuts{f.examples(), f.batch} }

func (f *feeder) examples() int {
	if f.n > 0 {
		return f.n
	}
	return f.rows.Len()
}

// minibatch returns one minibatch. Reading them in order is fast.
func (f *feeder) minibatch(ctx context.Context, epoch, ordinal uint32) (*data.MultiDataSet, error) {
	if f.it == nil || epoch != f.epoch || ordinal != f.next {
		f.close()
		if int(ordinal) >= f.minibatches() {
			return nil, fmt.Errorf("minibatch %d was asked for, there are %d", ordinal, f.minibatches())
		}
		if err := f.begin(ctx, epoch, ordinal); err != nil {
			return nil, fmt.Errorf("minibatches of epoch %d: %w", epoch, err)
		}
	}
	m, err := f.it.Next()
	if err != nil {
		return nil, fmt.Errorf("minibatch %d of epoch %d: %w", ordinal, epoch, err)
	}
	f.next++
	return m, nil
}

// begin begins to read an epoch's minibatches from an ordinal on.
func (f *feeder) begin(ctx context.Context, epoch, ordinal uint32) (err error) {
	f.epoch, f.next = epoch, ordinal
	seed, n, c := random.Mix(f.seed, uint64(epoch)), f.examples(), f.cuts()
	from := c.at(int(ordinal))
	by := stored.Permutation{Seed: &seed, Rows: n, Pieces: []stored.Piece{{From: from, To: n}}}
	if f.own, err = f.rows.Shuffle(ctx, f.from, by); err != nil {
		return err
	}
	left := by.Len()
	next := int(ordinal)
	size := func() int {
		next++
		return c.size(next - 1)
	}
	if f.own != nil {
		f.it = distributed.MinibatchesOf(f.own, left, func(k int) int { return k }, size).Reuse(f.spent)
	} else {
		order := random.Permutation(seed, n)[from:]
		f.it = distributed.MinibatchesOf(f.rows, left, func(k int) int { return f.from + order[k] }, size).Reuse(f.spent)
	}
	if f.prefetch > 0 {
		f.ahead = data.Prefetch(f.it, f.prefetch)
		f.it = f.ahead
	}
	return nil
}

// close ends reading.
func (f *feeder) close() {
	if f.ahead != nil {
		f.ahead.Close()
	}
	if f.own != nil {
		f.own.Close()
	}
	f.it, f.ahead, f.own = nil, nil, nil
}
