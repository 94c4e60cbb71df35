package spark

import (
	"encoding/binary"
	"errors"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/random"
)

// deal describes an assignment as pieces of an order that workers can compute. It takes a few bytes for each piece and
// each partition, and none for a row.
type deal struct {
	rows   int
	seed   *uint64 // of the order, a random.Permutation; nil: 0, 1, 2, …
	pieces []piece
	ends   []int // of the partitions

	order []int32 // computed by a worker
}

// piece is a range of an order.
type piece struct{ from, to int }

// fewRows is the minimum of rows in a piece, on average: an assignment with more pieces is sent row by row.
const fewRows = 64

// dealOf finds the pieces of an assignment. It returns false if there are too many, or more rows than a worker can
// order.
func dealOf(a engine.Assignment) (deal, bool) {
	n := a.Rows()
	d := deal{rows: n, seed: a.Seed, ends: a.Ends}
	if n > mostDealt {
		return d, false
	}
	var at []int32 // the place of each index in the order
	if a.Seed != nil {
		at = d.compute()
		invert(at)
	}
	next := -1
	for place := range n {
		i := int(a.Index(place))
		if at != nil {
			i = int(at[i])
		}
		if i != next {
			if len(d.pieces) > n/fewRows {
				return d, false
			}
			d.pieces = append(d.pieces, piece{from: i})
		}
		next = i + 1
		d.pieces[len(d.pieces)-1].to = next
	}
	return d, true
}

// invert replaces an order by its inverse. Finished elements are negative meanwhile.
func invert(order []int32) {
	for first := range order {
		at := int32(first)
		for index := order[first]; index >= 0; {
			index, order[index], at = order[index], ^at, index
		}
	}
	for i := range order {
		order[i] = ^order[i]
	}
}

// mostDealt is the maximum number of rows in an order that workers compute. A worker needs 4 bytes of memory for each.
const mostDealt = 1<<31 - 1

// compute returns the order, the same on every worker.
func (d *deal) compute() []int32 {
	order := make([]int32, d.rows)
	if d.seed == nil {
		for i := range order {
			order[i] = int32(i)
		}
		return order
	}
	random.Permute(*d.seed, order)
	return order
}

// bytes encodes the deal for the workers, as varints.
func (d *deal) bytes() []byte {
	b := binary.AppendUvarint(nil, uint64(d.rows))
	if d.seed == nil {
		b = append(b, 0)
	} else {
		b = binary.AppendUvarint(append(b, 1), *d.seed)
	}
	b = binary.AppendUvarint(b, uint64(len(d.pieces)))
	for _, p := range d.pieces {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(p.from)), uint64(p.to-p.from))
	}
	b = binary.AppendUvarint(b, uint64(len(d.ends)))
	last := 0
	for _, end := range d.ends {
		b = binary.AppendUvarint(b, uint64(end-last))
		last = end
	}
	return b
}

var errDeal = errors.New("the order of rows that the driver sent does not read")

// readDeal decodes the result of bytes.
func readDeal(b []byte) (*deal, error) {
	d := new(deal)
	bad := false
	next := func(most int) int {
		v, used := binary.Uvarint(b)
		if bad = bad || used <= 0 || v > uint64(most); bad {
			return 0
		}
		b = b[used:]
		return int(v)
	}
	d.rows = next(mostDealt)
	if next(1) == 1 {
		seed, used := binary.Uvarint(b)
		if bad = bad || used <= 0; !bad {
			b = b[used:]
		}
		d.seed = &seed
	}
	for range next(len(b)) {
		from := next(d.rows)
		d.pieces = append(d.pieces, piece{from, from + next(d.rows-from)})
	}
	all, end := 0, 0
	for _, p := range d.pieces {
		all += p.to - p.from
	}
	for range next(len(b)) {
		end += next(d.rows - end)
		d.ends = append(d.ends, end)
	}
	if bad || len(b) > 0 || all != d.rows || end != d.rows {
		return nil, engine.Permanent(errDeal)
	}
	return d, nil
}

// each yields the indices of the partitions from … to-1 in their order, with their partitions and places there.
func (d *deal) each(from, to int, yield func(index int64, partition, place int) error) error {
	begin := func(p int) int {
		if p == 0 {
			return 0
		}
		return d.ends[p-1]
	}
	if from >= to || d.rows == 0 {
		return nil
	}
	at, k := begin(from), 0
	before := 0 // rows of the pieces before the k-th
	for ; before+d.pieces[k].to-d.pieces[k].from < at; k++ {
		before += d.pieces[k].to - d.pieces[k].from
	}
	for p := from; p < to; p++ {
		first := begin(p)
		for at < d.ends[p] {
			now := d.pieces[k]
			if at-before == now.to-now.from {
				before, k = at, k+1
				continue
			}
			if err := yield(int64(d.order[now.from+at-before]), p, at-first); err != nil {
				return err
			}
			at++
		}
	}
	return nil
}
