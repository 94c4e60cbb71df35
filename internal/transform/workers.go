package transform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
)

// onWorkers is a run of a pipeline on an engine. The workers run the steps up to the first one that gathers on the rows
// as they read them. The items that come out move between the workers before each step that gathers: the driver sees
// their keys alone. Rows of the engine are items, or, beside them, counts of a partition.
type onWorkers struct {
	engine engine.Engine
	plan   *pipeline.Plan
	steps  stepsText
	bad    *source.BadRows
	table  *distributed.RawTable
	unused []string // columns
	kept   []*engine.Dataset
	sum    Summary
}

// stepsText is a pipeline for workers, and one of its parts.
type stepsText struct {
	Pipeline []byte // DataVec's JSON
	Part     int
}

// part is the part of the pipeline.
func (s stepsText) part() (part pipeline.Part, parts int, err error) {
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

// Rows of the engine begin with what they are.
const (
	itemRow  = 'i' // pipeline.AppendItem
	countRow = 'c' // counts, in JSON
	textRow  = 't' // lines of a file, and a number of rows in 8 bytes before them
)

// counts are what a partition tells beside its items.
type counts struct {
	In, Skipped int
	Bad         []string `json:",omitempty"` // the errors of the first rows that were skipped
}

// filePartitions is in how many partitions files are for each slot of an engine, if they are so many: results of a few
// partitions are in the driver's memory.
const filePartitions = 16

// openOnWorkers opens the data on an engine, whose workers read it where they can.
func openOnWorkers(ctx context.Context, e engine.Engine, p *pipeline.Pipeline, plan *pipeline.Plan, n source.Name,
	bad *source.BadRows) (*onWorkers, error) {
	text, err := p.JSON()
	if err != nil {
		return nil, err
	}
	w := &onWorkers{engine: e, plan: plan, steps: stepsText{Pipeline: text}, bad: bad}
	if distributed.WorkersReadRaw(e, n) {
		o := distributed.RawOptions{As: []*pipeline.Schema{plan.In()}, PartitionRows: distributed.PieceRows}
		if !distributed.NeedsEngine(n) {
			o.Partitions = filePartitions * e.Slots()
		}
		if w.table, err = distributed.OpenRaw(ctx, e, n, o); err != nil {
			return nil, fmt.Errorf("data source %s: %w", n, err)
		}
		w.unused = w.table.Unused()
		_, _, err = source.Match(source.NoRows(w.table.Schema()), plan.In())
		return w, err
	}
	rows, unused, err := Open(ctx, n, plan)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	w.unused = unused
	w.table, err = distributed.SendRaw(e, rows, bad.Allow)
	w.sum.In, w.sum.Skipped = bad.Skipped, bad.Skipped
	return w, err
}

// items are what comes out of the pipeline, and counts among them. Of a pipeline of one part they are lines already,
// if these are asked for.
func (w *onWorkers) items(ctx context.Context, lines linesOf) (*engine.Dataset, error) {
	conf := firstConf{stepsText: w.steps, Limit: w.bad.Limit, Ragged: w.bad.Ragged}
	if !w.several() {
		conf.linesOf = lines
	}
	rows, err := runFirst.On(w.table, conf)
	if err != nil {
		return nil, err
	}
	for k, part := range w.plan.Parts() {
		if k == 0 {
			continue
		}
		if rows, err = w.arrange(ctx, rows, part, k); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// arrange moves items to the partitions where a part's first step needs them, and runs the part.
func (w *onWorkers) arrange(ctx context.Context, rows *engine.Dataset, part pipeline.Part, k int) (*engine.Dataset,
	error) {
	w.keep(rows)
	steps := w.steps
	steps.Part = k
	var keys [][]byte
	in := make([]int64, rows.Partitions())
	err := rows.Map(runKeys.With(steps)).Collect(ctx, func(p int, row engine.Row) error {
		if row.Bytes[0] == countRow {
			return w.count(row.Bytes)
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

// keep has rows kept that more than one job reads.
func (w *onWorkers) keep(rows *engine.Dataset) {
	w.kept = append(w.kept, rows.Persist(engine.MemoryAndDisk))
}

// close drops what was kept.
func (w *onWorkers) close() {
	for _, rows := range w.kept {
		rows.Unpersist()
	}
}

// count takes the counts of a partition.
func (w *onWorkers) count(row []byte) error {
	var c counts
	if err := json.Unmarshal(row[1:], &c); err != nil {
		return err
	}
	w.sum.In += c.In
	w.sum.Skipped += c.Skipped
	w.bad.Count(c.Skipped, c.Bad)
	if w.bad.Limit > 0 && w.bad.Skipped > w.bad.Limit {
		return fmt.Errorf("%w; --bad-rows skip:%d allows no more", w.bad.First[len(w.bad.First)-1], w.bad.Limit)
	}
	return nil
}

// firstConf is the first part of a pipeline, and what becomes of bad rows.
type firstConf struct {
	stepsText
	linesOf
	Limit  int
	Ragged bool
}

// runFirst runs the first part of a pipeline on raw rows.
var runFirst = distributed.RegisterRaw("transform.first",
	func(t *engine.Task, conf firstConf, each func(func(source.Rows) error) error, out engine.Writer) error {
		part, parts, err := conf.part()
		if err != nil {
			return err
		}
		check := func(i pipeline.Item) error { return nil }
		if parts > 1 { // what the next step would refuse has its place here
			next := conf.stepsText
			next.Part = 1
			after, _, err := next.part()
			if err != nil {
				return err
			}
			key, last := after.Key(), []byte(nil)
			check = func(i pipeline.Item) (err error) { last, err = key(last[:0], i); return err }
		}
		write, flush := func(i pipeline.Item) error {
			return out.Write(engine.Unindexed(pipeline.AppendItem([]byte{itemRow}, i)))
		}, func() error { return nil }
		if conf.Format != "" {
			w, err := conf.writer(part.Out(), out)
			if err != nil {
				return err
			}
			write, flush = w.write, w.flush
		}
		bad, read := &source.BadRows{Limit: conf.Limit, Ragged: conf.Ragged}, 0
		err = each(func(rows source.Rows) error {
			rows, _, err := source.Match(rows, part.In())
			if err != nil {
				return engine.Permanent(err)
			}
			job := &Job{Start: func(emit func(pipeline.Item) error) *pipeline.Run { return part.Start(0, emit) },
				Rows: rows, Bad: bad, Check: check, Write: write}
			sum, err := job.Run(t.Context())
			read += sum.In
			return err
		})
		if err != nil {
			if row := (*source.RowError)(nil); errors.As(err, &row) {
				err = engine.Permanent(err)
			}
			return err
		}
		if err := flush(); err != nil {
			return err
		}
		c := counts{In: read, Skipped: bad.Skipped}
		for _, err := range bad.First {
			c.Bad = append(c.Bad, err.Error())
		}
		b, err := json.Marshal(c)
		if err != nil {
			return err
		}
		return out.Write(engine.Unindexed(append([]byte{countRow}, b...)))
	})

// eachItem gives do the items of a partition. Counts go on, unless out is nil.
func eachItem(in engine.Rows, out engine.Writer, do func(pipeline.Item) error) error {
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		if row.Bytes[0] == countRow {
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

// runKeys gives the key of each item that comes to a part.
var runKeys = engine.Register("transform.keys",
	func(_ *engine.Task, conf stepsText, in engine.Rows, out engine.Writer) error {
		part, _, err := conf.part()
		if err != nil {
			return err
		}
		key := part.Key()
		return eachItem(in, out, func(i pipeline.Item) error {
			b, err := key([]byte{itemRow}, i)
			if err != nil {
				return engine.Permanent(err)
			}
			return out.Write(engine.Unindexed(b))
		})
	})

// onlyItems leaves out the counts.
var onlyItems = engine.Register("transform.items",
	func(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
		for row, err := range engine.All(in) {
			if err != nil {
				return err
			}
			if row.Bytes[0] != itemRow {
				continue
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
		return nil
	})

// partConf is a part of a pipeline, and where the partitions end that come to it.
type partConf struct {
	stepsText
	Ends []int
}

// runPart runs a part of a pipeline on items that were arranged for it.
var runPart = engine.Register("transform.part",
	func(t *engine.Task, conf partConf, in engine.Rows, out engine.Writer) error {
		part, _, err := conf.part()
		if err != nil {
			return err
		}
		before := int64(0)
		if t.Partition > 0 {
			before = int64(conf.Ends[t.Partition-1])
		}
		var writing error
		run := part.Start(before, func(i pipeline.Item) error {
			writing = out.Write(engine.Unindexed(pipeline.AppendItem([]byte{itemRow}, i)))
			return writing
		})
		err = eachItem(in, out, run.Push)
		if err == nil {
			err = run.Close()
		}
		if err != nil && writing == nil {
			err = engine.Permanent(err)
		}
		return err
	})
