package train

import (
	"context"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
)

// permuted returns the examples of a source in the order of their indices. Examples that are slow to read in that order
// are shuffled first.
type permuted struct {
	ctx   context.Context // of the pass
	of    source.Source
	pick  func(indices []int) (*data.MultiDataSet, error)
	batch int
	n     int
	order []int64 // nil: 0 … n-1
	at    int
	end   func() error // removes the shuffled examples; nil if there are none
}

func (p *permuted) Next() (*data.MultiDataSet, error) {
	if err := p.shuffle(); err != nil {
		return nil, err
	}
	n := min(p.batch, p.n-p.at)
	if n == 0 {
		return nil, io.EOF
	}
	rows := make([]int, n)
	for i := range rows {
		if rows[i] = p.at + i; p.order != nil {
			rows[i] = int(p.order[p.at+i])
		}
	}
	p.at += n
	return p.pick(rows)
}

// shuffle shuffles the examples before the first one is read, if that helps.
func (p *permuted) shuffle() error {
	of, ok := p.of.(*source.Stored)
	if !ok || p.order == nil || !of.Shuffles() {
		return nil
	}
	shuffled, err := of.Shuffle(p.ctx, p.order)
	if err != nil {
		return err
	}
	p.pick, p.end, p.order = shuffled.Pick, shuffled.Close, nil
	return nil
}

// close removes the shuffled examples. Next must not be running.
func (p *permuted) close() {
	if p.end != nil {
		p.end()
		p.end = nil
	}
}
