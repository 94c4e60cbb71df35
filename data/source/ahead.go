package source

import (
	"errors"
	"io"

	"github.com/dl4go/dl4go/pipeline"
)

// placedBatches are BatchRows that can say later where the rows of a batch were.
type placedBatches interface {
	BatchRows
	// places is PlaceOf for the rows of the last batch, also after others were read.
	places() func(row int) string
}

// batchAhead reads batches and runs the pipeline on several of them at a time. They come out in their order, so that
// the examples do not depend on the number of threads.
type batchAhead struct {
	order chan *batchJob // as they were read
	free  chan *batchJob // to be filled again
	stop  chan struct{}
	ended chan struct{} // closed when nothing is read any more
}

// batchJob is a batch on its way.
type batchJob struct {
	batch pipeline.Batch
	place func(row int) string
	past  int          // rows that were passed over before
	err   error        // of reading, in place of a batch
	done  chan bool    // whether all rows gave what they should
	by    *batchReader // has the examples
}

const (
	// startAhead is how many batches a reader takes by itself before others help: a small table needs none.
	startAhead = 4
	// mostAhead bounds the batches that are on their way.
	mostAhead = 32
)

// share lets batches run side by side on some threads. b may be nil.
func (b *batchReader) share(threads int) {
	if b != nil {
		b.threads = min(threads, mostAhead/2)
	}
}

// isLive says whether rows may be a while in coming.
func isLive(rows Rows) bool {
	live, ok := rows.(interface{ Live() bool })
	return ok && live.Live()
}

// helped begins to read ahead once there were some batches. It is false if there is no help.
func (b *batchReader) helped() bool {
	if b.ahead != nil {
		return true
	}
	b.taken++
	rows, ok := b.rows.(placedBatches)
	if !ok || b.threads < 2 || b.taken <= startAhead || isLive(rows) {
		return false
	}
	a := &batchAhead{order: make(chan *batchJob, 2*b.threads), free: make(chan *batchJob, 2*b.threads),
		stop: make(chan struct{}), ended: make(chan struct{})}
	for range 2 * b.threads {
		alike := b.alike()
		if alike == nil {
			return false
		}
		a.free <- &batchJob{by: alike, done: make(chan bool, 1)}
	}
	work := make(chan *batchJob, 2*b.threads)
	for range b.threads {
		go func() {
			for job := range work {
				job.done <- job.by.together(&job.batch)
			}
		}()
	}
	go a.read(rows, work)
	b.ahead = a
	return true
}

// alike is a reader of the same kind that shares nothing which changes; nil if there is none.
func (b *batchReader) alike() *batchReader {
	r := b.to
	bound, err := r.b.bind()
	if err != nil {
		return nil
	}
	to := &rowReader{inColumns: r.inColumns, rows: r.rows}
	to.b, to.buffer = bound, nil
	to.lookouts.all = bound.lookouts()
	alike := &batchReader{to: to, run: bound.plan.StartBatches()}
	alike.watch()
	return alike
}

// read reads until the end, or until it is stopped.
func (a *batchAhead) read(rows placedBatches, work chan<- *batchJob) {
	defer close(a.ended)
	defer close(a.order)
	defer close(work)
	var batch pipeline.Batch
	for {
		var job *batchJob
		select {
		case job = <-a.free:
		case <-a.stop:
			return
		}
		job.err = rows.NextBatch(&batch)
		if job.past = Passed(rows); job.err == nil {
			job.batch.Keep(&batch)
			job.place = rows.places()
			work <- job // which has room for all
		}
		a.order <- job // likewise
		if job.err != nil && !errors.As(job.err, new(*RowError)) {
			return
		}
	}
}

// next takes the examples of the next batch.
func (a *batchAhead) next(b *batchReader) error {
	job, ok := <-a.order
	if !ok {
		return io.EOF
	}
	defer func() { a.free <- job }()
	r := b.to
	r.read += job.past
	if job.err != nil {
		if err := r.bad.Allow(job.err); err != nil {
			b.failed = err
			return err
		}
		return nil
	}
	if <-job.done {
		b.count(job.by.run, r.read, job.place)
		b.receive(job.by.to, job.batch.Rows())
		return nil
	}
	return b.slowly(&job.batch, job.place)
}

// receive takes the examples that another reader made of some rows.
func (b *batchReader) receive(from *rowReader, rows int) {
	r := b.to
	r.x, r.y = append(r.x, from.x...), append(r.y, from.y...)
	r.meta, r.weights = append(r.meta, from.meta...), append(r.weights, from.weights...)
	for _, row := range from.from {
		r.from = append(r.from, r.read+row)
	}
	r.read += rows
	r.made += from.made
	from.forget(true)
	from.read, from.made = 0, 0
}

// halt ends reading ahead, so that the rows can be closed. b may be nil.
func (b *batchReader) halt() {
	if b == nil || b.ahead == nil {
		return
	}
	close(b.ahead.stop)
	<-b.ahead.ended
	b.ahead = nil
}
