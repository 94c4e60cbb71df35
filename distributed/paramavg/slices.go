package paramavg

import (
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/tensor"
)

// keptSum is the sum of a sliced round that a resident worker has kept: the sums of the slices, as float32.
type keptSum struct {
	lengths
	slices [][]float32
}

// lengths are those of the vectors that are added up.
type lengths struct{ params, updater int }

var _ coordination.Slicer = (*roundWorker)(nil)

// sliceUnit is the number of elements of which the slices' lengths are multiples, but for the last one.
const sliceUnit = 16

// Begin begins a round, which may take the memory of earlier ones.
func (r *roundWorker) Begin(over bool) { r.memory.begin(over) }

// Cut divides the vectors of a result into equal slices. The report is the state without vectors. In a move, the slices
// are rows.
func (r *roundWorker) Cut(result []byte, n int) (slices [][]byte, report []byte, err error) {
	if r.mover != nil {
		return r.mover.cut(result, n)
	}
	s, err := decodeState(result)
	if err != nil {
		return nil, nil, err
	}
	if s.Each != 0 {
		return nil, nil, errors.New("a result with a worker's own updater state can't be cut into slices")
	}
	r.cut = lengths{s.Params, s.Updater}
	if n == 1 {
		r.memory.begin(false) // the only slice may become the sum
	}
	from := 0
	for i := range n {
		to := (i + 1) * len(s.vectors) / n / sliceUnit * sliceUnit
		if i == n-1 {
			to = len(s.vectors)
		}
		slices = append(slices, tensor.Bytes(s.vectors[from:to:to]))
		from = to
	}
	s.Params, s.Updater, s.vectors = 0, 0, nil
	report, err = s.row()
	return slices, report, err
}

// Add adds up slices, in the order in which they come. In a move, it takes the rows.
func (r *roundWorker) Add(pieces [][]byte) ([]byte, error) {
	if r.mover != nil {
		return r.mover.unpack(pieces)
	}
	total := tensor.Floats(pieces[0])
	vec := vector.For(kernel.Best())
	for i, b := range pieces[1:] {
		piece := tensor.Floats(b)
		if len(piece) != len(total) {
			return nil, fmt.Errorf("slices of %d and %d values cannot be added", len(total), len(piece))
		}
		sum := total
		if i == 0 {
			sum = r.memory.sum(len(total))
		}
		vec.Add(sum, total, piece)
		total = sum
	}
	return tensor.Bytes(total), nil
}

func (r *roundWorker) Keep(sums [][]byte) {
	if r.mover != nil {
		return // there is nothing to keep
	}
	r.kept = keptSum{lengths: r.cut}
	for _, b := range sums {
		r.kept.slices = append(r.kept.slices, tensor.Floats(b))
	}
}

// check fails unless the slices are those of the vectors.
func (k *keptSum) check() error {
	n := 0
	for _, s := range k.slices {
		n += len(s)
	}
	if k.slices == nil || n != k.params+k.updater {
		return fmt.Errorf("the worker has kept %d of the %d values of the last round", n, k.params+k.updater)
	}
	return nil
}

func (r *roundWorker) Continue(start []byte) error {
	s, err := decodeState(start)
	if err == nil {
		err = r.kept.check()
	}
	if err != nil {
		return engine.Permanent(err)
	}
	s.Params, s.Updater, s.slices = r.kept.params, r.kept.updater, r.kept.slices
	r.received, r.start = nil, s
	return nil
}

func (r *roundWorker) Whole(report []byte) ([]byte, error) {
	s, err := decodeState(report)
	if err == nil {
		err = r.kept.check()
	}
	if err != nil {
		return nil, err
	}
	s.Params, s.Updater = r.kept.params, r.kept.updater
	s.vectors = vectors(s.common(), len(s.Events)+len(s.Iterations) > 0)
	at := s.vectors
	for _, slice := range r.kept.slices {
		at = at[copy(at, slice):]
	}
	return s.row()
}

// startAfter returns the start of the round after a result, for workers that have kept the vectors.
func startAfter(row []byte) ([]byte, error) {
	s, err := decodeState(row)
	if err != nil {
		return nil, err
	}
	return masters.Seal(nil, state{Workers: s.Workers, Iteration: s.Iteration})
}
