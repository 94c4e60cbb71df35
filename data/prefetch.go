package data

import (
	"io"
	"sync"
)

// Prefetched is an [Iterator] that reads ahead in its own goroutine. The caller must call Close, which ends that
// goroutine.
type Prefetched struct {
	ready chan fetched
	stop  chan struct{}
	once  sync.Once
	done  sync.WaitGroup
	err   error
}

type fetched struct {
	m   *MultiDataSet
	err error
}

// maxPrefetch is the maximum length of the queue of Prefetch, which takes memory even while it is empty.
const maxPrefetch = 1 << 12

// Prefetch returns an iterator that reads up to n minibatches ahead, at most 4,096. n must be positive.
func Prefetch(it Iterator, n int) *Prefetched {
	p := &Prefetched{ready: make(chan fetched, min(n, maxPrefetch)-1), stop: make(chan struct{})}
	p.done.Go(func() {
		for {
			m, err := it.Next()
			select {
			case p.ready <- fetched{m, err}:
			case <-p.stop:
				return
			}
			if err != nil {
				return
			}
		}
	})
	return p
}

// Next waits for the next minibatch.
func (p *Prefetched) Next() (*MultiDataSet, error) {
	if p.err != nil {
		return nil, p.err
	}
	select {
	case <-p.stop:
		p.err = io.ErrClosedPipe
		return nil, p.err
	default:
	}
	f := <-p.ready
	p.err = f.err
	return f.m, f.err
}

// Close stops reading ahead and waits until the underlying iterator is no longer used. Next must not be running.
func (p *Prefetched) Close() {
	p.once.Do(func() { close(p.stop) })
	p.done.Wait()
}
