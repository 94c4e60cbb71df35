// Package parts runs the parts of a pipeline on the workers of an engine. The workers run the steps before the first
// step that gathers on the rows that they read. Before each step that gathers, the items move between the workers; the
// driver sees only their keys. See [pipeline.Part].
package parts

import (
	"context"

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

// Check returns a function that refuses an item as the step after the part would. So the error is found where the
// item's place is known. The function is for one goroutine.
func (s Steps) Check() (func(pipeline.Item) error, error) {
	_, parts, err := s.Load()
	if err != nil || s.Part+1 >= parts {
		return func(pipeline.Item) error { return nil }, err
	}
	next, _, err := s.At(s.Part + 1).Load()
	if err != nil {
		return nil, err
	}
	key, last := next.Key(), []byte(nil)
	return func(i pipeline.Item) (err error) { last, err = key(last[:0], i); return err }, nil
}

// Rows of the engine are items or counts of a partition. Their first byte is one of these.
const (
	ItemRow  = 'i' // pipeline.AppendItem
	CountRow = 'c' // figures of the first part
)

// WriteItem writes the row of an item.
func WriteItem(out engine.Writer, i pipeline.Item) error {
	return out.Write(engine.Unindexed(pipeline.AppendItem([]byte{ItemRow}, i)))
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
		item, err := pipeline.ReadItem(row.Bytes[1:])
		if err != nil {
			return engine.Permanent(err)
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
	r.Keep(rows)
	var keys [][]byte
	in := make([]int64, rows.Partitions())
	err := rows.Map(runKeys.With(steps)).Collect(ctx, func(p int, row engine.Row) error {
		if row.Bytes[0] == CountRow {
			return r.Count(row.Bytes)
		}
		keys = append(keys, row.Bytes[1:])
		in[p]++
		return nil
	})
	if err != nil {
		return nil, err
	}
	order, ends, err := part.Arrange(keys, rows.Partitions())
	if err != nil {
		return nil, err
	}
	moved := rows.Map(onlyItems.With(struct{}{})).IndexCounted(in).Exchange(engine.Assignment{Order: order, Ends: ends})
	return moved.Map(runPart.With(partConf{steps, ends})), nil
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
