package paramavg

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestOrdersAreFreed checks that after the first pass over many examples, the driver's heap doesn't grow with further
// passes.
func TestOrdersAreFreed(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // whatever pace the tests have: that decides how far a heap grows
	var first, last runtime.MemStats
	for pass := range uint64(4) {
		l := Layout{Workers: 2, Batch: 256, Frequency: 5, Seed: 1, Epoch: pass, Strategy: Balanced, Repartition: Always,
			Partitions: []int{manyExamples, manyExamples}}
		tidy(l.Examples())
		rounds, err := ByIndex{}.schedule(l)
		if err != nil {
			t.Fatal(err)
		}
		a := rounds.shape(2).assignment(rounds, nil).Listed()
		runtime.ReadMemStats(&last)
		if pass == 0 {
			first = last
		}
		runtime.KeepAlive(a)
	}
	order := uint64(8 * 2 * manyExamples)
	if last.HeapAlloc > first.HeapAlloc+order/2 || last.HeapSys > first.HeapSys+order {
		t.Errorf("the heap grew from %d of %d to %d of %d bytes", first.HeapAlloc, first.HeapSys, last.HeapAlloc,
			last.HeapSys)
	}
}
