package worker

import (
	"context"

	"github.com/dl4go/dl4go/engine"
)

// input is the rows of a task, handed from the goroutine that receives to the one that runs, some at a time.
type input struct {
	ctx     context.Context // of the task
	cancel  context.CancelCauseFunc
	batches chan []engine.Row
	end     error         // after the last batch; set before batches is closed
	left    chan struct{} // the task has ended: nobody reads any more

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

// add takes a row. It goes to the reader at once with flush, else in company.
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

// finish gives the reader err after the last row.
func (in *input) finish(err error) {
	in.flush()
	in.end = err
	close(in.batches)
}

// Next gives the task its next row.
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

// leave says that the task has ended.
func (in *input) leave() {
	close(in.left)
	in.cancel(nil)
}
