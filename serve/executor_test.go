package serve

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/dl4go/dl4go/internal/cpu"
)

// counted is an executor that is counted until it is closed.
type counted struct {
	*cpu.Executor
	open *atomic.Int64
}

func (c counted) Close() {
	c.open.Add(-1)
	c.Executor.Close()
}

// TestExecutors: each minibatch that is computed at a time has an executor, made when it is needed and closed with the
// predictor. One that can't be made is the error of the call.
func TestExecutors(t *testing.T) {
	net := regression(t)
	x := numbers(5, 3)
	want, err := predictor(t, net, Options{}).Predict(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	var open atomic.Int64
	refused := errors.New("no device")
	fails := true
	p, err := New(net, Options{Concurrency: 2, Executor: func() (Executor, error) {
		if fails {
			return nil, refused
		}
		open.Add(1)
		return counted{cpu.New(cpu.Options{Threads: 1}), &open}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Predict(t.Context(), x); !errors.Is(err, refused) {
		t.Errorf("without an executor: %v", err)
	}
	fails = false
	for range 2 {
		got, err := p.Predict(t.Context(), x)
		if err != nil || !slices.Equal(got[0].Data, want[0].Data) {
			t.Errorf("%v, not %v (%v)", got, want, err)
		}
		if n := open.Load(); n != 1 {
			t.Errorf("%d executors are open for one call at a time", n)
		}
		p.free[len(p.free)-1].tidy()
		if n := open.Load(); n != 0 {
			t.Errorf("%d executors are open on a tidied seat", n)
		}
	}
	if _, err := p.Predict(t.Context(), x); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil || open.Load() != 0 {
		t.Errorf("%d executors are open after Close, %v", open.Load(), err)
	}
}

// TestBatchSize: sizes are rounded down.
func TestBatchSize(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 2, 3: 2, 64: 64, 100: 64, 1024: 1024, 5000: 1024} {
		if got := BatchSize(n); got != want {
			t.Errorf("%d: %d, not %d", n, got, want)
		}
	}
}
