package pipeline

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
)

// Split is a step that splits sequences (org.datavec.api.transform.sequence.SequenceSplit): [SplitByLength] or
// [SplitByGap].
type Split interface{ Step }

var splits = dl4j.NewClasses[Split]("sequence split")

// SplitByLength splits sequences into pieces of at most Max steps. The last piece is shorter. If Equal is set, the
// lengths differ by at most one step instead. DataVec differs: it takes Max as the number of equal pieces.
type SplitByLength struct {
	Max   int  `dl4j:"maxSequenceLength"`
	Equal bool `dl4j:"equalSplits"`
}

// SplitByGap splits a sequence between two steps if the time between them is more than Quantity of the Unit.
type SplitByGap struct {
	Column   string   `dl4j:"timeColumn"`
	Quantity int64    `dl4j:"timeQuantity"`
	Unit     TimeUnit `dl4j:"timeUnit"`
}

func init() {
	const pkg = "org.datavec.api.transform.sequence.split."
	splits.Register(pkg+"SplitMaxLengthSequence", func() Split { return SplitByLength{} })
	splits.Register(pkg+"SequenceSplitTimeSeparation", func() Split { return SplitByGap{} })
}

// Bind checks the length.
func (s SplitByLength) Bind(in *Schema) (Bound, error) {
	if err := wantSequences(in); err != nil {
		return Bound{}, err
	}
	if s.Max < 1 {
		return Bound{}, fmt.Errorf("maxSequenceLength is %d; it has to be at least 1", s.Max)
	}
	return Bound{in, SequenceSplit(func(rows []Row) (parts [][]Row, err error) {
		n := (len(rows) + s.Max - 1) / s.Max
		if n < 2 {
			return [][]Row{rows}, nil
		}
		for i := range n {
			from, to := i*s.Max, min((i+1)*s.Max, len(rows))
			if s.Equal {
				from, to = evenly(len(rows), n, i), evenly(len(rows), n, i+1)
			}
			parts = append(parts, rows[from:to:to])
		}
		return parts, nil
	})}, nil
}

// evenly returns the start of the i-th of n pieces. The first pieces are one step longer if there is a rest.
func evenly(length, n, i int) int { return i*(length/n) + min(i, length%n) }

// Bind checks the column and the unit.
func (s SplitByGap) Bind(in *Schema) (Bound, error) {
	if err := wantSequences(in); err != nil {
		return Bound{}, err
	}
	at, _, err := findTime(in, s.Column)
	if err != nil {
		return Bound{}, err
	}
	gap, err := s.Unit.millis(s.Quantity)
	if err != nil {
		return Bound{}, err
	}
	return Bound{in, SequenceSplit(func(rows []Row) (parts [][]Row, err error) {
		from, last := 0, int64(0)
		for i, r := range rows {
			t, err := r[at].Long()
			if err != nil {
				return nil, inColumn(s.Column, err)
			}
			if i > 0 && t-last > gap {
				parts = append(parts, rows[from:i:i])
				from = i
			}
			last = t
		}
		return append(parts, rows[from:]), nil
	})}, nil
}
