package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/dl4go/dl4go/engine"
)

// attempt is one try at one partition of a stage. It runs the chain of operations that leads there, each reading what
// the one before writes, row by row.
type attempt struct {
	job     *job
	ctx     context.Context
	slot    *slot
	number  int
	cleanup []func()
	failure error // the first one: an operation that swallows it does not succeed
}

var errUnwanted = errors.New("no more rows are wanted")

func (a *attempt) end() {
	for i := len(a.cleanup) - 1; i >= 0; i-- {
		a.cleanup[i]()
	}
}

func (a *attempt) fail(err error) error {
	if a.failure == nil {
		a.failure = err
	}
	return err
}

// run writes the rows of d's partition p.
func (a *attempt) run(d *engine.Dataset, p int, out engine.Writer) error {
	if mapped, ok := d.Plan().(engine.Mapped); ok && a.job.held[d][p] == nil {
		if _, persisted := a.job.engine.store.level(d); !persisted {
			return a.apply(mapped, p, out)
		}
	}
	rows, err := a.rows(d, p)
	if err != nil {
		return err
	}
	return copyRows(rows, out)
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

// apply runs the operation that makes partition p.
func (a *attempt) apply(m engine.Mapped, p int, out engine.Writer) error {
	in, err := a.rows(m.Parent, p)
	if err != nil {
		return err
	}
	e := a.job.engine
	task := engine.NewTask(a.ctx, a.slot, p, a.number, e.options.Threads, e.options.Log)
	return m.Apply(task, engine.RowsFunc(func() (engine.Row, error) {
		row, err := in.Next()
		if err != nil && err != io.EOF {
			return engine.Row{}, a.fail(err)
		}
		if a.ctx.Err() != nil {
			return engine.Row{}, a.fail(context.Cause(a.ctx))
		}
		return row, err
	}), engine.WriterFunc(func(row engine.Row) error {
		if a.ctx.Err() != nil {
			return a.fail(context.Cause(a.ctx))
		}
		return out.Write(row)
	}))
}

// rows reads the rows of d's partition p.
func (a *attempt) rows(d *engine.Dataset, p int) (engine.Rows, error) {
	if b := a.job.held[d][p]; b != nil {
		return read(b), nil
	}
	if _, persisted := a.job.engine.store.level(d); persisted {
		b, err := a.kept(d, p)
		if err != nil {
			return nil, err
		}
		a.cleanup = append(a.cleanup, b.release)
		return read(b), nil
	}
	return a.compute(d, p)
}

// kept gives a partition of a persisted data set, which is computed if need be, retained for the caller.
func (a *attempt) kept(d *engine.Dataset, p int) (block, error) {
	s := a.job.engine.store
	level, _ := s.level(d)
	b := s.get(d, p)
	if b == nil {
		filled, keep, err := s.fill(level, false, func(out engine.Writer) error {
			if mapped, ok := d.Plan().(engine.Mapped); ok {
				return a.apply(mapped, p, out)
			}
			rows, err := a.compute(d, p)
			if err != nil {
				return err
			}
			return copyRows(rows, out)
		})
		if err == nil && a.failure != nil {
			filled.release()
			err = a.failure
		}
		if err != nil {
			return nil, err
		}
		if b = filled; keep {
			s.put(d, p, b)
		}
	}
	return b, nil
}

// compute makes the rows of partition p of what the plan needs.
func (a *attempt) compute(d *engine.Dataset, p int) (engine.Rows, error) {
	switch plan := d.Plan().(type) {
	case engine.InMemory:
		return engine.SliceRows(plan.Partitions[p]), nil
	case engine.Files:
		return files(plan.Partitions[p]), nil
	case engine.Selected:
		return a.rows(plan.Parent, plan.Partitions[p])
	case engine.Indexed:
		return a.indexed(d, plan, p)
	case engine.Exchanged:
		return a.job.exchanges[d].rows(plan.Assignment.Partition(p)), nil
	case engine.Gathered:
		return a.gathered(plan, p), nil
	case engine.Mapped:
		return a.pull(plan, p), nil
	}
	return nil, engine.Permanent(fmt.Errorf("%s can't evaluate a %T", a.job.engine.Master(), d.Plan()))
}

// pull turns an operation, which writes, into rows to be read.
func (a *attempt) pull(m engine.Mapped, p int) engine.Rows {
	next, stop := iter.Pull2(func(yield func(engine.Row, error) bool) {
		wanted := true
		err := a.apply(m, p, engine.WriterFunc(func(row engine.Row) error {
			if wanted = wanted && yield(row, nil); !wanted {
				return errUnwanted
			}
			return nil
		}))
		if err != nil && wanted {
			yield(engine.Row{}, err)
		}
	})
	a.cleanup = append(a.cleanup, stop)
	return engine.RowsFunc(func() (engine.Row, error) {
		row, err, more := next()
		if !more {
			return engine.Row{}, io.EOF
		}
		return row, err
	})
}

func (a *attempt) indexed(d *engine.Dataset, plan engine.Indexed, p int) (engine.Rows, error) {
	rows, err := a.rows(plan.Parent, p)
	if err != nil {
		return nil, err
	}
	at, end := a.job.starts[d][p], a.job.starts[d][p+1]
	counted := end - at
	return engine.RowsFunc(func() (engine.Row, error) {
		row, err := rows.Next()
		if err == nil && at == end || err == io.EOF && at < end {
			return engine.Row{}, &engine.StepError{Step: "index", Cause: engine.Permanent(fmt.Errorf(
				"partition %d had %d rows when they were counted and has another number now: "+
					"its operations do not give the same rows each time", p, counted))}
		}
		if err != nil {
			return row, err
		}
		row.Index = at
		at++
		return row, nil
	}), nil
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

// count tells the number of rows, without computing them where it is known.
func (a *attempt) count(d *engine.Dataset, p int) (n int64, err error) {
	if b := a.job.held[d][p]; b != nil {
		return int64(b.len()), nil
	}
	switch plan := d.Plan().(type) {
	case engine.InMemory:
		return int64(len(plan.Partitions[p])), nil
	case engine.Files:
		return int64(len(plan.Partitions[p])), nil
	case engine.Exchanged:
		return int64(len(plan.Assignment.Partition(p))), nil
	}
	err = a.run(d, p, engine.WriterFunc(func(engine.Row) error {
		n++
		return nil
	}))
	return n, err
}
