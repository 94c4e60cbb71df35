package cpu

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/programtest"
)

// Random programs have the naive executor's results, on any number of threads.
func TestRandomPrograms(t *testing.T) {
	n := campaign.Count(40, 150, 3_000)
	campaign.Record(t).Add(n)
	for seed := range n {
		p, err := programtest.Random(uint64(seed), 4+seed%25)
		if err != nil {
			t.Fatal(err)
		}
		b := programtest.Bind(p, -1, 1)
		want := runs(t, naive.Executor{}, p, b, 1)
		all := kernel.Available()
		on := executors[all[len(all)-1-seed%len(all)]]
		var first []string
		for threads := 1; threads <= 4; threads++ {
			got := runs(t, on[threads-1], p, b, 1)
			if first == nil { // the others have its bits
				for i := range want {
					if d := programtest.Deviation(got[i], want[i], 1e-3); d != "" {
						var s strings.Builder
						_ = p.Dump(&s)
						t.Fatalf("seed %d, %v, result %d: %s\n%s", seed, on[0].Kernels(), i, d, s.String())
					}
				}
				first = bits(got)
			}
			for i, x := range bits(got) {
				if x != first[i] {
					t.Fatalf("seed %d, result %d: %d threads and 1 thread differ", seed, i, threads)
				}
			}
		}
	}
}
