// Package parallel runs the parts of one computation on a fixed number of threads, without allocating per call.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Task is a computation in n independent parts. Run is called once for each part i in [0, n), from any worker; worker
// is in [0, threads) and no two calls with the same worker overlap, so that scratch memory can be kept by worker.
// What a part computes must not depend on worker.
type Task interface {
	Run(worker, i int)
}

// Pool is a set of threads; the caller of Do is one of them. One Do at a time: a Pool belongs to one executor.
type Pool struct {
	threads int
	wake    []chan struct{}
	done    sync.WaitGroup
	task    Task
	n       int64
	next    atomic.Int64
	failure atomic.Pointer[failure]
}

type failure struct{ value any }

// New starts a pool. threads below 1 means one for each processor. Close ends its goroutines.
func New(threads int) *Pool {
	if threads < 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	p := &Pool{threads: threads}
	for w := 1; w < threads; w++ {
		wake := make(chan struct{}, 1)
		p.wake = append(p.wake, wake)
		go func() {
			for range wake {
				p.work(w)
				p.done.Done()
			}
		}()
	}
	return p
}

// Threads is the number of workers that call Task.Run.
func (p *Pool) Threads() int { return p.threads }

// Do runs the n parts of t and returns when all are done. A panic in a part is raised again here, on the caller.
func (p *Pool) Do(n int, t Task) {
	helpers := min(p.threads, n) - 1
	if helpers <= 0 {
		for i := range n {
			t.Run(0, i)
		}
		return
	}
	p.task, p.n = t, int64(n)
	p.next.Store(0)
	p.done.Add(helpers)
	for _, wake := range p.wake[:helpers] {
		wake <- struct{}{}
	}
	p.work(0)
	p.done.Wait()
	p.task = nil
	if f := p.failure.Swap(nil); f != nil {
		panic(f.value)
	}
}

func (p *Pool) work(worker int) {
	defer func() {
		if v := recover(); v != nil {
			p.next.Store(p.n)
			p.failure.CompareAndSwap(nil, &failure{v})
		}
	}()
	for {
		i := p.next.Add(1) - 1
		if i >= p.n {
			return
		}
		p.task.Run(worker, int(i))
	}
}

// Close ends the pool's goroutines. No Do may be under way.
func (p *Pool) Close() {
	for _, wake := range p.wake {
		close(wake)
	}
	p.wake, p.threads = nil, 1
}
