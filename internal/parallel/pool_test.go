package parallel_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/dl4go/dl4go/internal/allocs"
	"github.com/dl4go/dl4go/internal/parallel"
)

// counting checks that every part is run once, and that no two parts run on one worker at a time.
type counting struct {
	parts []atomic.Int32
	busy  []atomic.Bool
	clash atomic.Bool
}

func (c *counting) Run(worker, i int) {
	if c.busy[worker].Swap(true) {
		c.clash.Store(true)
	}
	c.parts[i].Add(1)
	if i%7 == 0 {
		runtime.Gosched()
	}
	c.busy[worker].Store(false)
}

func TestEveryPartRunsOnce(t *testing.T) {
	for threads := 1; threads <= 6; threads++ {
		pool := parallel.New(threads)
		if pool.Threads() != threads {
			t.Errorf("%d threads where %d were asked for", pool.Threads(), threads)
		}
		for round := range 2000 {
			n := round % 23
			c := &counting{parts: make([]atomic.Int32, n), busy: make([]atomic.Bool, threads)}
			pool.Do(n, c)
			for i := range c.parts {
				if got := c.parts[i].Load(); got != 1 {
					t.Fatalf("%d threads, %d parts: part %d ran %d times", threads, n, i, got)
				}
			}
			if c.clash.Load() {
				t.Fatalf("%d threads: two parts at a time on one worker", threads)
			}
			if round%100 == 0 { // long enough for the helpers to fall asleep
				for range 3000 {
					runtime.Gosched()
				}
			}
		}
		pool.Close()
	}
}

type meeting struct{ arrived atomic.Int32 }

func (m *meeting) Run(_, _ int) {
	m.arrived.Add(1)
	for m.arrived.Load() < 3 {
		runtime.Gosched()
	}
}

func TestPartsRunAtTheSameTime(t *testing.T) {
	pool := parallel.New(3)
	defer pool.Close()
	for range 50 {
		pool.Do(3, new(meeting))
	}
}

type failing struct{ at int }

func (f failing) Run(_, i int) {
	if i == f.at {
		panic("part failed")
	}
}

func TestPanicReachesTheCaller(t *testing.T) {
	for _, threads := range []int{1, 3} {
		pool := parallel.New(threads)
		for round := range 100 {
			func() {
				defer func() {
					if v := recover(); v != "part failed" {
						t.Errorf("recovered %v", v)
					}
				}()
				pool.Do(10, failing{round % 10})
			}()
			pool.Do(5, failing{-1})
		}
		pool.Close()
	}
}

func TestClosedPoolRunsOnTheCaller(t *testing.T) {
	pool := parallel.New(4)
	pool.Close()
	pool.Close()
	c := &counting{parts: make([]atomic.Int32, 5), busy: make([]atomic.Bool, 1)}
	pool.Do(5, c)
	if c.parts[4].Load() != 1 {
		t.Error("not run")
	}
}

func TestDoAllocatesNothing(t *testing.T) {
	pool := parallel.New(3)
	defer pool.Close()
	c := &counting{parts: make([]atomic.Int32, 50), busy: make([]atomic.Bool, 3)}
	if n := allocs.PerRun(100, func() { pool.Do(50, c) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

type nothing struct{}

func (nothing) Run(_, _ int) {}

// BenchmarkDo measures the cost of running something on all threads.
func BenchmarkDo(b *testing.B) {
	pool := parallel.New(0)
	defer pool.Close()
	for b.Loop() {
		pool.Do(pool.Threads(), nothing{})
	}
}
