package distributed

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/stored"
)

// storedData is examples in a file of this machine, which its workers read themselves: the rows for workers refer to
// the file. A partition is one such row.
type storedData struct {
	from *source.Stored
	by   data.Normalizer // nil: none
}

// here reports whether an engine's workers are on this machine.
func here(e engine.Engine) bool { return !strings.Contains(e.Master(), "://") }

// fromStored spreads stored examples over partitions; 0 means one for each slot of the engine.
func fromStored(e engine.Engine, s storedData, partitions int) (*Data, error) {
	if partitions == 0 {
		partitions = e.Slots()
	}
	parts := make([][]engine.Row, partitions)
	counts := make([]int64, partitions)
	from := 0
	for p, end := range engine.EvenEnds(s.from.Objects(), partitions) {
		if counts[p] = int64(end - from); end > from {
			b, err := s.from.Reference(s.by, nil, from, end)
			if err != nil {
				return nil, err
			}
			parts[p] = []engine.Row{engine.Unindexed(b)}
		}
		from = end
	}
	rows := engine.Parallelize(e, parts).Map(readStored.With(struct{}{}))
	return &Data{rows: rows, counts: counts, stored: &s}, nil
}

// sendStored spreads stored examples over partitions of rows for workers elsewhere. They are read when they are sent.
func sendStored(e engine.Engine, from *source.Stored, partitions int) (*Data, error) {
	if partitions == 0 {
		partitions = e.Slots()
	}
	if partitions < 0 {
		return nil, fmt.Errorf("%d partitions were asked for", partitions)
	}
	parts := make([]engine.Part, partitions)
	counts := make([]int64, partitions)
	at := 0
	for p, end := range engine.EvenEnds(from.Objects(), partitions) {
		parts[p], counts[p] = storedPart{from, at, end}, int64(end-at)
		at = end
	}
	return &Data{rows: engine.FromParts(e, parts), counts: counts}, nil
}

// storedPart is the stored examples from … to-1.
type storedPart struct {
	of       *source.Stored
	from, to int
}

func (p storedPart) Len() int { return p.to - p.from }

func (p storedPart) Size() int64 {
	return int64(float64(p.of.Bytes()) * float64(p.Len()) / float64(max(1, p.of.Objects())))
}

func (p storedPart) Rows() engine.Rows {
	return engine.RowsFunc(func() (engine.Row, error) {
		if p.from == p.to {
			return engine.Row{}, io.EOF
		}
		rows, err := p.of.ObjectRows(p.from)
		if err != nil {
			return engine.Row{}, err
		}
		p.from++
		return engine.Unindexed(rows[0]), nil
	})
}

// readStored writes the examples that rows refer to.
var readStored = engine.Register("distributed.stored",
	func(t *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
		rows := &referred{in: in}
		defer rows.Close()
		for row, err := range engine.All(rows) {
			if err == nil {
				err = t.Context().Err()
			}
			if err == nil {
				err = out.Write(row)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})

// assign makes rows that refer to the examples of the first used partitions of an assignment, in their order. Examples
// that would be slow to read in that order are shuffled: the rows refer to a file with the order, until the data set is
// unpersisted.
func (s storedData) assign(ctx context.Context, e engine.Engine, a engine.Assignment, used int) (*engine.Dataset,
	error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	from, end := s.from, func() {}
	var list func(from, to int) iter.Seq[int64]
	o, ordered := orderOf(a, used)
	switch {
	case ordered:
	case from.Shuffles(o.Len()):
		shuffled, err := from.Shuffle(ctx, o)
		if err != nil {
			return nil, err
		}
		from, end = shuffled, func() { shuffled.Close() }
	case from.InMemory():
		list = listing(o)
	default: // there are too few, or they are long
		order := make(stored.Numbers, o.Len())
		if err := o.Each(ctx, os.TempDir(), func(place, index int) error {
			order[place] = int64(index)
			return nil
		}); err != nil {
			return nil, err
		}
		list = listing(order)
	}
	parts := make([][]engine.Row, len(a.Ends))
	for p := range used {
		begin, to := a.Places(p)
		if begin == to {
			continue
		}
		var numbers iter.Seq[int64]
		if list != nil {
			numbers = list(begin, to)
		}
		b, err := from.Reference(s.by, numbers, begin, to)
		if err != nil {
			end()
			return nil, err
		}
		parts[p] = []engine.Row{engine.Unindexed(b)}
	}
	return engine.Parallelize(e, parts).OnUnpersist(end), nil
}

// listing returns a function that yields the examples at the places from … to-1 of an order.
func listing(o stored.Order) func(from, to int) iter.Seq[int64] {
	if all, listed := o.(stored.Numbers); listed {
		return func(from, to int) iter.Seq[int64] { return slices.Values(all[from:to]) }
	}
	return o.(stored.Permutation).Listing()
}

// orderOf returns the order of the examples of the first partitions of an assignment, and whether it is 0, 1, 2, ….
func orderOf(a engine.Assignment, partitions int) (o stored.Order, ordered bool) {
	n, end := a.Rows(), 0
	if partitions > 0 {
		_, end = a.Places(partitions - 1)
	}
	if a.Order != nil {
		return stored.Numbers(a.Order[:end]), false
	}
	by := stored.Permutation{Seed: a.Seed, Rows: n}
	pieces := a.Pieces
	if pieces == nil {
		pieces = []engine.Piece{{To: n}}
	}
	ordered = a.Seed == nil
	at := 0
	for _, p := range pieces {
		p.To = min(p.To, p.From+end-at)
		ordered = ordered && p.From == at
		at += p.To - p.From
		by.Pieces = append(by.Pieces, stored.Piece(p))
	}
	return by, ordered
}

// soonRows is how many rows ahead of reading the system is told to read.
const soonRows = 64

// referred are the rows to which rows of in refer, and other rows unchanged.
type referred struct {
	in engine.Rows
	of *stored.Referred // the open file; nil if there is none
	at int              // the next row of it
}

func (r *referred) Next() (engine.Row, error) {
	if row, here, err := r.find(); here || err != nil {
		return row, err
	}
	b, err := r.of.At(r.at)
	r.at++
	return engine.Unindexed(b), err
}

// next is Next for an Assembler.
func (r *referred) next(block []byte) (row, after []byte, err error) {
	if row, here, err := r.find(); here || err != nil {
		return row.Bytes, block, err
	}
	if after, err = r.of.AppendTo(block, r.at); err != nil {
		return nil, block, err
	}
	r.at++
	return after[len(block):], after, nil
}

// find finds the next row: a row of in that is no reference, or the one at the place in the open file.
func (r *referred) find() (row engine.Row, here bool, err error) {
	for r.of == nil || r.at == r.of.Len() {
		if err := r.Close(); err != nil {
			return engine.Row{}, false, err
		}
		row, err := r.in.Next()
		if err != nil || !stored.IsReference(row.Bytes) {
			return row, err == nil, err
		}
		if err := r.open(row.Bytes); err != nil {
			return row, false, err
		}
	}
	if ahead := r.at + soonRows; ahead < r.of.Len() {
		r.of.Soon(ahead)
	}
	return engine.Row{}, false, nil
}

func (r *referred) open(reference []byte) (err error) {
	if r.of, err = stored.Open(reference); err != nil {
		return err
	}
	r.at = 0
	for i := range min(soonRows, r.of.Len()) {
		r.of.Soon(i)
	}
	return nil
}

// Close closes the open file, if there is one.
func (r *referred) Close() error {
	if r.of == nil {
		return nil
	}
	err := r.of.Close()
	r.of = nil
	return err
}
