package sharing

import (
	"context"
	"fmt"
	"io"

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
	spent chan *data.MultiDataSet
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
	s := &sized{cuts: c, next: int(ordinal)}
	if f.own != nil {
		s.take = distributed.Minibatches(f.own.Range(0, by.Len()), f.batch).Take
	} else {
		left := random.Permutation(seed, n)[from:]
		for k := range left {
			left[k] += f.from
		}
		if f.spent == nil {
			f.spent = make(chan *data.MultiDataSet, 1)
		}
		s.take = (&ordered{rows: f.rows, left: left, spent: f.spent}).take
	}
	f.it = s
	if f.prefetch > 0 {
		f.ahead = data.Prefetch(f.it, f.prefetch)
		f.it = f.ahead
	}
	return nil
}

// recycle gives the memory of a minibatch that nobody uses any more to another one.
func (f *feeder) recycle(m *data.MultiDataSet) {
	select {
	case f.spent <- m:
	default: // it is not needed
	}
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

// sized takes minibatches of the sizes that they have, one after the other.
type sized struct {
	cuts
	next int
	take func(examples int) (*data.MultiDataSet, error)
}

func (s *sized) Next() (*data.MultiDataSet, error) {
	if s.next >= s.count() {
		return s.take(1) // io.EOF, which closes the rows' file
	}
	s.next++
	return s.take(s.size(s.next - 1))
}

// ordered assembles minibatches from rows in an order.
type ordered struct {
	rows  *resident.Rows
	left  []int
	block []byte // the rows of a minibatch
	ends  []int  // of the rows in it
	part  [][]byte
	spent <-chan *data.MultiDataSet // whose memory minibatches may take
}

func (o *ordered) take(n int) (_ *data.MultiDataSet, err error) {
	if len(o.left) == 0 {
		return nil, io.EOF
	}
	for _, i := range o.left[:n] {
		o.rows.Soon(i)
	}
	o.block, o.ends, o.part = o.block[:0], o.ends[:0], o.part[:0]
	for _, i := range o.left[:n] {
		if o.block, err = o.rows.AppendTo(o.block, i); err != nil {
			return nil, err
		}
		o.ends = append(o.ends, len(o.block))
	}
	from := 0
	for _, end := range o.ends {
		o.part = append(o.part, o.block[from:end])
		from = end
	}
	o.left = o.left[n:]
	var spent *data.MultiDataSet
	select {
	case spent = <-o.spent:
	default:
	}
	return data.DecodeRowsInto(spent, o.part)
}
