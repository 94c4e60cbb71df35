package transform

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

// joinedRows are the rows of a join. They are produced while the left rows are read.
type joinedRows struct {
	left   source.Rows
	schema *pipeline.Schema
	run    *pipeline.JoinRun
	ready  []pipeline.Row
	next   int
	ended  bool // there are no more left rows
}

// readJoin reads the join, and checks that its tables can be joined.
func (s *Settings) readJoin(ctx context.Context) (*pipeline.Join, error) {
	if distributed.NeedsEngine(s.Right) {
		return nil, &SettingError{"right", fmt.Errorf("%s: data is joined by its query; write JOIN in it", s.Right.Kind)}
	}
	text, err := storage.ReadFile(ctx, s.Join)
	if err != nil {
		return nil, &SettingError{"join", err}
	}
	j, err := pipeline.ParseJoin(text)
	if err != nil {
		return nil, &SettingError{"join", fmt.Errorf("%s: %w", s.Join, err)}
	}
	s.Right, _ = s.Right.TakeBadRows("ragged") // the setting of both tables
	return j, nil
}

// openJoin opens both tables, and reads the right one.
func (r *running) openJoin(ctx context.Context) (*joinedRows, error) {
	left, err := openSide(ctx, r.Data, r.join.Left)
	if err != nil {
		return nil, err
	}
	right, err := openSide(ctx, r.Right, r.join.Right)
	if err != nil {
		return nil, errors.Join(err, left.Close())
	}
	joined, err := r.joinRows(ctx, left, right)
	if err = errors.Join(err, right.Close()); err != nil {
		return nil, errors.Join(err, left.Close())
	}
	return joined, nil
}

// openSide opens a table of a join. With a schema, columns are found by name.
func openSide(ctx context.Context, n source.Name, as *pipeline.Schema) (source.Rows, error) {
	if as == nil {
		return source.OpenRows(ctx, n, source.RowOptions{})
	}
	rows, err := source.OpenRows(ctx, n, source.RowOptions{Columns: as.Names(), As: as})
	if err != nil {
		return nil, err
	}
	matched, _, err := source.Match(rows, as)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", n, err), rows.Close())
	}
	return &typedRows{matched, as}, nil
}

// typedRows are rows whose columns have the types of a schema.
type typedRows struct {
	source.Rows
	schema *pipeline.Schema
}

func (r *typedRows) Schema() *pipeline.Schema { return r.schema }

// joinRows binds the join and reads all rows of the right table.
func (r *running) joinRows(ctx context.Context, left, right source.Rows) (*joinedRows, error) {
	plan, err := r.join.Bind(left.Schema(), right.Schema())
	if err != nil {
		return nil, &SettingError{"join", fmt.Errorf("%s: %w", r.Join, err)}
	}
	j := &joinedRows{left: left, schema: plan.Out()}
	j.run = plan.Start(func(row pipeline.Row) error {
		j.ready = append(j.ready, row)
		return nil
	})
	for n := 0; ; n++ {
		if n%progressRows == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		item, err := right.Next()
		if err == io.EOF {
			return j, nil
		}
		if err == nil {
			err = j.run.PushRight(item.Row)
		}
		if err != nil {
			if err = r.Bad.Allow(err); err != nil {
				return nil, err
			}
		}
	}
}

func (r *joinedRows) Schema() *pipeline.Schema { return r.schema }

// Place returns the place of the left row.
func (r *joinedRows) Place() string {
	if r.ended {
		return "a right row without a partner"
	}
	return r.left.Place()
}

func (r *joinedRows) Close() error { return r.left.Close() }

// Next returns the next row of the join.
func (r *joinedRows) Next() (item pipeline.Item, err error) {
	for r.next == len(r.ready) {
		r.ready, r.next = r.ready[:0], 0
		if r.ended {
			return item, io.EOF
		}
		if item, err = r.left.Next(); err == io.EOF {
			r.ended = true
			err = r.run.Close()
		} else if err == nil {
			err = r.run.PushLeft(item.Row)
		}
		if err != nil {
			return pipeline.Item{}, err
		}
	}
	r.next++
	return pipeline.Item{Row: r.ready[r.next-1]}, nil
}

// open opens the rows, with the pipeline's input columns. It also returns the columns that the pipeline does not use.
func (r *running) open(ctx context.Context) (rows source.Rows, unused []string, err error) {
	if r.join == nil {
		return Open(ctx, r.Data, r.plan)
	}
	joined, err := r.openJoin(ctx)
	if err != nil {
		return nil, nil, err
	}
	if rows, unused, err = r.ofJoin(joined); err != nil {
		return nil, nil, errors.Join(err, joined.Close())
	}
	return rows, unused, nil
}

// ofJoin returns the rows of a join with the pipeline's input columns. Without a pipeline, they are the result.
func (r *running) ofJoin(joined source.Rows) (rows source.Rows, unused []string, err error) {
	if r.pipeline == nil {
		r.pipeline = &pipeline.Pipeline{Initial: *joined.Schema()}
		if r.plan, err = r.pipeline.Bind(); err != nil {
			return nil, nil, &SettingError{"join", err}
		}
	}
	if rows, unused, err = source.Match(joined, r.plan.In()); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.Join, err)
	}
	return rows, unused, nil
}

// joinOn joins the tables. Only skipped rows of the left one count, as in one process.
func (w *onWorkers) joinOn(ctx context.Context, r *running) error {
	right, err := r.sideOn(ctx, w.engine, r.Right, r.join.Right)
	if err != nil {
		return err
	}
	before := r.Bad.Skipped
	left, err := r.sideOn(ctx, w.engine, r.Data, r.join.Left)
	if err != nil {
		return err
	}
	skipped := r.Bad.Skipped - before
	j := *r.join
	if j.Left == nil {
		j.Left = left.Schema()
	}
	if j.Right == nil {
		j.Right = right.Schema()
	}
	plan, err := j.Bind(j.Left, j.Right)
	if err != nil {
		return &SettingError{"join", fmt.Errorf("%s: %w", r.Join, err)}
	}
	if _, w.unused, err = r.ofJoin(source.NoRows(plan.Out())); err != nil {
		return err
	}
	if w.table, err = distributed.JoinRaw(ctx, &j, left, right, r.Bad); err != nil {
		return err
	}
	skipped += w.table.Lost()
	w.sum.In, w.sum.Skipped = skipped, skipped
	return nil
}

// sideOn opens a table of a join on an engine. Its workers read the table if they can.
func (r *running) sideOn(ctx context.Context, e engine.Engine, n source.Name, as *pipeline.Schema) (
	*distributed.RawTable, error) {
	if !distributed.WorkersReadRaw(e, n) {
		rows, err := openSide(ctx, n, as)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		return distributed.SendRaw(e, rows, r.Bad.Allow)
	}
	o := distributed.RawOptions{Partitions: filePartitions * e.Slots()}
	if as != nil {
		o.As = []*pipeline.Schema{as}
	}
	t, err := distributed.OpenRaw(ctx, e, n, o)
	if err != nil {
		return nil, fmt.Errorf("data source %s: %w", n, err)
	}
	return t, nil
}
