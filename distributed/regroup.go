package distributed

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
)

// regroup means that the rows of a table form sequences. All rows of a sequence are in one partition.
type regroup struct {
	source.Sequencing
	Times *source.SequenceTimes `json:",omitempty"` // of the first row; nil if rows have no times
}

// rows returns the sequences of a partition's rows. r may be nil.
func (r *regroup) rows(rows source.Rows) (source.Rows, error) {
	if r == nil {
		return rows, nil
	}
	return source.Regrouped(rows, &r.Sequencing, r.Times)
}

// regrouped returns a table of the sequences that rows with equal values in some columns form. Rows move to the
// partition of their sequence; the driver holds the name of each row's sequence. Sequences are in the order of their
// first rows, as in a single process.
func (t *RawTable) regrouped(ctx context.Context, s *source.Sequencing) (*RawTable, error) {
	rows, err := nameSequences.On(t, namingConf{*s, t.name.OnlyBadRows()})
	if err != nil {
		return nil, err
	}
	rows = rows.Persist(engine.MemoryAndDisk)
	of := &RawTable{name: t.name, unused: t.unused, kept: []*engine.Dataset{rows}}
	if of.rows, err = of.arrange(ctx, rows, s); err != nil {
		return nil, errors.Join(err, of.Close())
	}
	of.schema = &pipeline.Schema{Columns: t.schema.Columns, Sequence: true}
	of.conf.Name, of.conf.Table, of.conf.Sent = t.conf.Name, schemaText{t.schema}, true
	return of, of.countSequences(ctx)
}

// arrange moves rows to the partitions of their sequences.
func (t *RawTable) arrange(ctx context.Context, rows *engine.Dataset, s *source.Sequencing) (*engine.Dataset, error) {
	names := sequenceNames{at: map[string]int{}}
	in := make([]int64, rows.Partitions())
	bad := t.name.BadRows()
	err := rows.Map(onlyNames.With(struct{}{})).Collect(ctx, func(p int, row engine.Row) error {
		if row.Bytes[0] == lostRow {
			var f namingFound
			if err := json.Unmarshal(row.Bytes[1:], &f); err != nil {
				return err
			}
			if t.lost.Join(f.Found); names.times == nil {
				names.times = f.Times
			}
			return bad.Add(f.Found)
		}
		for left := row.Bytes; len(left) > 0; in[p]++ {
			name, rest, err := cutName(left)
			if err != nil {
				return err
			}
			names.add(string(name[:len(name)-1]), name[len(name)-1])
			left = rest
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.conf.Regroup = &regroup{*s, names.times}
	order, ends := names.arrange(rows.Partitions())
	moved := rows.Map(onlyRowsOf.With(struct{}{})).IndexCounted(in)
	return moved.Exchange(engine.Assignment{Order: order, Ends: ends}), nil
}

// countSequences counts the sequences, for notices.
func (t *RawTable) countSequences(ctx context.Context) error {
	rows, err := countRegrouped.On(t, t.name.OnlyBadRows())
	if err != nil {
		return err
	}
	return rows.Collect(ctx, func(_ int, row engine.Row) error {
		var n source.SequenceCounts
		err := json.Unmarshal(row.Bytes, &n)
		t.sequences.Join(n)
		return err
	})
}

// Notes returns notices about sequences that were made from rows; nil if there are none.
func (t *RawTable) Notes() []string {
	if t.conf.Regroup == nil {
		return nil
	}
	return t.sequences.Notes()
}

// sequenceNames are the names of the rows' sequences, in the order of the table.
type sequenceNames struct {
	at    map[string]int        // index of each name, in order of appearance
	rows  []int                 // index of the name, for each row
	kinds []byte                // kind of the time, for each row
	times *source.SequenceTimes // of the first row
}

func (n *sequenceNames) add(name string, kind byte) {
	at, known := n.at[name]
	if !known {
		at = len(n.at)
		n.at[name] = at
	}
	n.rows, n.kinds = append(n.rows, at), append(n.kinds, kind)
}

// arrange returns an order in which the rows of a sequence are adjacent, and the ends of the partitions. Sequences are
// in the order of their first rows that are not refused. A row is refused if its time is a date among numbers, or a
// number among dates.
func (n *sequenceNames) arrange(partitions int) (order []int64, ends []int) {
	want := byte(0)
	if len(n.kinds) > 0 {
		want = n.kinds[0]
	}
	place := make([]int, len(n.at)) // position of each sequence in the order, from 1; 0: none yet
	next := 0
	for pass := range 2 {
		for row, at := range n.rows {
			if place[at] == 0 && (pass == 1 || n.kinds[row] == want) {
				next++
				place[at] = next
			}
		}
	}
	starts := make([]int, next+2)
	for _, at := range n.rows {
		starts[place[at]+1]++
	}
	for k := 1; k < len(starts); k++ {
		starts[k] += starts[k-1]
	}
	cuts := slices.Clone(starts[1:])
	order = make([]int64, len(n.rows))
	for row, at := range n.rows {
		order[starts[place[at]]] = int64(row)
		starts[place[at]]++
	}
	ends = make([]int, partitions)
	for p := range ends {
		at, _ := slices.BinarySearch(cuts, (p+1)*len(order)/partitions)
		ends[p] = cuts[min(at, len(cuts)-1)]
	}
	return order, ends
}

// A row of a table that is being regrouped begins with the length of its sequence's name as a varint, the name, and a
// byte for the kind of its time. The row in the form of sentRows follows. A row that begins with lostRow, which is no
// length, reports the skipped rows.
const (
	lostRow = 0

	noTime     = '-'
	numberTime = 'n'
	dateTime   = 'd'
)

// cutName cuts off the name of a row's sequence and the kind of its time.
func cutName(row []byte) (name, rest []byte, err error) {
	size, n := binary.Uvarint(row)
	if n <= 0 || size == 0 || size > uint64(len(row)-n) {
		return nil, nil, engine.Permanent(errors.New("a row has no sequence: driver and workers must be the same build"))
	}
	return row[n : n+int(size)], row[n+int(size):], nil
}
