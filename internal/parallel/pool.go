// Package parallel runs the parts of one computation on a fixed number of threads, without allocating per call.
package parallel

import (
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/cpu"

	"github.com/dl4go/dl4go/internal/cores"
)

// Task is a computation in n independent parts. Run is called once for each part i in [0, n), from any worker. worker
// is in [0, threads), and no two calls with the same worker overlap, so that each worker can have its own scratch
// memory. The result of a part must not depend on worker.
type Task interface {
	Run(worker, i int)
}

// Pool is a set of threads; the caller of Do is one of them. Only one Do may run at a time: a Pool belongs to one
// executor.
//
// A training step has a few hundred computations of microseconds each, while waking a sleeping thread takes tens of
// microseconds. So the other threads look for work for a while before they sleep, and Do does not wait for a thread
// that has not begun.
type Pool struct {
	threads int
	helpers []helper
	task    Task
	sharing int // workers that have a share of the current Do
	failure atomic.Pointer[failure]

	// round holds the number of helpers inside the current Do, whether more may join it, and its number. All threads
	// write it, and look at it while they wait. So it has a cache line of its own.
	_     cpu.CacheLinePad
	round atomic.Uint64
	_     cpu.CacheLinePad
}

const (
	inside   = 1<<16 - 1
	open     = 1 << 16
	oneRound = 1 << 17
)

type helper struct {
	share  share // of the parts of the current Do
	asleep atomic.Bool
	wake   chan struct{} // one token for every time that Do sets asleep from true to false
	_      cpu.CacheLinePad
}

type failure struct{ value any }

// MaxThreads is the maximum number of threads of a pool.
const MaxThreads = 1024

// New starts a pool. threads below 1 means one for each core; the maximum is MaxThreads. Close ends its
// goroutines.
func New(threads int) *Pool {
	if threads < 1 {
		threads = cores.Count()
	}
	threads = min(threads, MaxThreads)
	p := &Pool{threads: threads, helpers: make([]helper, threads)}
	for w := 1; w < threads; w++ {
		p.helpers[w].wake = make(chan struct{}, 1)
		go p.help(w, &p.helpers[w])
	}
	return p
}

// Threads returns the number of workers that call Task.Run.
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
	p.task, p.sharing = t, helpers+1
	for w := range p.sharing {
		p.helpers[w].share.set(w*n/p.sharing, (w+1)*n/p.sharing)
	}
	p.round.Store(p.round.Load()&^inside + oneRound | open)
	for w := 1; w <= helpers; w++ {
		if h := &p.helpers[w]; h.asleep.Load() && h.asleep.CompareAndSwap(true, false) {
			h.wake <- struct{}{}
		}
	}
	p.work(0)
	for looks, round := 1, p.round.And(^uint64(open)); round&inside != 0; looks, round = looks+1, p.round.Load() {
		if pause(); looks%looksATime == 0 {
			runtime.Gosched()
		}
	}
	p.task = nil
	if f := p.failure.Swap(nil); f != nil {
		panic(f.value)
	}
}

// help joins one Do after the other, until the pool is closed.
func (p *Pool) help(w int, h *helper) {
	last := uint64(0)
	for {
		round, ok := p.wait(h, last)
		if !ok {
			return
		}
		if p.round.CompareAndSwap(round, round+1) {
			last = round / oneRound
			p.work(w)
			p.round.Add(^uint64(0))
		}
	}
}

// A thread that waits looks a number of times, with a pause of the processor after each, and then lets other goroutines
// run. A helper does that as often as patience says before it sleeps: for about 200 to 500 µs.
const (
	looksATime = 8
	patience   = 500
)

// wait waits for a round other than last that can be joined; ok is false if there will be none.
func (p *Pool) wait(h *helper, last uint64) (round uint64, ok bool) {
	ready := func() bool {
		round = p.round.Load()
		return round&open != 0 && round/oneRound != last
	}
	for {
		for range patience {
			for range looksATime {
				if ready() {
					return round, true
				}
				pause()
			}
			runtime.Gosched()
		}
		h.asleep.Store(true)
		if ready() && h.asleep.CompareAndSwap(true, false) {
			return round, true
		}
		if _, ok := <-h.wake; !ok {
			return 0, false
		}
	}
}

// work computes a worker's share of the current Do, then parts of the others' shares.
func (p *Pool) work(worker int) {
	defer func() {
		if v := recover(); v != nil {
			for w := range p.helpers {
				p.helpers[w].share.set(0, 0)
			}
			p.failure.CompareAndSwap(nil, &failure{v})
		}
	}()
	own := &p.helpers[worker].share
	for i, ok := own.first(); ok; i, ok = own.first() {
		p.task.Run(worker, i)
	}
	for w := 1; w < p.sharing; w++ {
		of := &p.helpers[(worker+w)%p.sharing].share
		for i, ok := of.last(); ok; i, ok = of.last() {
			p.task.Run(worker, i)
		}
	}
}

// Close ends the pool's goroutines. No Do may be running.
func (p *Pool) Close() {
	for w := 1; w < p.threads; w++ {
		close(p.helpers[w].wake)
	}
	p.threads = 1
}
