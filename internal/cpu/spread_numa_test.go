//go:build numa

package cpu

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/numa"
	"github.com/dl4go/dl4go/internal/numa/numatest"
	"github.com/dl4go/dl4go/program"
)

// vectors are the vectors of a training step.
var vectors = []program.Vector{program.Params, program.Gradient, program.State}

// TestNodesSpread: on a machine with two nodes of two processors, the memory of an executor on four threads lies on
// both: a quarter or more on each, as there are few huge pages. Its results are those of one thread, whose memory is
// not placed.
func TestNodesSpread(t *testing.T) {
	one := large(t, executor(t, 1, kernel.AVX2))
	e := executor(t, 4, kernel.AVX2)
	s := large(t, e)
	one.run(t)
	s.run(t)
	both := func(name string, x []float32) {
		if on := numatest.Pages(t, x); 4*min(on[0], on[1]) < on[0]+on[1] {
			t.Errorf("%s: pages by node %v", name, on)
		}
	}
	both("the arena", e.arena)
	for _, v := range vectors {
		both(v.String(), s.b[1].Vectors[v])
		if !slices.Equal(s.b[1].Vectors[v], one.b[1].Vectors[v]) {
			t.Errorf("%v differs from that of one thread", v)
		}
	}
}

// TestNodesSettled: a process that has settled computes on memory of its node. Its executors place nothing.
func TestNodesSettled(t *testing.T) {
	on, ok := numa.Settle(2)
	if !ok || numa.Here() != nil {
		t.Fatal("the process has not settled on a node:", numa.Here())
	}
	e := executor(t, 2, kernel.AVX2)
	if e.spread.nodes != nil {
		t.Error("memory is spread over", e.spread.nodes)
	}
	s := large(t, e)
	s.run(t)
	near := func(name string, x []float32) {
		if pages := numatest.Pages(t, x); len(pages) != 1 || pages[on.Number] == 0 {
			t.Errorf("%s: settled on %v, pages by node %v", name, on, pages)
		}
	}
	near("the arena", e.arena)
	for _, v := range vectors {
		near(v.String(), s.b[1].Vectors[v])
	}
	if on, ok := numa.Settle(1); ok {
		t.Error("it moves to", on)
	}
}
