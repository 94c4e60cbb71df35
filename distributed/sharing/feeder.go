package sharing

import (
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/internal/resident"
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
}

// minibatches returns how many there are in an epoch.
func (f *feeder) minibatches() int { return (f.examples() + f.batch - 1) / f.batch }

func (f *feeder) examples() int {
	if f.n > 0 {
		return f.n
	}
	return f.rows.Len()
}

// minibatch returns one minibatch. Reading them in order is fast.
func (f *feeder) minibatch(epoch, ordinal uint32) (*data.MultiDataSet, error) {
	if f.it == nil || epoch != f.epoch || ordinal != f.next {
		f.close()
		if int(ordinal) >= f.minibatches() {
			return nil, fmt.Errorf("minibatch %d was asked for, there are %d", ordinal, f.minibatches())
		}
		f.epoch, f.next = epoch, ordinal
		order := random.Permutation(random.Mix(f.seed, uint64(epoch)), f.examples())
		f.it = &ordered{rows: f.rows, from: f.from, batch: f.batch, left: order[int(ordinal)*f.batch:]}
		if f.prefetch > 0 {
			f.ahead = data.Prefetch(f.it, f.prefetch)
			f.it = f.ahead
		}
	}
	m, err := f.it.Next()
	if err != nil {
		return nil, fmt.Errorf("minibatch %d of epoch %d: %w", ordinal, epoch, err)
	}
	f.next++
	return m, nil
}

// close ends reading ahead.
func (f *feeder) close() {
	if f.ahead != nil {
		f.ahead.Close()
	}
	f.it, f.ahead = nil, nil
}

// ordered assembles minibatches from rows in an order.
type ordered struct {
	rows  *resident.Rows
	from  int
	batch int
	left  []int
	part  [][]byte
}

func (o *ordered) Next() (*data.MultiDataSet, error) {
	n := min(o.batch, len(o.left))
	if n == 0 {
		return nil, io.EOF
	}
	for _, i := range o.left[:n] {
		o.rows.Soon(o.from + i)
	}
	o.part = o.part[:0]
	for _, i := range o.left[:n] {
		row, err := o.rows.At(o.from + i)
		if err != nil {
			return nil, err
		}
		o.part = append(o.part, row)
	}
	o.left = o.left[n:]
	return data.DecodeRows(o.part)
}
