// Package transform runs the rows of a table through a pipeline, into a file.
package transform

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
)

// Job is one run of a pipeline.
type Job struct {
	// Start begins a run: that of a plan, or of a part of one.
	Start func(emit func(pipeline.Item) error) *pipeline.Run
	// Rows are the data, in the columns that the run takes: see [Open].
	Rows source.Rows
	// Check, if not nil, refuses an item that comes out. The row that it was made of is a bad one then.
	Check func(pipeline.Item) error
	// Write takes what comes out, and owns it.
	Write func(pipeline.Item) error
	// Bad decides what becomes of rows that cannot be read, or that a step refuses. Nil refuses the first one.
	Bad *source.BadRows
	// Progress, if not nil, is called with each number of rows that were read.
	Progress func(rows int)
}

// Summary counts rows, or sequences.
type Summary struct {
	In      int // that were read, those that were skipped included
	Out     int // that were written
	Skipped int // that could not be read, or that a step refused
}

// Notices say which rows were skipped, and whether none is left.
func (s Summary) Notices(bad *source.BadRows) (notices []string) {
	if skipped := bad.Notice(); skipped != "" {
		notices = append(notices, skipped)
	}
	if s.Out == 0 && s.In > s.Skipped {
		notices = append(notices, "the pipeline leaves none of its rows; see its filters")
	}
	return notices
}

// Open opens the rows of a table in the columns that a pipeline takes in, by their names. Unused are the names of other
// columns that the table has.
func Open(ctx context.Context, n source.Name, p *pipeline.Plan) (rows source.Rows, unused []string, err error) {
	opened, err := source.OpenRows(ctx, n, source.RowOptions{Columns: p.In().Names(), As: p.In()})
	if err != nil {
		return nil, nil, err
	}
	rows, unused, err = source.Match(opened, p.In())
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", n, err), opened.Close())
	}
	return rows, unused, nil
}

// progressRows is how many rows lie between two reports, and two looks at the context.
const progressRows = 1000

// Run reads all rows, and writes what comes of them. Rows are held in memory by steps that gather alone.
func (j *Job) Run(ctx context.Context) (Summary, error) {
	var s Summary
	bad := j.Bad
	if bad == nil {
		bad = &source.BadRows{}
	}
	var writing error // an error of Write is none of a row
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
	before := bad.Skipped
	for {
		if s.In%progressRows == 0 && s.In > 0 {
			if err := ctx.Err(); err != nil {
				return s, err
			}
			if j.Progress != nil {
				j.Progress(progressRows)
			}
		}
		item, err := j.Rows.Next()
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
		j.Progress(s.In % progressRows)
	}
	if err := ctx.Err(); err != nil {
		return s, err
	}
	return s, run.Close()
}
