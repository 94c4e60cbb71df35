package sharing

import (
	"testing"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/threshold"
)

// TestLateWorker: a worker that joins during an epoch takes over another one's iteration. In the next epoch all workers
// have the same one again, and so the same learning rate of a schedule.
func TestLateWorker(t *testing.T) {
	l := newLockstep(t, network(t, "mlp", 3), singles(digits(t, "train").Range(0, 320)), 2, config(),
		threshold.Options{})
	train := func(worker, epoch, from, to int) {
		t.Helper()
		for o := from; o < to; o++ {
			out := l.replicas[worker].step(coordination.Train{Epoch: uint32(epoch), Partition: uint32(worker),
				Ordinal: uint32(o)})
			if out.Err != nil {
				t.Fatal(out.Err)
			}
		}
	}
	early, late, n := l.replicas[0], l.replicas[1], l.replicas[0].conf.Iterations
	train(0, 0, 0, 4)
	state, err := early.State()
	if err != nil {
		t.Fatal(err)
	}
	if err := late.Install(tensor.AppendBytes(nil, early.net.Params()), state); err != nil {
		t.Fatal(err)
	}
	train(0, 0, 4, n)
	train(1, 0, 0, n)
	if a, b := early.net.Iteration(), late.net.Iteration(); a != n || b != n+4 {
		t.Fatalf("the first epoch of %d minibatches ends at iterations %d and %d", n, a, b)
	}
	for w, r := range l.replicas {
		train(w, 1, 0, 3)
		if got := r.net.Iteration(); got != n+3 {
			t.Errorf("worker %d is at iteration %d, not %d", w, got, n+3)
		}
	}
}
