package mesh

import (
	"testing"

	"github.com/dl4go/dl4go/internal/coordination"
)

var modes = map[string]coordination.Mode{"plain": coordination.Plain, "mesh": coordination.Mesh}

func TestRunMemory(t *testing.T) {
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			net := NewMemory()
			r := &testRun{t: t, mode: mode, kill: true,
				transport: func(r Role) Transport { return net.Transport(r, patient(Options{})) }}
			r.run()
		})
	}
}

func TestRunSecure(t *testing.T) {
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			pair := testPair(t, testJob)
			r := &testRun{t: t, mode: mode, kill: true, padding: 5_000,
				transport: func(r Role) Transport { return testSecure(t, pair.of(r), Options{}) }}
			r.run()
		})
	}
}

// TestRunRestart ends a coordinator without a message and starts another from a checkpoint, at the same address and
// with the same credentials. The workers must outlive the first one.
func TestRunRestart(t *testing.T) {
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			pair := testPair(t, testJob)
			r := &testRun{t: t, mode: mode, restart: true, padding: 1_000,
				transport: func(r Role) Transport { return testSecure(t, pair.of(r), Options{Log: silent}) }}
			r.run()
		})
	}
}
