package spark

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/worker"
)

// Collect gives the rows of committed partitions.
func (e *Engine) Collect(ctx context.Context, d *engine.Dataset, each func(partition int, row engine.Row) error) error {
	if err := d.Err(); err != nil {
		return err
	}
	if last, ok := lastCombine(d); ok {
		return e.combine(ctx, last, each)
	}
	next, ready := 0, make(map[int][]engine.Row)
	return e.rows(ctx, d, func(p int, rows []engine.Row) error {
		ready[p] = rows
		for {
			rows, ok := ready[next]
			if !ok {
				return nil
			}
			delete(ready, next)
			for _, row := range rows {
				if err := each(next, row); err != nil {
					return err
				}
			}
			next++
		}
	})
}

// rows evaluates a data set and gives each partition's rows when they are committed, each partition once.
func (e *Engine) rows(ctx context.Context, d *engine.Dataset, deliver func(p int, rows []engine.Row) error) error {
	need := upTo(d.Partitions())
	done := make([]bool, len(need))
	err := e.do(ctx, func(j *job) error {
		left := need[:0]
		for _, p := range need {
			if !done[p] {
				left = append(left, p)
			}
		}
		if need = left; len(need) == 0 {
			return nil
		}
		ledger := worker.NewLedger(need, func(c engine.Commit, rows []engine.Row) error {
			done[c.Partition] = true
			if err := deliver(c.Partition, rows); err != nil {
				return &callbackError{err}
			}
			return nil
		})
		q, err := j.results(d, need)
		if err != nil {
			return err
		}
		if err := j.read(q, ledger.Add); err != nil {
			return err
		}
		return ledger.End(io.EOF)
	})
	if own := (*callbackError)(nil); errors.As(err, &own) {
		return own.error
	}
	return err
}

// callbackError is the caller's own.
type callbackError struct{ error }

// results is a query for the lines of these partitions.
func (j *job) results(d *engine.Dataset, need []int) (query, error) {
	k, err := j.keep(d)
	if err != nil {
		return query{}, err
	}
	if k != nil && k.commits != nil {
		return sqlf("SELECT IF(k = '"+place+"', concat(substring_index(line, "+tab+", 5), '\t-'), line) AS line FROM (%s) WHERE p IN (%s)", k.rows(), in(need)), nil
	}
	return j.lines(d, need)
}

// Commits evaluates d where it is.
func (e *Engine) Commits(ctx context.Context, d *engine.Dataset) (commits []engine.Commit, err error) {
	err = e.do(ctx, func(j *job) (err error) {
		commits, err = j.commits(d)
		return err
	})
	return commits, err
}

// commits evaluates a data set and reads the commits of its partitions.
func (j *job) commits(d *engine.Dataset) ([]engine.Commit, error) {
	if err := d.Err(); err != nil || d.Partitions() == 0 {
		return nil, err
	}
	k, err := j.keep(d)
	if err != nil {
		return nil, err
	}
	if k != nil && k.commits != nil {
		return k.commits, nil
	}
	lines, err := j.lines(d, upTo(d.Partitions()))
	if err != nil {
		return nil, err
	}
	commits, _, err := j.readCommits(sqlf("SELECT line FROM (%s) WHERE "+field(4)+" IN ('c', 'e', 'l')", lines), d.Partitions())
	return commits, err
}

// readCommits runs a query for the commits, failures and log lines of a data set. whole says that no row is in pieces.
func (j *job) readCommits(q query, partitions int) (commits []engine.Commit, whole bool, err error) {
	commits = make([]engine.Commit, partitions)
	has := make([]bool, partitions)
	var failed error
	whole = true
	err = j.read(q, func(r worker.Record) error {
		switch {
		case r.Partition < 0 || r.Partition >= partitions:
			return &worker.OutputError{Partition: r.Partition, Attempt: r.Attempt, Reason: worker.ErrForeign}
		case r.Kind == worker.Failed:
			f := new(worker.Failure)
			if err := json.Unmarshal(r.Data, f); err != nil {
				return err
			}
			if failed == nil || f.Permanent {
				failed = f
			}
			has[r.Partition] = true
			return nil
		case has[r.Partition]:
			var c engine.Commit
			if err := json.Unmarshal(r.Data, &c); err != nil || !c.Same(commits[r.Partition]) {
				return fmt.Errorf("partition %d came twice, with other rows: first %v, then %v", r.Partition, commits[r.Partition], c)
			}
			return nil
		}
		has[r.Partition] = true
		err := json.Unmarshal(r.Data, &commits[r.Partition])
		whole = whole && r.Seq == commits[r.Partition].Rows+1
		return err
	})
	if err == nil {
		err = failed
	}
	for p := range commits {
		if err == nil && !has[p] {
			err = &worker.OutputError{Partition: p, Reason: worker.ErrNoCommit}
		}
	}
	return commits, whole, err
}
