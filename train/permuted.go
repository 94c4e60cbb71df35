package train

import (
	"context"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/internal/stored"
)

// permuted returns the examples of a source in the order of their indices. Examples that are slow to read in that order
// are shuffled first.
type permuted struct {
	ctx   context.Context // of the pass
	of    source.Source
	pick  func(indices []int) (*data.MultiDataSet, error)
	batch int
	by    stored.Permutation // from the beginning
	order []uint32           // of the examples, unless they were shuffled
	begun bool
	at    int
	end   func() error // removes the shuffled examples; nil if there are none
}

func (p *permuted) Next() (*data.MultiDataSet, error) {
	if !p.begun {
		p.begun = true
		if err := p.begin(); err != nil {
			return nil, err
		}
	}
	n := min(p.batch, p.by.Len()-p.at)
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

// begin makes the order, or shuffles the examples if that helps.
func (p *permuted) begin() error {
	of, ok := p.of.(*source.Stored)
	if !ok || !of.Shuffles(p.by.Len()) {
		if p.by.Rows > stored.MaxRows {
			return wrong("Data", "there are %d examples in memory, at most %d are allowed", p.by.Rows, stored.MaxRows)
		}
		p.order = make([]uint32, p.by.Rows)
		random.Permute(*p.by.Seed, p.order)
		return nil
	}
	shuffled, err := of.Shuffle(p.ctx, p.by)
	if err != nil {
		return err
	}
	p.pick, p.end = shuffled.Pick, shuffled.Close
	return nil
}

// close removes the shuffled examples. Next must not be running.
func (p *permuted) close() {
	if p.end != nil {
		p.end()
		p.end = nil
	}
}
