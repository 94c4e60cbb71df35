package spark

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/spark/arrow"
	"github.com/dl4go/dl4go/engine/spark/connect"
	"github.com/dl4go/dl4go/engine/worker"
)

// job is one evaluation of a data set. Its views go when it ends, but for those of what is kept.
type job struct {
	engine *Engine
	ctx    context.Context
	name   string
	views  []string
	starts map[*engine.Dataset][]int64 // of Indexed data sets
}

// start begins a job, which end must follow.
func (e *Engine) start(ctx context.Context) (j *job, end func(), err error) {
	if err := context.Cause(e.base); err != nil {
		return nil, nil, err
	}
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("the job on %s was given up: %w", e.Master(), context.Cause(ctx))
	}
	e.jobs.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	unlink := context.AfterFunc(e.base, func() { cancel(errClosed) })
	j = &job{engine: e, ctx: ctx, name: e.unique("stop"), starts: make(map[*engine.Dataset][]int64)}
	return j, func() {
		unlink()
		if ctx.Err() != nil {
			j.sweep()
		}
		for _, view := range slices.Backward(j.views) {
			e.session.DropView(context.WithoutCancel(ctx), view)
		}
		cancel(nil)
		e.jobs.Done()
	}, nil
}

// heartbeat is how often a worker gives a sign of life. Spark's task sees only then that it was cancelled.
const heartbeat = 2 * time.Second

// sweep ends the workers of a job that was given up: Spark leaves them alone. They look for a file of the job's name,
// which comes to each executor with its next task.
func (j *job) sweep() {
	e := j.engine
	ctx, cancel := context.WithTimeout(context.WithoutCancel(j.ctx), e.options.StopGrace+5*heartbeat)
	defer cancel()
	err := e.session.AddArtifacts(ctx, connect.ArtifactBytes("files/stop-"+j.name, nil))
	if err == nil {
		n := 4 * e.slots
		err = e.session.Collect(ctx, connect.Range(0, int64(n), 1, n), connect.Run{}, func(*arrow.Batch) error { return nil })
	}
	if err != nil {
		e.options.Log.Warn("workers of a job that was given up may still run, until their deadline", "master", e.Master(),
			"deadline", e.options.TaskDeadline, "error", err)
	}
}

// view gives a relation a name for the job's time.
func (j *job) view(r connect.Relation) (string, error) {
	name := j.engine.unique("v")
	if err := j.engine.session.CreateView(j.ctx, name, r); err != nil {
		return "", err
	}
	j.views = append(j.views, name)
	return name, nil
}

// uploaded makes a view of rows that the driver has.
func (j *job) uploaded(b *arrow.Batch) (string, error) {
	r, err := j.engine.session.Upload(j.ctx, b)
	if err != nil {
		return "", err
	}
	return j.view(r)
}

// task is how one partition of a data set is made: of a partition of a table, by the links.
type task struct {
	from, output int
	links        []worker.Link
}

// plan finds the table that d's partitions are made of, and a task for each of those that are needed.
func (j *job) plan(d *engine.Dataset, need []int) (table, []task, error) {
	if err := d.Err(); err != nil {
		return table{}, nil, err
	}
	tasks := make([]task, len(need))
	for i, p := range need {
		tasks[i] = task{from: p, output: p}
	}
	if kept, ok, err := j.kept(d); ok || err != nil {
		return kept, tasks, err
	}
	return j.derive(d, need, tasks)
}

// derive is plan for a data set that has no table of its own.
func (j *job) derive(d *engine.Dataset, need []int, tasks []task) (table, []task, error) {
	var t table
	var err error
	switch plan := d.Plan().(type) {
	case engine.Files:
		t, err = j.files(plan.Partitions, need)
	case engine.Exchanged:
		var parent table
		if parent, err = j.sealed(plan.Parent); err == nil {
			t, err = j.exchanged(parent, plan.Assignment)
		}
	case engine.Gathered:
		var parent table
		if parent, err = j.sealed(plan.Parent); err == nil {
			t, err = j.gathered(parent, plan.Parent.Partitions(), plan.Size)
		}
	case engine.Mapped:
		t, tasks, err = j.plan(plan.Parent, need)
		for i, p := range need[:len(tasks)] {
			tasks[i].links = append(tasks[i].links, worker.Link{Partition: p, Step: &plan.Step, Combine: plan.Combine})
		}
	case engine.Indexed:
		starts, counting := j.count(d, plan)
		if counting != nil {
			return t, nil, counting
		}
		t, tasks, err = j.plan(plan.Parent, need)
		for i, p := range need[:len(tasks)] {
			tasks[i].links = append(tasks[i].links, worker.Link{Partition: p, Index: &worker.Range{From: starts[p], To: starts[p+1]}})
		}
	case engine.Selected:
		parents := make([]int, len(need))
		for i, p := range need {
			parents[i] = plan.Partitions[p]
		}
		t, tasks, err = j.plan(plan.Parent, parents)
	default:
		err = fmt.Errorf("%s can't evaluate a %T", j.engine.Master(), d.Plan())
	}
	for i, p := range need[:len(tasks)] {
		tasks[i].output = p
	}
	return t, tasks, err
}

// count finds where the indices of each partition begin.
func (j *job) count(d *engine.Dataset, plan engine.Indexed) ([]int64, error) {
	if starts := j.starts[d]; starts != nil {
		return starts, nil
	}
	counts := plan.Counts
	if counts == nil {
		commits, err := j.commits(plan.Parent)
		if err != nil {
			return nil, err
		}
		for _, c := range commits {
			counts = append(counts, c.Rows)
		}
	}
	starts := []int64{0}
	for _, n := range counts {
		starts = append(starts, starts[len(starts)-1]+n)
	}
	j.starts[d] = starts
	return starts, nil
}

// sealed makes a table of a data set as a whole.
func (j *job) sealed(d *engine.Dataset) (table, error) {
	if kept, ok, err := j.kept(d); ok || err != nil {
		return kept, err
	}
	r, err := j.transform(d)
	if err != nil {
		return table{}, err
	}
	view, err := j.view(r)
	return sealed(view), err
}

// transform gives the records of all partitions of a data set that has no table of its own, as workers will write them.
func (j *job) transform(d *engine.Dataset) (connect.Relation, error) {
	if err := d.Err(); err != nil {
		return connect.Relation{}, err
	}
	all := upTo(d.Partitions())
	tasks := make([]task, len(all))
	for p := range all {
		tasks[p] = task{from: p, output: p}
	}
	t, tasks, err := j.derive(d, all, tasks)
	if err != nil {
		return connect.Relation{}, err
	}
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
	var union connect.Relation
	for i, round := range rounds {
		r, err := j.round(t, round)
		if err != nil {
			return union, err
		}
		if i == 0 {
			union = r
		} else {
			union = union.Union(r)
		}
	}
	return union, nil
}

// round is the query in which workers do these tasks.
func (j *job) round(t table, tasks []task) (connect.Relation, error) {
	e := j.engine
	e.mu.Lock()
	values := maps.Clone(e.broadcasts)
	e.mu.Unlock()
	level := slog.LevelInfo
	if e.options.Log.Enabled(j.ctx, slog.LevelDebug) {
		level = slog.LevelDebug
	}
	// The name also keeps Spark from taking two queries for one, as it does with what is persisted of any session.
	name := e.unique("j")
	var homes, jobs, quoted []string
	for _, task := range tasks {
		job := worker.Task{Build: e.build, Job: name, Counter: e.name, Heartbeat: heartbeat, StopFile: "./*/stop-" + j.name, Threads: e.options.Threads, Deadline: e.options.TaskDeadline, Grace: e.options.StopGrace,
			Log: level, Links: task.links, Broadcasts: values, Output: &task.output, Header: true}
		t.shape(task.from, &job)
		b, err := json.Marshal(job)
		if err != nil {
			return connect.Relation{}, err
		}
		home := strconv.Itoa(task.from)
		homes, jobs = append(homes, home), append(jobs, base64.StdEncoding.EncodeToString(b))
		quoted = append(quoted, "'"+home+"'")
	}
	return connect.SQL(fmt.Sprintf(`SELECT TRANSFORM(p, a, s, k, i, d) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t'
		USING 'exec env %s=%s ./*/%s' AS (p STRING, a STRING, s STRING, k STRING, i STRING, d STRING)
		ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t'
		FROM (SELECT p, a, s, k, i, IF(%s, element_at(map_from_arrays(?, ?), %s), d) AS d FROM %s WHERE k <> 'h' AND %s IN (%s))`,
		engine.WorkerVariable, worker.Text.Protocol(), e.program(), t.job, t.home, t.view, t.home, strings.Join(quoted, ", ")),
		homes, jobs), nil
}

// commits evaluates a data set and reads the commits of its partitions.
func (j *job) commits(d *engine.Dataset) ([]engine.Commit, error) {
	commits := make([]engine.Commit, d.Partitions())
	has := make([]bool, len(commits))
	err := j.read(d, connect.Text("k IN ('c', 'e')"), func(r worker.Record) error {
		switch {
		case r.Partition < 0 || r.Partition >= len(commits):
			return &worker.OutputError{Partition: r.Partition, Attempt: r.Attempt, Reason: worker.ErrForeign}
		case r.Kind == worker.Failed:
			f := new(worker.Failure)
			if err := json.Unmarshal(r.Data, f); err != nil {
				return err
			}
			return f
		case has[r.Partition]:
			return fmt.Errorf("partition %d came twice", r.Partition)
		}
		has[r.Partition] = true
		return json.Unmarshal(r.Data, &commits[r.Partition])
	})
	for p := range commits {
		if err == nil && !has[p] {
			err = &worker.OutputError{Partition: p, Reason: worker.ErrNoCommit}
		}
	}
	if err != nil {
		return nil, err
	}
	return commits, nil
}

// read evaluates a data set and gives its records as they come: those for which the condition holds.
func (j *job) read(d *engine.Dataset, where connect.Expr, each func(worker.Record) error) error {
	if d.Partitions() == 0 {
		return d.Err()
	}
	r, err := j.records(d)
	if err != nil {
		return err
	}
	err = j.engine.session.Collect(j.ctx, r.Where(where), connect.Run{}, func(b *arrow.Batch) error {
		fields := make([]string, len(b.Columns))
		for i := range b.Rows {
			for c := range b.Columns {
				fields[c] = b.Columns[c].Text(i)
			}
			record, err := worker.Parse(fields)
			if err != nil {
				return err
			}
			if err := each(record); err != nil {
				return err
			}
		}
		return nil
	})
	return j.explain(err)
}

func (j *job) records(d *engine.Dataset) (connect.Relation, error) {
	if kept, ok, err := j.kept(d); ok || err != nil {
		return connect.Table(kept.view), err
	}
	return j.transform(d)
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
