// Package parts runs the parts of a pipeline on the workers of an engine. The workers run the steps before the first
// step that gathers on the rows that they read. Before each step that gathers, the items move between the workers; the
// driver sees only their keys. See [pipeline.Part].
package parts

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
)

// Steps identifies a part of a pipeline for workers.
type Steps struct {
	Pipeline []byte // DataVec's JSON
	Part     int
}

// Of returns the first part of a pipeline.
func Of(p *pipeline.Pipeline) (Steps, error) {
	text, err := p.JSON()
	return Steps{Pipeline: text}, err
}

// At returns another part.
func (s Steps) At(part int) Steps {
	s.Part = part
	return s
}

// Load returns the part, and the pipeline's number of parts.
func (s Steps) Load() (part pipeline.Part, parts int, err error) {
	p, err := pipeline.Parse(s.Pipeline)
	if err != nil {
		return part, 0, engine.Permanent(err)
	}
	plan, err := p.Bind()
	if err != nil {
		return part, 0, engine.Permanent(err)
	}
	all := plan.Parts()
	return all[s.Part], len(all), nil
}

// Rows of the engine are items, or counts of a partition. Their first byte tells which. For an item, the length of its
// key follows as a varint, then the key for the next part, then pipeline.AppendItem.
const (
	ItemRow  = 'i'
	CountRow = 'c' // counts of the first part
)

// Sink writes the items that come out of a part, with their keys for the next part. It is for one goroutine.
type Sink struct {
	out  engine.Writer
	key  func(to []byte, i pipeline.Item) ([]byte, error) // nil for the last part
	last []byte
	size int // approximate size of the last row
}

// Sink returns a Sink for the items that come out of the part.
func (s Steps) Sink(out engine.Writer) (*Sink, error) {
	sink := &Sink{out: out}
	_, parts, err := s.Load()
	if err != nil || s.Part+1 >= parts {
		return sink, err
	}
	next, _, err := s.At(s.Part + 1).Load()
	if err == nil {
		sink.key = next.Key()
	}
	return sink, err
}

// Check refuses an item if the next part would, so that the error can name the item's place.
func (s *Sink) Check(i pipeline.Item) (err error) {
	if s.key != nil {
		s.last, err = s.key(s.last[:0], i)
	}
	return err
}

// Write writes an item. Check must have been called with it just before.
func (s *Sink) Write(i pipeline.Item) error {
	row := pipeline.AppendItem(AppendKey(make([]byte, 0, s.size), s.last), i)
	s.size = len(row) + 8
	return s.out.Write(engine.Unindexed(row))
}

// AppendKey begins the row of an item with its key.
func AppendKey(to, key []byte) []byte {
	return append(binary.AppendUvarint(append(to, ItemRow), uint64(len(key))), key...)
}

// CutKey returns what follows the key in the row of an item.
func CutKey(row []byte) ([]byte, error) {
	head, _, err := keyOf(row)
	return row[len(head):], err
}

// keyOf returns the beginning of an item's row up to the end of its key, and the length of the key.
func keyOf(row []byte) (head []byte, key int, err error) {
	size, n := binary.Uvarint(row[1:])
	if n <= 0 || size > uint64(len(row)-1-n) {
		return nil, 0, errRow
	}
	return row[:1+n+int(size)], int(size), nil
}

var errRow = engine.Permanent(errors.New("a row is not an item of a pipeline: " +
	"driver and workers must be the same build"))

// ReadItem reads the row of an item.
func ReadItem(row []byte) (pipeline.Item, error) {
	rest, err := CutKey(row)
	if err != nil {
		return pipeline.Item{}, err
	}
	item, err := pipeline.ReadItem(rest)
	return item, engine.Permanent(err)
}

// EachItem calls do with each item of a partition. It copies counts to out.
func EachItem(in engine.Rows, out engine.Writer, do func(pipeline.Item) error) error {
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		if row.Bytes[0] == CountRow {
			if err := out.Write(row); err != nil {
				return err
			}
			continue
		}
		item, err := ReadItem(row.Bytes)
		if err != nil {
			return err
		}
		if err := do(item); err != nil {
			return err
		}
	}
	return nil
}

// Run runs the parts of a pipeline after the first one.
type Run struct {
	Steps Steps
	// Count is called with the counts of the first part's partitions.
	Count func(row []byte) error
	kept  []*engine.Dataset
}

// Rest runs the parts after the first one on the rows of the first one: items and counts. Its own rows are items, and
// counts if the pipeline has only one part.
func (r *Run) Rest(ctx context.Context, plan *pipeline.Plan, rows *engine.Dataset) (_ *engine.Dataset, err error) {
	for k, part := range plan.Parts()[1:] {
		if rows, err = r.arrange(ctx, rows, part, r.Steps.At(k+1)); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// arrange moves items to the partitions in which a part's first step needs them, and runs the part.
func (r *Run) arrange(ctx context.Context, rows *engine.Dataset, part pipeline.Part, steps Steps) (*engine.Dataset,
	error) {
	var ends []int
	moved, err := r.Move(ctx, rows, func(keys [][]byte, in []int64) (a engine.Assignment, err error) {
		a.Order, a.Ends, err = part.Arrange(keys, len(in))
		ends = a.Ends
		return a, err
	})
	if err != nil {
		return nil, err
	}
	return moved.Map(runPart.With(partConf{steps, ends})), nil
}

// Move moves items to the partitions that arrange chooses. arrange gets the keys of all items in order, and the number
// of items in each partition. The counts among the rows are left out.
func (r *Run) Move(ctx context.Context, rows *engine.Dataset,
	arrange func(keys [][]byte, in []int64) (engine.Assignment, error)) (*engine.Dataset, error) {
	r.Keep(rows)
	var keys [][]byte
	in := make([]int64, rows.Partitions())
	err := rows.Map(onlyKeys.With(struct{}{})).Collect(ctx, func(p int, row engine.Row) error {
		if row.Bytes[0] == CountRow {
			return r.Count(row.Bytes)
		}
		for left := row.Bytes; len(left) > 0; in[p]++ {
			head, size, err := keyOf(left)
			if err != nil {
				return err
			}
			keys = append(keys, head[len(head)-size:])
			left = left[len(head):]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	a, err := arrange(keys, in)
	if err != nil {
		return nil, err
	}
	return rows.Map(onlyItems.With(struct{}{})).IndexCounted(in).Exchange(a), nil
}

// Keep keeps rows that more than one job reads, until Close.
func (r *Run) Keep(rows *engine.Dataset) {
	r.kept = append(r.kept, rows.Persist(engine.MemoryAndDisk))
}

// Close releases the kept rows. Datasets of Rest can still be computed, from the beginning.
func (r *Run) Close() {
	for _, rows := range r.kept {
		rows.Unpersist()
	}
	r.kept = nil
}
