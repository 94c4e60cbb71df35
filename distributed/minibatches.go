package distributed

import (
	"errors"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/xla"
)

// Assembler makes minibatches of rows. Only one goroutine may use it.
type Assembler struct {
	in    rowSource
	size  func() int // of the next minibatch
	spent Spent
	block []byte // memory of the rows of a minibatch
	rows  [][]byte
	err   error
}

// rowSource is where an Assembler gets rows.
type rowSource interface {
	// next returns the next row, or io.EOF. Its bytes may be appended to block; then after is the longer block.
	next(block []byte) (row, after []byte, err error)
	Close() error
}

// Minibatches returns an [Assembler] that makes minibatches of size examples from a partition, in order. The last one
// may be smaller. Each belongs to the caller. Bad rows are permanent errors. A caller that may stop before the end must
// call [Assembler.Close].
func Minibatches(in engine.Rows, size int) *Assembler {
	return &Assembler{in: &referred{in: in}, size: func() int { return size }}
}

// Kept are rows by number, such as those that a resident worker keeps.
type Kept interface {
	// Soon says that a row will be needed.
	Soon(i int)
	// AppendTo appends a row's bytes to b.
	AppendTo(b []byte, i int) ([]byte, error)
}

// MinibatchesOf is [Minibatches] of n kept rows: row at(0), row at(1) and so on. The function size returns the size of
// the next minibatch. Close does not close the rows.
func MinibatchesOf(rows Kept, n int, at func(k int) int, size func() int) *Assembler {
	return &Assembler{in: &keptRows{rows: rows, n: n, at: at}, size: size}
}

// Reuse lets minibatches take the memory of spent ones.
func (b *Assembler) Reuse(s Spent) *Assembler {
	b.spent = s
	return b
}

// Next returns the next minibatch, or io.EOF after the last one.
func (b *Assembler) Next() (*data.MultiDataSet, error) {
	b.block, b.rows = b.block[:0], b.rows[:0]
	for size := b.size(); len(b.rows) < size && b.err == nil; {
		var row []byte
		if row, b.block, b.err = b.in.next(b.block); b.err == nil {
			b.rows = append(b.rows, row)
		}
	}
	if b.err != nil {
		b.in.Close()
	}
	if b.err != nil && b.err != io.EOF {
		return nil, b.err
	}
	if len(b.rows) == 0 {
		return nil, io.EOF
	}
	m, err := data.DecodeRowsInto(b.spent.take(), b.rows)
	if err != nil {
		b.err = errors.Join(engine.Permanent(err), b.in.Close())
		return nil, b.err
	}
	return m, nil
}

// Close closes the file that rows refer to, if one is open. Next must not be running, and fails afterwards.
func (b *Assembler) Close() error {
	if b.err == nil {
		b.err = io.ErrClosedPipe
	}
	return b.in.Close()
}

// keptRows are the rows of MinibatchesOf.
type keptRows struct {
	rows       Kept
	n          int
	at         func(k int) int
	done, told int // the rows so far, and those that Soon was called with
}

func (k *keptRows) next(block []byte) (row, after []byte, err error) {
	if k.done == k.n {
		return nil, block, io.EOF
	}
	for ; k.told < min(k.n, k.done+soonRows); k.told++ {
		k.rows.Soon(k.at(k.told))
	}
	after, err = k.rows.AppendTo(block, k.at(k.done))
	if err != nil {
		return nil, block, err
	}
	k.done++
	return after[len(block):], after, nil
}

func (k *keptRows) Close() error { return nil }

// Spent holds minibatches that nobody uses any more. Others take their memory. A nil Spent keeps none. Any number of
// goroutines may use it.
type Spent chan *data.MultiDataSet

// NewSpent returns a Spent for a worker with the kernels that [Options].Kernels names, which reads a number of
// minibatches ahead. It is nil for a device, which may still read the arrays of a minibatch after its step.
func NewSpent(kernels string, ahead int) Spent {
	if xla.IsDevice(kernels) {
		return nil
	}
	return make(Spent, ahead+2)
}

// Give gives a minibatch's memory to others, if there is room.
func (s Spent) Give(m *data.MultiDataSet) {
	select {
	case s <- m:
	default:
	}
}

func (s Spent) take() *data.MultiDataSet {
	select {
	case m := <-s:
		return m
	default:
		return nil
	}
}
