package slots

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
)

// attempt is one try at one partition of a stage.
type attempt struct {
	job    *job
	ctx    context.Context
	slot   *slot
	number int
	// deadline is the deadline of ctx; 0: none
	deadline time.Duration
	cleanup  []func()
	fed      atomic.Bool // a worker has read all rows
}

func (a *attempt) end() {
	for i := len(a.cleanup) - 1; i >= 0; i-- {
		a.cleanup[i]()
	}
}

// run writes the rows of d's partition p.
func (a *attempt) run(d *engine.Dataset, p int, out engine.Writer) error {
	rows, err := a.kept(d, p)
	if err != nil {
		return err
	}
	if rows != nil {
		return copyRows(rows, out)
	}
	return a.compute(d, p, out)
}

func copyRows(rows engine.Rows, out engine.Writer) error {
	for row, err := range engine.All(rows) {
		if err == nil {
			err = out.Write(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// kept returns the rows of d's partition p if they are held or persisted; else nil. It computes a persisted partition
// if need be.
func (a *attempt) kept(d *engine.Dataset, p int) (engine.Rows, error) {
	if b := a.job.held[d][p]; b != nil {
		return read(b), nil
	}
	if _, persisted := a.job.engine.store.level(d); !persisted {
		return nil, nil
	}
	b, err := a.persisted(d, p)
	if err != nil {
		return nil, err
	}
	a.cleanup = append(a.cleanup, b.release)
	return read(b), nil
}

// persisted returns a partition of a persisted data set, retained for the caller. It computes the partition if need be.
func (a *attempt) persisted(d *engine.Dataset, p int) (block, error) {
	s := a.job.engine.store
	if b := s.get(d, p); b != nil {
		return b, nil
	}
	level, _ := s.level(d)
	b, keep, err := s.fill(level, false, func(out engine.Writer) error { return a.compute(d, p, out) })
	if err == nil && keep {
		s.put(d, p, b)
	}
	return b, err
}

// compute writes the rows of d's partition p, whether or not they are kept. All operations from a source, or from kept
// rows, run as one chain on the slot's worker.
func (a *attempt) compute(d *engine.Dataset, p int, out engine.Writer) error {
	options := a.job.engine.options
	t := worker.Task{Partition: p, Attempt: a.number, Threads: options.Threads, Deadline: a.deadline,
		Grace: options.StopGrace}
	in, steps, err := a.source(d, p, &t, false)
	if err != nil {
		return err
	}
	if steps == 0 {
		return t.Run(a.ctx, nil, options.Log, in, out)
	}
	return a.slot.worker.Run(a.ctx, t, engine.RowsFunc(func() (engine.Row, error) {
		row, err := in.Next()
		if err == io.EOF {
			a.fed.Store(true)
		}
		return row, err
	}), out)
}

// source returns the rows from which d's partition p is made, and adds the operations that make it to the task's links.
func (a *attempt) source(d *engine.Dataset, p int, t *worker.Task, mayBeKept bool) (in engine.Rows, steps int,
	err error) {
	if mayBeKept {
		if in, err = a.kept(d, p); in != nil || err != nil {
			return in, 0, err
		}
	}
	switch plan := d.Plan().(type) {
	case engine.DriverRows:
		return plan.Partitions[p].Rows(), 0, nil
	case engine.Files:
		if plan.Opened {
			t.Links = append(t.Links, worker.Link{Partition: p, Fetch: &worker.Fetch{Opened: true}})
		}
		return files(plan.Watch.In(a.ctx), plan, p), 0, nil
	case engine.Exchanged:
		return a.job.exchanges[d].rows(plan.Assignment, p), 0, nil
	case engine.Gathered:
		return a.gathered(plan, p), 0, nil
	case engine.Selected:
		return a.source(plan.Parent, plan.Partitions[p], t, true)
	case engine.Indexed:
		in, steps, err = a.source(plan.Parent, p, t, true)
		starts := a.job.starts[d]
		t.Links = append(t.Links, worker.Link{Partition: p, Index: &worker.Range{From: starts[p], To: starts[p+1]}})
		return in, steps, err
	case engine.Mapped:
		in, steps, err = a.source(plan.Parent, p, t, true)
		t.Links = append(t.Links, worker.Link{Partition: p, Step: &plan.Step, Combine: plan.Combine})
		return in, steps + 1, err
	}
	return nil, 0, engine.Permanent(fmt.Errorf("%s can't evaluate a %T", a.job.engine.Master(), d.Plan()))
}

func (a *attempt) gathered(plan engine.Gathered, p int) engine.Rows {
	q, end := p*plan.Size, min((p+1)*plan.Size, plan.Parent.Partitions())
	var part engine.Rows = engine.SliceRows(nil)
	return engine.RowsFunc(func() (engine.Row, error) {
		for {
			row, err := part.Next()
			if err != io.EOF || q == end {
				return row, err
			}
			part = read(a.job.held[plan.Parent][q])
			q++
		}
	})
}

// count returns the number of rows. It only computes them if the number is unknown.
func (a *attempt) count(d *engine.Dataset, p int) (n int64, err error) {
	if b := a.job.held[d][p]; b != nil {
		return int64(b.len()), nil
	}
	switch plan := d.Plan().(type) {
	case engine.DriverRows:
		return int64(plan.Partitions[p].Len()), nil
	case engine.Files:
		return int64(len(plan.Partitions[p])), nil
	case engine.Exchanged:
		from, to := plan.Assignment.Places(p)
		return int64(to - from), nil
	}
	err = a.run(d, p, engine.WriterFunc(func(engine.Row) error {
		n++
		return nil
	}))
	return n, err
}
