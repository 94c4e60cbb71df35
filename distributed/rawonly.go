package distributed

import (
	"context"
	"fmt"
	"iter"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
)

// rawOnly selects rows of a table: by a bit for each row of all partitions.
type rawOnly struct {
	Bits   engine.BroadcastID
	Starts []int64 // the first row of each partition, and the number of all rows
}

// Only returns the table with some of its rows, by their numbers in ascending order. counts has the number of rows in
// each partition; a job fails if a partition has more. The workers use a bit of memory for each row, until the engine
// is closed.
func (t *RawTable) Only(ctx context.Context, counts []int64, rows iter.Seq[int]) (*RawTable, error) {
	if t.conf.Only != nil {
		return nil, fmt.Errorf("the table has some of its rows only")
	}
	only := rawOnly{Starts: []int64{0}}
	for p, n := range counts {
		only.Starts = append(only.Starts, only.Starts[p]+n)
	}
	bits := make([]byte, only.Starts[len(counts)]/8+1)
	n := 0
	for i := range rows {
		bits[i/8] |= 1 << (i % 8)
		n++
	}
	b, err := t.rows.Engine().Broadcast(ctx, bits)
	if err != nil {
		return nil, err
	}
	only.Bits = b.ID()
	some := *t
	some.conf.Only, some.kept = &only, nil
	what := "rows"
	if t.schema.Sequence {
		what = "sequences"
	}
	some.some = fmt.Sprintf("%d of the %d %s of ", n, only.Starts[len(counts)], what)
	return &some, nil
}

// filter returns a function that calls do with the selected rows of a partition. It may be called for several files,
// one after the other.
func (o *rawOnly) filter(t *engine.Task, do func(source.Rows) error) (func(source.Rows) error, error) {
	bits, err := t.Broadcast(o.Bits)
	if err != nil {
		return nil, err
	}
	if t.Partition+1 >= len(o.Starts) || int64(len(bits)) != o.Starts[len(o.Starts)-1]/8+1 {
		return nil, engine.Permanent(fmt.Errorf("%d bits say which rows are in partition %d", len(bits)*8, t.Partition))
	}
	at, end := o.Starts[t.Partition], o.Starts[t.Partition+1]
	return func(rows source.Rows) error {
		return do(source.Like(&onlyRows{Rows: rows, bits: bits, at: &at, end: end}, rows))
	}, nil
}

// onlyRows are the selected rows of a partition.
type onlyRows struct {
	source.Rows
	bits []byte
	at   *int64 // the number of the next row
	end  int64  // of the partition's rows

	passed int // selected rows that were passed over
}

// Passed returns how many selected rows were passed over: see [source.Passed].
func (r *onlyRows) Passed() int {
	n := r.passed
	r.passed = 0
	return n
}

// selected reports whether a row is selected.
func (r *onlyRows) selected(i int64) bool { return i < r.end && r.bits[i/8]&(1<<(i%8)) != 0 }

// Under returns all rows.
func (r *onlyRows) Under() source.Rows { return r.Rows }

// StepPlace returns the place of a row of the last sequence.
func (r *onlyRows) StepPlace(step int) string {
	if s, ok := r.Rows.(interface{ StepPlace(step int) string }); ok {
		return s.StepPlace(step)
	}
	return fmt.Sprintf("%s: step %d", r.Place(), step+1)
}

// Next returns the next selected row.
func (r *onlyRows) Next() (pipeline.Item, error) {
	for {
		item, err := r.Rows.Next()
		for range source.Passed(r.Rows) {
			if r.selected(*r.at) {
				r.passed++
			}
			*r.at++
		}
		if err != nil {
			return item, err
		}
		i := *r.at
		if i >= r.end {
			return item, engine.Permanent(fmt.Errorf("%s: there are more rows than before: the data has changed", r.Place()))
		}
		*r.at++
		if r.selected(i) {
			return item, nil
		}
	}
}

// ofQuery returns the rows of a query; nil for others.
func ofQuery(rows source.Rows) *queryRows {
	for {
		over, ok := rows.(interface{ Under() source.Rows })
		if !ok {
			break
		}
		rows = over.Under()
	}
	from, _ := rows.(*queryRows)
	return from
}
