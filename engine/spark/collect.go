package spark

import (
	"context"
	"errors"
	"io"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/spark/connect"
	"github.com/dl4go/dl4go/engine/worker"
)

// Collect gives the rows of committed partitions.
func (e *Engine) Collect(ctx context.Context, d *engine.Dataset, each func(partition int, row engine.Row) error) error {
	j, end, err := e.start(ctx)
	if err != nil {
		return err
	}
	defer end()
	next, ready := 0, make(map[int][]engine.Row)
	ledger := worker.NewLedger(d.Partitions(), func(c engine.Commit, rows []engine.Row) error {
		ready[c.Partition] = rows
		for {
			rows, ok := ready[next]
			if !ok {
				return nil
			}
			delete(ready, next)
			for _, row := range rows {
				if err := each(next, row); err != nil {
					return &callbackError{err}
				}
			}
			next++
		}
	})
	err = j.read(d, connect.Lit(true), ledger.Add)
	if own := (*callbackError)(nil); errors.As(err, &own) {
		return own.error
	}
	if err != nil {
		return err
	}
	return j.explain(ledger.End(io.EOF))
}

// callbackError is the caller's own.
type callbackError struct{ error }

// Commits evaluates d where it is.
func (e *Engine) Commits(ctx context.Context, d *engine.Dataset) ([]engine.Commit, error) {
	j, end, err := e.start(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return j.commits(d)
}

// explain makes a WorkerError of a worker's failure.
func (j *job) explain(err error) error {
	if err == nil || j.ctx.Err() != nil {
		return err
	}
	var failure *worker.Failure
	var spark *connect.Error
	switch {
	case errors.As(err, &failure):
	case errors.As(err, &spark):
		f, ok := worker.ParseCause(spark.Error())
		if !ok {
			return err
		}
		failure = f
	default:
		return err
	}
	cause := failure.Unwrap()
	w := &engine.WorkerError{Worker: "an executor of " + j.engine.Master(), Partition: failure.Partition, Attempt: failure.Attempt,
		Step: "task", Cause: cause}
	if step := (*engine.StepError)(nil); errors.As(cause, &step) {
		w.Step, w.Cause = step.Step, step.Cause
	}
	return w
}
