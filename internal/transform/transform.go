// Package transform runs the rows of a table through a pipeline, and writes the result to a file or a table.
package transform

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

// Job is one run of a pipeline.
type Job struct {
	// Start begins a run of a plan, or of a part of one.
	Start func(emit func(pipeline.Item) error) *pipeline.Run
	// Rows are the data, with the columns that the run takes: see [Open].
	Rows source.Rows
	// Check, if not nil, can refuse a result. The row that it was made of then counts as a bad one.
	Check func(pipeline.Item) error
	// Write takes a result, and owns it.
	Write func(pipeline.Item) error
	// Bad decides about rows that cannot be read, or that a step refuses. If it is nil, the first one is an error.
	Bad *source.BadRows
	// Progress, if not nil, is called with the number of rows read since the last call.
	Progress func(rows int)
}

// Summary counts rows, or sequences.
type Summary struct {
	In      int // read, including skipped ones
	Out     int // written
	Skipped int // could not be read, or were refused by a step
}

// Notices tell which rows were skipped, and whether no row is left.
func (s Summary) Notices(bad *source.BadRows) (notices []string) {
	if skipped := bad.Notice(); skipped != "" {
		notices = append(notices, skipped)
	}
	if s.Out == 0 && s.In > s.Skipped {
		notices = append(notices, "the pipeline leaves none of its rows; see its filters")
	}
	return notices
}

// Open opens the rows of a table, with the columns that a pipeline takes, found by name. unused are the names of the
// table's other columns.
func Open(ctx context.Context, n source.Name, p *pipeline.Plan) (rows source.Rows, unused []string, err error) {
	o := source.RowOptions{Columns: p.In().Names(), As: p.In(), Unopened: true}
	if p.BeginsWithFilter() {
		o.Removes = p.RemovesAll
	}
	opened, err := source.OpenRows(ctx, n, o)
	if err != nil {
		return nil, nil, err
	}
	rows, unused, err = source.Match(opened, p.In())
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", n, err), opened.Close())
	}
	return rows, unused, nil
}

// progressRows is the number of rows between two reports, and between two checks of the context.
const progressRows = 1000

// Run reads all rows, and writes the results. Only steps that gather hold rows in memory. If the context watches files
// and a file of the rows changes meanwhile, Run fails with a storage.ChangedError.
func (j *Job) Run(ctx context.Context) (Summary, error) {
	s, err := j.run(ctx)
	if changed := storage.Unchanged(ctx); changed != nil {
		err = changed
	}
	return s, err
}

func (j *Job) run(ctx context.Context) (Summary, error) {
	var s Summary
	bad := j.Bad
	if bad == nil {
		bad = &source.BadRows{}
	}
	var writing error // an error of Write is not the row's
	run := j.Start(func(i pipeline.Item) error {
		if j.Check != nil {
			if err := j.Check(i); err != nil {
				return err
			}
		}
		s.Out++
		writing = j.Write(i)
		return writing
	})
	before, told := bad.Skipped, 0
	for {
		if s.In-told >= progressRows {
			if err := ctx.Err(); err != nil {
				return s, err
			}
			if j.Progress != nil {
				j.Progress(s.In - told)
			}
			told = s.In
		}
		item, err := j.Rows.Next()
		s.In += source.Passed(j.Rows)
		if err == io.EOF {
			break
		}
		s.In++
		if err == nil {
			if err = run.Push(item); err != nil && writing == nil {
				err = &source.RowError{Err: fmt.Errorf("%s: %w", j.Rows.Place(), err)}
			}
		}
		if err != nil {
			if err = bad.Allow(err); err != nil {
				return s, err
			}
		}
		s.Skipped = bad.Skipped - before
	}
	if j.Progress != nil {
		j.Progress(s.In - told)
	}
	if err := ctx.Err(); err != nil {
		return s, err
	}
	return s, run.Close()
}
