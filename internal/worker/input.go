package worker

import (
	"context"

	"github.com/dl4go/dl4go/engine"
)

// input passes the rows of a task from the receiving goroutine to the running one, in batches.
type input struct {
	ctx     context.Context // of the task
	cancel  context.CancelCauseFunc
	batches chan []engine.Row
	end     error         // after the last batch; set before batches is closed
	left    chan struct{} // the task has ended and reads no more

	// of the receiver:
	batch []engine.Row
	bytes int
	// of the task:
	ready []engine.Row
}

func newInput() *input {
	in := &input{batches: make(chan []engine.Row, 4), left: make(chan struct{})}
	in.ctx, in.cancel = context.WithCancelCause(context.Background())
	return in
}

// add adds a row. With flush, the reader gets it at once, otherwise in a batch.
func (in *input) add(row engine.Row, flush bool) {
	in.batch = append(in.batch, row)
	in.bytes += len(row.Bytes)
	if flush || len(in.batch) == cap(in.batch) || in.bytes > 128<<10 {
		in.flush()
	}
}

func (in *input) flush() {
	if len(in.batch) == 0 {
		return
	}
	select {
	case in.batches <- in.batch:
	case <-in.left:
	}
	in.batch, in.bytes = make([]engine.Row, 0, 128), 0
}

// finish ends the rows with err.
func (in *input) finish(err error) {
	in.flush()
	in.end = err
	close(in.batches)
}

// Next returns the task's next row.
func (in *input) Next() (engine.Row, error) {
	if len(in.ready) == 0 {
		select {
		case batch, more := <-in.batches:
			if !more {
				return engine.Row{}, in.end
			}
			in.ready = batch
		case <-in.ctx.Done():
			return engine.Row{}, context.Cause(in.ctx)
		}
	}
	row := in.ready[0]
	in.ready = in.ready[1:]
	return row, nil
}

// leave notes that the task has ended.
func (in *input) leave() {
	close(in.left)
	in.cancel(nil)
}
