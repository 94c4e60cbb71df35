package spark

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/tracing"
	"github.com/dl4go/dl4go/internal/worker"
)

// job is one evaluation of a data set.
type job struct {
	*carrier
	engine  *Engine
	ctx     context.Context
	name    string
	number  int                          // of the attempt, from 1
	views   []string                     // to be dropped at its end
	values  []*broadcast                 // to be released at its end
	kept    map[*engine.Dataset]*keeping // used by the attempt
	from    []*keeping                   // tables from which this job itself is made
	starts  map[*engine.Dataset][]int64  // of Indexed data sets
	fetched map[string]bool              // directories whose files workers read themselves
	tasks   int                          // of all queries so far

	compiles bool // see compile

	keeps   bool // it makes a table that many queries read
	ordered bool // results are read in the order of partitions
	endless bool // some of its tasks are resident
	fragile bool // made from checkpoints; a lost executor takes some of them with it
}

// do runs a job. It calls attempt again after a failure of an operation, up to Options.Attempts times. Data that the
// failed attempt has kept is used again.
func (e *Engine) do(ctx context.Context, attempt func(j *job) error) (err error) {
	if err := e.enter(); err != nil {
		return err
	}
	defer e.jobs.Done()
	if ctx.Err() != nil {
		return fmt.Errorf("the job on %s was given up: %w", e.Master(), context.Cause(ctx))
	}
	ctx, end := tracing.Start(ctx, "job", "master", e.Master())
	defer func() { end(err) }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(e.base, func() { cancel(errClosed) })()
	starts := make(map[*engine.Dataset][]int64)
	var executors ending
	for number := 1; ; number++ {
		j := &job{engine: e, ctx: ctx, number: number, kept: make(map[*engine.Dataset]*keeping), starts: starts,
			fetched: make(map[string]bool)}
		err := j.once(attempt)
		if executors.outlast(ctx, err) {
			e.options.Log.Warn("an executor that is ending refused tasks; the job begins again", "master", e.Master(),
				"error", err)
			number--
			continue
		}
		if ctx.Err() == nil && j.files().unfetched(err) {
			j.forget(err)
			number--
			continue
		}
		again, partition := repeatable(err)
		if !again || number >= e.options.Attempts || ctx.Err() != nil {
			return j.explain(err)
		}
		e.options.Log.Warn("a task has failed; it is tried again", "master", e.Master(), "partition", partition,
			"attempt", number, "error", err)
		j.forget(err)
	}
}

// enter makes Close wait for e.jobs.Done. It fails if the engine is closed.
func (e *cluster) enter() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := context.Cause(e.base); err != nil {
		return err
	}
	e.jobs.Add(1)
	return nil
}

// repeatable reports whether another attempt may succeed, and which partition failed: after a failure of an operation,
// or if a worker's output changed on its way.
func repeatable(err error) (again bool, partition int) {
	var failure *worker.Failure
	var output *worker.OutputError
	var garbled *worker.FramingError
	switch {
	case errors.As(err, &failure):
		return !failure.Permanent, failure.Partition
	case errors.As(err, &output):
		return true, output.Partition
	}
	return errors.As(err, &garbled) || lostRows(err) || unheard(err), -1
}

// unheard reports whether a query failed because a worker took this driver for dead.
func unheard(err error) bool {
	var spark *connect.Error
	if !errors.As(err, &spark) {
		return false
	}
	f, ok := worker.ParseCause(spark.Error())
	return ok && strings.Contains(f.Cause, worker.ErrGivenUp.Error()) && !strings.Contains(f.Cause, sessionEnded)
}

// deadline returns when a query must have ended, even if a worker was stopped and can't end itself: each of a slot's
// tasks, one after the other, has its own deadline.
func (j *job) deadline() time.Duration {
	if j.endless {
		return connect.Endless
	}
	o := j.engine.options
	return time.Duration(2+j.tasks/max(1, j.engine.slots)) * (o.TaskDeadline + o.StopGrace)
}

// once runs one attempt.
func (j *job) once(attempt func(j *job) error) error {
	e := j.engine
	c, err := e.acquire(j.ctx)
	if err != nil {
		return err
	}
	defer c.release()
	j.carrier, j.name = c, e.unique("j")
	defer j.leave()
	defer j.interpret()
	if err = c.want(j.ctx, j.name); err == nil {
		err = attempt(j)
	}
	after, cancel := cleanup(j.ctx)
	defer cancel()
	e.unwant(j.name)
	if err != nil { // workers may still be running
		if err := e.tell(after); err != nil {
			e.options.Log.Warn("workers of a job that was given up may still run, until their deadline", "master", e.Master(),
				"deadline", e.options.TaskDeadline, "error", err)
		}
	}
	c.left("views of a job that is over", c.dropAll(after, j.views))
	for _, v := range j.values {
		v.Release()
	}
	return err
}

// task makes one partition of a data set from a partition of a table, by the links.
type task struct {
	from, output int
	links        []worker.Link
}

func identity(need []int) []task {
	tasks := make([]task, len(need))
	for i, p := range need {
		tasks[i] = task{from: p, output: p}
	}
	return tasks
}

// lines returns a query for the workers' output when they make these partitions of a data set.
func (j *job) lines(d *engine.Dataset, need []int) (query, error) {
	t, tasks, err := j.planner().plan(d, need)
	if err != nil {
		return "", err
	}
	return j.transform(t, tasks)
}

// transform returns a query for the workers' output when they do the tasks.
func (j *job) transform(t table, tasks []task) (query, error) {
	// A partition of the table that is needed twice is read twice.
	var rounds [][]task
	times := make(map[int]int)
	for _, task := range tasks {
		n := times[task.from]
		times[task.from]++
		if n == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[n] = append(rounds[n], task)
	}
	var all query
	for i, round := range rounds {
		q, err := j.round(t, round)
		if err != nil {
			return all, err
		}
		if i == 0 {
			all = q
		} else {
			all = sqlf("%s UNION ALL %s", all, q)
		}
	}
	return all, nil
}

// round returns a query in which workers do these tasks, which read different partitions.
func (j *job) round(t table, tasks []task) (query, error) {
	e := j.engine
	values, sums := e.broadcasts()
	released := e.releasedTask()
	level := slog.LevelInfo
	if e.options.Log.Enabled(j.ctx, slog.LevelDebug) {
		level = slog.LevelDebug
	}
	j.tasks += len(tasks)
	var from []int
	var keys []int64
	var jobs worker.JobTexts
	for _, task := range tasks {
		w := worker.Task{Job: j.name, Number: j.number, Answer: true, LogRows: true, Heartbeat: e.heartbeatTask(),
			Threads: e.options.Threads, Deadline: e.options.TaskDeadline, Grace: e.options.StopGrace, Log: level,
			Links: task.links, Broadcasts: values, Sums: sums, Released: released, Build: e.program.Compared(),
			Output: &task.output, Header: true}
		if t.shape != nil {
			t.shape(task.from, &w)
		}
		if w.Resident() {
			// Its failure can't wait for the other tasks' end, as an answer does: Spark repeats the task.
			w.Deadline, w.Answer, j.endless = 0, false, true
		}
		if err := jobs.Add(w); err != nil {
			return "", err
		}
		from, keys = append(from, task.from), append(keys, int64(task.from))
	}
	shared, own, err := jobs.Texts()
	if err != nil {
		return "", err
	}
	// The unique name of the job also keeps Spark from treating two queries as one: it compares with persisted queries
	// of all sessions.
	return sqlf(`SELECT TRANSFORM(line) ROW FORMAT DELIMITED FIELDS TERMINATED BY '`+"\x01"+`'
		USING '%s' AS (line STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY '`+"\x01"+`'
		FROM (SELECT IF(k = '`+place+`', concat(substring_index(line, `+tab+`, 5), `+tab+`, %s,
			element_at(%s, bigint(p))), line) AS line
		FROM (%s) WHERE p IN (%s))`,
		e.program.Command(worker.Text.Protocol()), encoded(shared),
		"map_from_arrays("+longs(keys)+", "+texts(own)+")", t.rows, in(from)), nil
}

// read runs a query for lines and passes the records to each as they come. It logs log lines.
func (j *job) read(q query, each func(worker.Record) error) error {
	var lines worker.Lines
	return j.session.Collect(j.ctx, connect.SQL(string(q)), connect.Run{Timeout: j.deadline()},
		func(b *arrow.Batch) error {
			for i := range b.Rows {
				r, err := lines.Parse(b.Columns[0].Bytes(i))
				if err != nil {
					return err
				}
				if r.Kind == worker.Log {
					j.log(r)
				} else if err := each(r); err != nil {
					return err
				}
			}
			return nil
		})
}

func (j *job) log(r worker.Record) {
	line, ok := worker.ParseLog(string(r.Data))
	if !ok {
		return
	}
	attrs := make([]any, 0, 2*len(line.Attrs))
	for _, k := range slices.Sorted(maps.Keys(line.Attrs)) {
		attrs = append(attrs, k, line.Attrs[k])
	}
	j.engine.options.Log.Log(j.ctx, line.Level, line.Message, attrs...)
}

// explain makes a WorkerError from a worker's failure.
func (j *job) explain(err error) error {
	if err == nil || j.ctx.Err() != nil || oversized(err) { // no task is the cause
		return err
	}
	var failure *worker.Failure
	if spark := (*connect.Error)(nil); errors.As(err, &spark) {
		failure, err = ended(spark)
	}
	if failure == nil && !errors.As(err, &failure) {
		return err
	}
	where := "an executor of " + j.engine.Master()
	if failure.Host != "" {
		where += " on " + failure.Host
	}
	cause := failure.Unwrap()
	w := &engine.WorkerError{Worker: where, Partition: failure.Partition, Attempt: failure.Attempt, Step: "task",
		Cause: cause}
	if step := (*engine.StepError)(nil); errors.As(cause, &step) {
		w.Step, w.Cause = step.Step, step.Cause
	}
	return w
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
