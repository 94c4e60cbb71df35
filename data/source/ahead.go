package source

import (
	"errors"
	"io"

	"github.com/dl4go/dl4go/pipeline"
)

// placedBatches are BatchRows that can report the places of a batch's rows later, when other batches have been read.
type placedBatches interface {
	BatchRows
	// places returns PlaceOf for the rows of the last batch. The function stays valid after other batches have been
	// read.
	places() func(row int) string
}

// batchAhead reads batches and runs the pipeline on several of them at a time. It returns them in the order in which
// they were read, so that the examples do not depend on the number of threads.
type batchAhead struct {
	order chan *batchJob // in the order of reading
	free  chan *batchJob // to be reused
	stop  chan struct{}
	ended chan struct{} // closed when the reading has ended
}

// batchJob is a batch that has been read, and its examples.
type batchJob struct {
	batch pipeline.Batch
	place func(row int) string
	past  int          // rows that were passed over before the batch
	err   error        // of reading; there is no batch then
	done  chan bool    // whether the pipeline worked for all rows
	by    *batchReader // holds the examples
}

const (
	// startAhead is the number of batches that a reader processes by itself before it uses other threads: a small table
	// needs none.
	startAhead = 4
	// mostAhead limits the number of batches that are being processed.
	mostAhead = 32
)

// share lets the reader process batches on some threads at the same time. b may be nil.
func (b *batchReader) share(threads int) {
	if b != nil {
		b.threads = min(threads, mostAhead/2)
	}
}

// isLive reports whether the next row may be long in coming, as from standard input.
func isLive(rows Rows) bool {
	live, ok := rows.(interface{ Live() bool })
	return ok && live.Live()
}

// helped starts to read ahead after the first few batches. It reports whether the reader reads ahead.
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

// alike returns a reader of the same kind that shares no mutable state with b, or nil if the pipeline cannot be bound.
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

// read reads batches until the end of the rows, or until it is stopped.
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
			work <- job // has room for all jobs
		}
		a.order <- job // has room for all jobs, too
		if job.err != nil && !errors.As(job.err, new(*RowError)) {
			return
		}
	}
}

// next adds the examples of the next batch to b's.
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
		b.count(job.by, r.read, job.place)
		b.receive(job.by.to, job.batch.Rows())
		return nil
	}
	return b.slowly(&job.batch, job.place)
}

// receive adds the examples that another reader made of some rows.
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

// halt stops the reading ahead, so that the rows can be closed. b may be nil.
func (b *batchReader) halt() {
	if b == nil || b.ahead == nil {
		return
	}
	close(b.ahead.stop)
	<-b.ahead.ended
	b.ahead = nil
}
