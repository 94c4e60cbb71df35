package worker

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"log/slog"
	"sync"

	"github.com/dl4go/dl4go/engine"
)

// Link is one of the operations that lead from a task's rows to its output: a step, the numbering of rows, or a check.
// Each reads the rows that the previous one writes, one by one.
type Link struct {
	// Partition is the number of the link's partition in the data set that the link makes.
	Partition int          `json:"partition"`
	Step      *engine.Step `json:"step,omitempty"`
	Shared    int          `json:"shared,omitempty"`  // instead of Step: its number in Task.Steps, from 1
	Combine   bool         `json:"combine,omitempty"` // see engine.Mapped
	Index     *Range       `json:"index,omitempty"`
	Expect    *Order       `json:"expect,omitempty"`
	Count     *int64       `json:"count,omitempty"` // the number of files that must have come
	Fetch     *Fetch       `json:"fetch,omitempty"` // files come as references, and the worker reads them
	Sizes     []int64      `json:"sizes,omitempty"` // of the files when they were listed, in order; -1: unknown
	Cuts      []engine.Cut `json:"cuts,omitempty"`  // pieces of the whole files that come, in order
	Sent      *Sent        `json:"sent,omitempty"`  // where the partition's rows are
}

// Order is the expected rows after an exchange: their number and their indices.
type Order struct {
	Rows   int64
	CRC32C uint32 // of the indices, as int64, little-endian
}

// OrderOf returns the Order of indices.
func OrderOf(indices iter.Seq[int64]) Order {
	o := Order{}
	for i := range indices {
		o.add(i)
	}
	return o
}

func (o *Order) add(index int64) {
	o.Rows++
	// crc32.Update would move its bytes to the heap for each row.
	sum := ^o.CRC32C
	for range 8 {
		sum = castagnoli[byte(sum)^byte(index)] ^ sum>>8
		index >>= 8
	}
	o.CRC32C = ^sum
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Range is the indices From … To-1.
type Range struct{ From, To int64 }

// Run takes the rows through the links, in this process. An error of in, of out or of a link ends the run, even if an
// operation swallows it. Run returns the first one.
func (t Task) Run(ctx context.Context, w engine.Worker, log *slog.Logger, in engine.Rows, out engine.Writer) error {
	r := &run{task: t, ctx: ctx, worker: w, log: log}
	err := r.run(in, out)
	for i := len(r.cleanup) - 1; i >= 0; i-- {
		r.cleanup[i]()
	}
	if first := r.first(); first != nil {
		return first
	}
	return err
}

type run struct {
	task    Task
	ctx     context.Context
	worker  engine.Worker
	log     *slog.Logger
	cleanup []func()
	opens   *Fetch // nil: no operation opens files

	mu      sync.Mutex
	failure error
}

var errUnwanted = errors.New("no more rows are wanted")

func (r *run) first() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

func (r *run) fail(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == nil && err != errUnwanted {
		r.failure = err
	}
	return err
}

func (r *run) run(in engine.Rows, out engine.Writer) error {
	links := r.task.Links
	for i, l := range links {
		if l.Step != nil && i == len(links)-1 {
			return r.apply(l, in, out)
		}
		in = r.link(l, in)
	}
	for row, err := range engine.All(in) {
		if err == nil {
			err = out.Write(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) link(l Link, in engine.Rows) engine.Rows {
	if l.Expect != nil {
		return expected(l, in)
	}
	if l.Count != nil {
		return counted(l, in)
	}
	if l.Sent != nil {
		return r.sent(l)
	}
	if l.Fetch != nil {
		if l.Fetch.Opened {
			r.opens = l.Fetch
		}
		return r.fetched(*l.Fetch, in)
	}
	if l.Sizes != nil {
		return sized(l, in)
	}
	if l.Cuts != nil {
		return cut(l, in)
	}
	if l.Step == nil {
		return indexed(l, in)
	}
	return r.pull(l, in)
}

// apply runs a step that reads rows and writes to a writer.
func (r *run) apply(l Link, in engine.Rows, out engine.Writer) error {
	w := r.worker
	if r.opens != nil {
		w = opener{w, r, *r.opens}
	}
	task := engine.NewTask(r.ctx, w, l.Partition, r.task.number(), r.task.Threads, r.log)
	m := engine.Mapped{Step: *l.Step, Combine: l.Combine}
	return m.Apply(task, engine.RowsFunc(func() (engine.Row, error) {
		row, err := in.Next()
		if err != nil && err != io.EOF {
			return engine.Row{}, r.fail(err)
		}
		if r.ctx.Err() != nil {
			return engine.Row{}, r.fail(context.Cause(r.ctx))
		}
		return row, err
	}), engine.WriterFunc(func(row engine.Row) error {
		if r.ctx.Err() != nil {
			return r.fail(context.Cause(r.ctx))
		}
		if err := out.Write(row); err != nil {
			return r.fail(err)
		}
		return nil
	}))
}

// pull turns a step, which writes rows, into rows to be read.
func (r *run) pull(l Link, in engine.Rows) engine.Rows {
	next, stop := iter.Pull2(func(yield func(engine.Row, error) bool) {
		wanted := true
		err := r.apply(l, in, engine.WriterFunc(func(row engine.Row) error {
			if wanted = wanted && yield(row, nil); !wanted {
				return errUnwanted
			}
			return nil
		}))
		if err != nil && wanted {
			yield(engine.Row{}, err)
		}
	})
	r.cleanup = append(r.cleanup, stop)
	return engine.RowsFunc(func() (engine.Row, error) {
		row, err, more := next()
		if !more {
			return engine.Row{}, io.EOF
		}
		return row, err
	})
}

func indexed(l Link, in engine.Rows) engine.Rows {
	at := l.Index.From
	return engine.RowsFunc(func() (engine.Row, error) {
		row, err := in.Next()
		if err == nil && at == l.Index.To || err == io.EOF && at < l.Index.To {
			return engine.Row{}, &engine.StepError{Step: "index", Cause: engine.Permanent(fmt.Errorf(
				"partition %d had %d rows when they were counted and has another number now: "+
					"its operations do not give the same rows each time", l.Partition, l.Index.To-l.Index.From))}
		}
		if err != nil {
			return row, err
		}
		row.Index = at
		at++
		return row, nil
	})
}

func expected(l Link, in engine.Rows) engine.Rows {
	got := Order{}
	return engine.RowsFunc(func() (engine.Row, error) {
		row, err := in.Next()
		if err == nil {
			got.add(row.Index)
			if row.Index < 0 {
				err = exchangeErrorf("a row has the index %d, which no assignment has", row.Index)
			}
		} else if err == io.EOF && got != *l.Expect {
			err = exchangeErrorf("partition %d has %d rows, wanted %d, or others than those: an index of the assignment is "+
				"missing, "+
				"or two rows have one", l.Partition, got.Rows, l.Expect.Rows)
		}
		return row, err
	})
}

// exchangeError says that the rows after an exchange are not the assignment's. Either the assignment is wrong, or a
// worker that recomputed the moved rows made different ones this time. Nothing here tells these cases apart, so another
// attempt makes the rows again.
type exchangeError struct{ error }

func exchangeErrorf(format string, args ...any) error {
	return &engine.StepError{Step: "exchange", Cause: exchangeError{fmt.Errorf(format, args...)}}
}

func counted(l Link, in engine.Rows) engine.Rows {
	n := int64(0)
	return engine.RowsFunc(func() (engine.Row, error) {
		row, err := in.Next()
		if err == nil {
			n++
		} else if err == io.EOF && n != *l.Count {
			err = &engine.StepError{Step: "read files", Cause: engine.Permanent(fmt.Errorf(
				"partition %d has %d of its %d files", l.Partition, n, *l.Count))}
		}
		return row, err
	})
}

// sized checks files against the sizes that they were listed with: a file that can't be read may arrive empty.
func sized(l Link, in engine.Rows) engine.Rows {
	i := 0
	return engine.RowsFunc(func() (engine.Row, error) {
		row, err := in.Next()
		if err != nil || i >= len(l.Sizes) {
			return row, err
		}
		f, err := engine.FileOf(row)
		if want := l.Sizes[i]; err == nil && want >= 0 && int64(len(f.Content)) != want {
			err = &engine.StepError{Step: "read files",
				Cause: engine.Permanent(fmt.Errorf("%s: %d bytes were read of it, and it had %d "+
					"when it was listed: it can't be read, or was changed meanwhile; check the file, and list the directory again",
					f.Path, len(f.Content), want))}
		}
		i++
		return row, err
	})
}

// cut replaces files by pieces of them.
func cut(l Link, in engine.Rows) engine.Rows {
	i := 0
	return engine.RowsFunc(func() (engine.Row, error) {
		row, err := in.Next()
		if err != nil || i >= len(l.Cuts) {
			return row, err
		}
		f, err := engine.FileOf(row)
		if err != nil {
			return row, err
		}
		from, n := l.Cuts[i].Of(int64(len(f.Content)))
		i++
		return engine.File{Path: f.Path, Content: f.Content[from : from+n]}.Row(), nil
	})
}
