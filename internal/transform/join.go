package transform

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
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

// openJoin reads the join and the right table.
func (s *Settings) openJoin(ctx context.Context) (*joinedRows, error) {
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
	left, err := openSide(ctx, s.Data, j.Left)
	if err != nil {
		return nil, err
	}
	other, _ := s.Right.TakeBadRows("ragged") // the setting of both tables
	right, err := openSide(ctx, other, j.Right)
	if err != nil {
		return nil, errors.Join(err, left.Close())
	}
	r, err := s.join(ctx, j, left, right)
	if err = errors.Join(err, right.Close()); err != nil {
		return nil, errors.Join(err, left.Close())
	}
	return r, nil
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

// join binds the join and reads all rows of the right table.
func (s *Settings) join(ctx context.Context, j *pipeline.Join, left, right source.Rows) (*joinedRows, error) {
	plan, err := j.Bind(left.Schema(), right.Schema())
	if err != nil {
		return nil, &SettingError{"join", fmt.Errorf("%s: %w", s.Join, err)}
	}
	r := &joinedRows{left: left, schema: plan.Out()}
	r.run = plan.Start(func(row pipeline.Row) error {
		r.ready = append(r.ready, row)
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
			return r, nil
		}
		if err == nil {
			err = r.run.PushRight(item.Row)
		}
		if err != nil {
			if err = s.Bad.Allow(err); err != nil {
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
	if r.joined == nil {
		return Open(ctx, r.Data, r.plan)
	}
	if rows, unused, err = source.Match(r.joined, r.plan.In()); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.Join, err)
	}
	return rows, unused, nil
}
