package transform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/parts"
	"github.com/dl4go/dl4go/pipeline"
)

// onWorkers is a run of a pipeline on an engine: see package parts.
type onWorkers struct {
	engine engine.Engine
	plan   *pipeline.Plan
	run    parts.Run
	bad    *source.BadRows
	table  *distributed.RawTable
	unused []string // columns
	sum    Summary
}

// textRow marks a row with lines of a file: the number of lines in 8 bytes, and the lines. Package parts has the other
// marks.
const textRow = 't'

// counts are a partition's figures, which it sends beside its items.
type counts struct {
	In, Skipped int
	Bad         []string `json:",omitempty"` // the errors of the first rows that were skipped
}

// filePartitions is the number of partitions of files for each slot of an engine. The driver holds the results of only
// a few partitions in memory.
const filePartitions = 16

// openOnWorkers opens the data on an engine. Its workers read the data if they can.
func (r *running) openOnWorkers(ctx context.Context, e engine.Engine) (*onWorkers, error) {
	w := &onWorkers{engine: e, bad: r.Bad}
	open := w.open
	if r.join != nil {
		open = w.joinOn
	}
	err := open(ctx, r)
	if err == nil {
		w.plan = r.plan
		w.run.Count = w.count
		w.run.Steps, err = parts.Of(r.pipeline)
	}
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// open opens a single table.
func (w *onWorkers) open(ctx context.Context, r *running) (err error) {
	e, n, in := w.engine, r.Data, r.plan.In()
	if distributed.WorkersReadRaw(e, n) {
		o := distributed.RawOptions{As: []*pipeline.Schema{in}, PartitionRows: distributed.PieceRows, Filter: r.pipeline}
		if !distributed.NeedsEngine(n) {
			o.Partitions = filePartitions * e.Slots()
		}
		if w.table, err = distributed.OpenRaw(ctx, e, n, o); err != nil {
			return fmt.Errorf("data source %s: %w", n, err)
		}
		w.unused = w.table.Unused()
		_, _, err = source.Match(source.NoRows(w.table.Schema()), in)
		return err
	}
	rows, unused, err := r.open(ctx)
	if err != nil {
		return err
	}
	defer rows.Close()
	w.unused = unused
	w.table, err = distributed.SendRaw(e, rows, w.bad.Allow)
	w.sum.In, w.sum.Skipped = w.bad.Skipped, w.bad.Skipped
	return err
}

// items returns the rows that the pipeline produces, with counts among them. If the pipeline has only one part, and
// lines are asked for, the rows are lines already.
func (w *onWorkers) items(ctx context.Context, lines linesOf) (*engine.Dataset, error) {
	conf := firstConf{Steps: w.run.Steps, Limit: w.bad.Limit, Ragged: w.bad.Ragged}
	if !w.several() {
		conf.linesOf = lines
	}
	rows, err := runFirst.On(w.table, conf)
	if err != nil {
		return nil, err
	}
	return w.run.Rest(ctx, w.plan, rows)
}

// close releases cached rows.
func (w *onWorkers) close() {
	w.run.Close()
	if w.table != nil {
		w.table.Close()
	}
}

// count adds the counts of a partition.
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

// firstConf describes the first part of a pipeline, and the handling of bad rows.
type firstConf struct {
	parts.Steps
	linesOf
	Limit  int
	Ragged bool
}

// runFirst runs the first part of a pipeline on raw rows.
var runFirst = distributed.RegisterRaw("transform.first",
	func(t *engine.Task, conf firstConf, each func(func(source.Rows) error) error, out engine.Writer) error {
		part, _, err := conf.Load()
		if err != nil {
			return err
		}
		sink, err := conf.Sink(out)
		if err != nil {
			return err
		}
		write := sink.Write
		flush := func() error { return nil }
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
				Rows: rows, Bad: bad, Check: sink.Check, Write: write}
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
		return out.Write(engine.Unindexed(append([]byte{parts.CountRow}, b...)))
	})
