//go:build xla

package paramavg

import (
	"context"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/updater"
)

// TestDeviceShared trains with two workers on one device. The mean of their steps must be, except for rounding, the
// step on all their examples in plain training on the CPU. The same run twice must give the same bits.
func TestDeviceShared(t *testing.T) {
	m := examples(t, 40)
	sgd := updater.NewSgd()
	sgd.LearningRate = 0.3
	want := plain(t, network(t, sgd, nil), m, 11, 2*5, 2)
	var first []float32
	for range 2 {
		net := network(t, sgd, nil)
		d, err := distributed.FromDataSets(open(t, "local[2]"), single(m), 3)
		if err != nil {
			t.Fatal(err)
		}
		tm, err := New(config(5, 1), Options{Kernels: "xla-cpu?workers=2"})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := tm.Fit(context.Background(), net, d, nil); err != nil {
				t.Fatal(err)
			}
		}
		tm.Close()
		got := net.Params()
		if err := near.All(got, want[:len(got)], 1e-5, 0); err != nil {
			t.Error(err)
		}
		if first != nil && !slices.Equal(got, first) {
			t.Error("the second run gave other bits")
		}
		first = slices.Clone(got)
	}
}
