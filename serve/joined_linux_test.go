package serve

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dl4go/dl4go/tensor"
)

// BenchmarkJoined predicts rows in turns by minibatches of 64 and by single rows of 256 goroutines. It reports the
// median ratio of their processor times: the throughput that joining leaves.
func BenchmarkJoined(b *testing.B) {
	const rows, callers = 64 * 256, 256
	p := predictor(b, mnist(b), Options{MaxBatch: 64})
	ask := func(ctx context.Context, x *tensor.Dense) {
		if _, err := p.Predict(ctx, x); err != nil {
			b.Error(err)
		}
	}
	whole, one := numbers(64, 784), numbers(1, 784)
	direct := func() {
		var wait sync.WaitGroup
		for range 2 {
			wait.Go(func() {
				ctx, cancel := context.WithCancel(b.Context())
				defer cancel()
				for range rows / 64 / 2 {
					ask(ctx, whole)
				}
			})
		}
		wait.Wait()
	}
	joined := func() {
		var wait sync.WaitGroup
		var asked atomic.Int64
		for range callers {
			wait.Go(func() {
				ctx, cancel := context.WithCancel(b.Context())
				defer cancel()
				for asked.Add(1) <= rows {
					ask(ctx, one)
				}
			})
		}
		wait.Wait()
	}
	var ratios []float64
	for b.Loop() {
		begin := processorTime(b)
		direct()
		middle := processorTime(b)
		joined()
		ratios = append(ratios, float64(middle-begin)/float64(processorTime(b)-middle))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "joined/direct")
}

// processorTime is the time that this process has been on processors.
func processorTime(b *testing.B) time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
