package spark

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
)

// Collect passes the rows of committed partitions to each.
func (e *Engine) Collect(ctx context.Context, d *engine.Dataset, each func(partition int, row engine.Row) error) error {
	if err := d.Err(); err != nil {
		return err
	}
	if last, ok := lastCombine(d); ok {
		return e.combine(ctx, last, each)
	}
	next, ready := 0, make(map[int][]engine.Row)
	return e.rows(ctx, d, true, func(p int, rows []engine.Row) error {
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

// rows evaluates a data set and delivers each partition's rows once, when they are committed. If ordered is set and
// there are many partitions, they come in about their order.
func (e *Engine) rows(ctx context.Context, d *engine.Dataset, ordered bool,
	deliver func(p int, rows []engine.Row) error) error {
	done := make([]bool, d.Partitions())
	most := len(done)
	err := e.do(ctx, func(j *job) error {
		j.ordered = ordered
		return sliced(done, &most, func(need []int) error {
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
	})
	if own := (*callbackError)(nil); errors.As(err, &own) {
		return own.error
	}
	return err
}

// callbackError is an error of the caller's function.
type callbackError struct{ error }

// results returns a query for the lines of these partitions.
func (j *job) results(d *engine.Dataset, need []int) (query, error) {
	k, err := j.keeper().keep(d)
	if err != nil {
		return "", err
	}
	if k != nil && k.commits != nil {
		lines := sqlf("SELECT IF(k = '"+place+"', concat(substring_index(line, "+tab+", 5), '\t-'), line) AS line FROM "+
			"(%s) WHERE p IN (%s)", k.rows(), in(need))
		return j.arranged(lines, d, need, k.dealt), nil
	}
	t, tasks, err := j.planner().plan(d, need)
	if err != nil {
		return "", err
	}
	lines, err := j.transform(t, tasks)
	return j.arranged(lines, d, need, t.dealt || !inOrder(tasks)), err
}

// arranged sorts lines of results by partition, if the job needs that and they are not in order: Spark moves them once
// more. The driver holds early partitions in memory, so arranged does nothing if there are few.
func (j *job) arranged(lines query, d *engine.Dataset, need []int, dealt bool) query {
	if !j.ordered || !dealt || len(need) <= 2*j.engine.slots {
		return lines
	}
	return sqlf("SELECT line FROM (%s)", j.engine.placed(sqlf("SELECT int("+field(1)+") AS p, "+field(4)+
		" AS k, line, bigint("+field(3)+") AS place, bigint(0) AS seq FROM (%s)", lines), d.Partitions(), inBlocks))
}

// inOrder reports whether the tasks' outputs are in order if the table's partitions are.
func inOrder(tasks []task) bool {
	for i := range len(tasks) - 1 {
		if tasks[i].from >= tasks[i+1].from || tasks[i].output >= tasks[i+1].output {
			return false
		}
	}
	return true
}

// Commits evaluates d in place.
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
	k, err := j.keeper().keep(d)
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
	commits, _, err := j.readCommits(sqlf("SELECT line FROM (%s) WHERE "+field(4)+" IN ('c', 'e', 'l')", lines),
		d.Partitions())
	return commits, err
}

// readCommits runs a query for the commits, failures and log lines of a data set. whole reports that no row is in
// pieces.
func (j *job) readCommits(q query, partitions int) (commits []engine.Commit, whole bool, err error) {
	t := newTally(partitions)
	if err := j.read(q, t.add); err != nil {
		return nil, false, err
	}
	return t.commits, t.whole, t.end()
}

// tally collects the commits of a data set.
type tally struct {
	commits []engine.Commit
	has     []bool // by partition: whether its commit has come
	failed  []bool // by partition: an attempt has failed, so other attempts' output does not count
	failure *worker.Failure
	whole   bool // no row is in pieces
}

func newTally(partitions int) *tally {
	return &tally{commits: make([]engine.Commit, partitions), has: make([]bool, partitions),
		failed: make([]bool, partitions), whole: true}
}

// add takes a commit or a failure. It fails if two attempts at a partition have different rows.
func (t *tally) add(r worker.Record) error {
	p := r.Partition
	if p < 0 || p >= len(t.commits) {
		return &worker.OutputError{Partition: p, Attempt: r.Attempt, Reason: worker.ErrForeign}
	}
	if r.Kind == worker.Failed {
		f := new(worker.Failure)
		if err := json.Unmarshal(r.Data, f); err != nil {
			return &worker.FramingError{Reason: "a failure that does not read: " + err.Error()}
		}
		if t.failed[p] = true; t.failure == nil || f.Permanent {
			t.failure = f
		}
		return nil
	}
	var c engine.Commit
	if err := json.Unmarshal(r.Data, &c); err != nil {
		return &worker.FramingError{Reason: "a commit that does not read: " + err.Error()}
	}
	if t.has[p] && !t.failed[p] && !c.Same(t.commits[p]) {
		return fmt.Errorf("partition %d came twice, with other rows: first %v, then %v", p, t.commits[p], c)
	}
	t.has[p], t.commits[p] = true, c
	t.whole = t.whole && r.Seq == c.Rows+1
	return nil
}

// end fails unless each partition has a commit and none has failed.
func (t *tally) end() error {
	if t.failure != nil {
		return t.failure
	}
	for p, has := range t.has {
		if !has {
			return &worker.OutputError{Partition: p, Reason: worker.ErrNoCommit}
		}
	}
	return nil
}
