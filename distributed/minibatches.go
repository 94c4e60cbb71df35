package distributed

import (
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
)

// Minibatches assembles a partition's examples, in their order, in minibatches of size examples. The last one may be
// smaller. Each belongs to the caller. Bad rows are permanent errors.
func Minibatches(in engine.Rows, size int) data.Iterator {
	b := &minibatches{size: size}
	b.in, b.done = referred(in)
	return b
}

type minibatches struct {
	in   engine.Rows
	done func()
	size int
	rows [][]byte
	err  error
}

func (b *minibatches) Next() (*data.MultiDataSet, error) {
	b.rows = b.rows[:0]
	for len(b.rows) < b.size && b.err == nil {
		var row engine.Row
		if row, b.err = b.in.Next(); b.err == nil {
			b.rows = append(b.rows, row.Bytes)
		}
	}
	if b.err != nil {
		b.done()
	}
	if b.err != nil && b.err != io.EOF {
		return nil, b.err
	}
	if len(b.rows) == 0 {
		return nil, io.EOF
	}
	m, err := data.DecodeRows(b.rows)
	if err != nil {
		b.err = engine.Permanent(err)
		return nil, b.err
	}
	return m, nil
}
