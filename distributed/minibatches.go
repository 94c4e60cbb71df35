package distributed

import (
	"errors"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
)

// Assembler makes minibatches of a partition's rows. Only one goroutine may use it.
type Assembler struct {
	in   *referred
	size int
	rows [][]byte
	err  error
}

// Minibatches returns an [Assembler] that makes minibatches of size examples from a partition, in order. The last one
// may be smaller. Each belongs to the caller. Bad rows are permanent errors. A caller that may stop before the end must
// call [Assembler.Close].
func Minibatches(in engine.Rows, size int) *Assembler {
	return &Assembler{in: &referred{in: in}, size: size}
}

// Next returns the next minibatch, or io.EOF after the last one.
func (b *Assembler) Next() (*data.MultiDataSet, error) { return b.Take(b.size) }

// Take is Next for a minibatch of another size.
func (b *Assembler) Take(size int) (*data.MultiDataSet, error) {
	b.rows = b.rows[:0]
	for len(b.rows) < size && b.err == nil {
		var row engine.Row
		if row, b.err = b.in.Next(); b.err == nil {
			b.rows = append(b.rows, row.Bytes)
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
	m, err := data.DecodeRows(b.rows)
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
