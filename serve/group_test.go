package serve

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/dl4go/dl4go/internal/await"
)

// held takes the only seat of a predictor.
func held(p *Predictor) *seat {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.take(&group{})
}

// TestLeaves: a call whose context ends leaves its group, and the others are answered.
func TestLeaves(t *testing.T) {
	p := predictor(t, regression(t), Options{Concurrency: 1})
	s := held(p)
	ctx, cancel := context.WithCancel(t.Context())
	var wait, left sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			if out, err := p.Predict(t.Context(), numbers(1, 3)); err != nil || len(out) != 1 {
				t.Errorf("a call that stays: %v", err)
			}
		})
	}
	left.Go(func() {
		if _, err := p.Predict(ctx, numbers(1, 3)); !errors.Is(err, context.Canceled) {
			t.Errorf("a call that leaves: %v", err)
		}
	})
	await.Until(t, "three calls that wait", waits(p, 3))
	cancel()
	left.Wait()
	if n := p.Waiting(); n != 2 {
		t.Errorf("%d calls wait, not 2", n)
	}
	p.handOver(s)
	wait.Wait()
}

// TestPanicOfWaiting: where the computation of waiting calls panics, the first of them panics, the others have an
// error, and the predictor goes on.
func TestPanicOfWaiting(t *testing.T) {
	asked := 0
	p := predictor(t, regression(t), Options{Concurrency: 1, Observe: func(Batch) {
		if asked++; asked == 1 {
			panic("observed")
		}
	}})
	s := held(p)
	results := make(chan any, 2)
	for range 2 {
		go func() {
			defer func() {
				if r := recover(); r != nil {
					results <- r
				}
			}()
			_, err := p.Predict(t.Context(), numbers(1, 3))
			results <- err
		}()
	}
	await.Until(t, "two calls that wait", waits(p, 2))
	p.handOver(s)
	a, b := <-results, <-results
	if a != "observed" {
		a, b = b, a
	}
	if err, _ := b.(error); a != "observed" || !errors.Is(err, errAbandoned) {
		t.Errorf("the calls ended with %v and %v", a, b)
	}
	if _, err := p.Predict(t.Context(), numbers(1, 3)); err != nil {
		t.Error(err)
	}
}
