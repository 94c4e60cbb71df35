package worker

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/dl4go/dl4go/engine"
)

// received is a task whose rows are still arriving.
type received struct {
	Task
	rows *input
	err  error // the job can't be decoded
}

var (
	errAbandoned = errors.New("the driver gave the task up, or ended")
	errStopped   = errors.New("the driver stopped sending the task's rows")
)

// receive reads all records ahead of the tasks. So it notices at once when the driver is gone.
func (w *server) receive() {
	defer close(w.tasks)
	var verify *Verifier // of incomplete records
	var rows *input      // to which rows are added, once the job is read
	var last received    // it may still run
	var sealed *sealed   // assembles the task's rows from other tasks' outputs, if From is set
	skip := false        // the rest of a task's records, after another task's failure among them
	for {
		r, err := w.in.Next()
		if err == nil {
			if skip = skip && (r.Kind != Job || len(r.Data) == 0); skip && r.Kind != Log {
				continue
			}
			switch r.Kind {
			case Log:
				w.out.Pass(r)
				continue
			case Drop:
				w.drop(engine.BroadcastID(r.Data))
				continue
			case Stop:
				if rows != nil {
					rows.finish(errStopped)
				}
				rows, verify = nil, nil
				continue
			}
			if rows != nil && last.Open && r.Kind == Job && len(r.Data) > 0 {
				rows.finish(sealed.end(io.EOF))
				rows, verify, sealed = nil, nil, nil
			}
			if verify == nil {
				verify = NewVerifier(r.Partition, r.Attempt)
			}
			var ok bool
			if sealed != nil {
				r, ok, err = sealed.add(r)
			} else {
				r, ok, err = verify.Add(r)
			}
			if err == nil && !ok {
				continue
			}
			if err == nil && (r.Kind == Job) == (rows != nil) {
				err = verify.End(fmt.Errorf("a record of kind %q came out of place", r.Kind))
			}
		} else if rows != nil && last.Open && err == io.EOF {
			rows.finish(sealed.end(io.EOF))
			return
		} else if verify != nil {
			err = verify.End(err)
		}
		if rows != nil && answered(err, last.Task) {
			rows.finish(err)
			rows, verify, sealed, skip = nil, nil, nil, true
			continue
		}
		if err != nil {
			if rows != nil {
				rows.finish(err)
				last.rows.cancel(err)
			} else if last.Attended {
				last.rows.cancel(errAbandoned)
			}
			if err != io.EOF {
				w.broken = fmt.Errorf("the input is damaged: %w", err)
			}
			return
		}
		switch r.Kind {
		case Job:
			last = received{rows: newInput()}
			last.err = ReadJob(r.Data, &last.Task)
			last.Partition, last.Attempt = r.Partition, r.Attempt
			if last.Attempt == 0 {
				last.Attempt = 1 + rand.IntN(1<<31-1)
			}
			rows, verify.open = last.rows, last.Open
			if last.Open && last.From != nil {
				sealed = newSealed(last.From)
			}
			select {
			case w.tasks <- last:
			case <-w.over:
				return
			}
		case Row:
			rows.add(engine.Row{Index: r.Index, Bytes: r.Data}, w.in.idle())
		case Commit:
			rows.finish(sameAs(last.Sum, verify))
			rows, verify = nil, nil
		}
	}
}

// sameAs ends the rows: with an error if they differ from the first computation's.
func sameAs(first *engine.Commit, v *Verifier) error {
	now, _ := v.Committed()
	if first != nil && !first.Same(now) {
		return engine.Permanent(fmt.Errorf("a partition that was computed again has other rows: its operations do not give "+
			"the same each time: first %v, then %v", first, now))
	}
	return io.EOF
}

// answered reports whether an error of a task's rows concerns this task alone. That is a failure of the task that made
// the rows or, if all failures are answers, rows that changed on their way.
func answered(err error, t Task) bool {
	failure, output := (*Failure)(nil), (*OutputError)(nil)
	return errors.As(err, &failure) || t.Answer && errors.As(err, &output)
}
