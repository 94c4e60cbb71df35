package paramavg

import (
	"testing"

	"github.com/dl4go/dl4go/nn/updater"
)

// TestInterruptedInSlices checks that a run which ends while workers keep results to themselves makes a checkpoint of
// the last whole result, not of the rounds after it, and only one.
func TestInterruptedInSlices(t *testing.T) {
	var saved kept
	m, err := New(config(4, 2), Options{Checkpoints: &saved})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	net := network(t, updater.NewAdam(), nil)
	r := results{course: &course{master: m, net: &net.Network}}
	n, u := net.NumParams(), len(net.UpdaterState())
	whole := &state{Workers: 2, Iteration: 3, Params: n, Updater: u, vectors: vectors(n+u, false)}
	for i := range whole.vectors {
		whole.vectors[i] = 8
	}
	row, err := whole.row()
	if err != nil {
		t.Fatal(err)
	}
	net.SetIteration(3)
	if _, err := r.take(whole, row, 1, 20); err != nil {
		t.Fatal(err)
	}
	net.SetIteration(6)
	if start, err := r.take(&state{Workers: 2, Iteration: 6}, nil, 2, 40); start != nil || err != nil {
		t.Fatalf("%d bytes are the start after a result without vectors (%v)", len(start), err)
	}
	for range 2 {
		if err := r.interrupted(); err != nil {
			t.Fatal(err)
		}
	}
	if len(saved) != 1 || saved[0].Iteration != 3 || saved[0].Place.Done != 1 || saved[0].Place.Examples != 20 ||
		saved[0].Params[0] != 4 {
		t.Errorf("checkpoints: %+v", saved)
	}
}
