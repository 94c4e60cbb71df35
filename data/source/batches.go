package source

import (
	"io"

	"github.com/dl4go/dl4go/data"
)

// Batches iterates over the examples of a source in order, in minibatches of size examples; the last one may be
// smaller. With size 0, each object is a minibatch: a saved DataSet, or one example of a table.
func Batches(s Source, size int) data.Iterator {
	if t, ok := s.(Table); ok && size > 0 {
		return &tableBatches{t, size, 0}
	}
	if p, ok := s.(Picker); ok && size > 0 {
		return &picked{p, size, 0}
	}
	it := &objects{s, 0}
	if size > 0 {
		return data.Rebatch(it, size)
	}
	return it
}

type objects struct {
	source Source
	at     int
}

func (o *objects) Next() (*data.MultiDataSet, error) {
	if o.at == o.source.Objects() {
		return nil, io.EOF
	}
	m, err := o.source.Object(o.at)
	if err == nil {
		o.at++
	}
	return m, err
}

type tableBatches struct {
	table    Table
	size, at int
}

func (b *tableBatches) Next() (*data.MultiDataSet, error) {
	end := min(b.at+b.size, b.table.Objects())
	if b.at == end {
		return nil, io.EOF
	}
	m := b.table.Range(b.at, end)
	b.at = end
	return m, nil
}

// picked iterates over the minibatches of a Picker.
type picked struct {
	from     Picker
	size, at int
}

func (b *picked) Next() (*data.MultiDataSet, error) {
	indices := make([]int, min(b.size, b.from.Objects()-b.at))
	if len(indices) == 0 {
		return nil, io.EOF
	}
	for i := range indices {
		indices[i] = b.at + i
	}
	b.at += len(indices)
	return b.from.Pick(indices)
}
