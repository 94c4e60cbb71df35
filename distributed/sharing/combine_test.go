package sharing

import (
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn/updater"
)

// TestCombine checks that the mean of two workers' updates is, to the bit, the sum at half the learning rate, because
// halving is exact.
func TestCombine(t *testing.T) {
	fit := func(on string, combine Combine, rate float64) []float32 {
		e := open(t, on)
		net := small(t, updater.Sgd{LearningRate: rate})
		c := config()
		c.BatchSizePerWorker = 4
		d, err := distributed.FromDataSets(e, classes(64, 1), 2)
		if err != nil {
			t.Fatal(err)
		}
		if err := master(t, c, Options{MinWorkers: 2, Combine: combine}).FitEpochs(t.Context(), net, d, 3, nil); err != nil {
			t.Fatal(err)
		}
		return slices.Clone(net.Params())
	}
	sum := fit("local[2]", Sum, 0.25)
	for _, on := range []string{"local[2]", "processes[2]"} {
		if mean := fit(on, Mean, 0.5); !slices.Equal(mean, sum) {
			t.Errorf("%s: the mean at the rate 0.5 is not the sum at the rate 0.25", on)
		}
	}
	if slices.Equal(sum, fit("local[2]", Sum, 0.5)) || !slices.Equal(sum, fit("local[2]", "", 0.5)) {
		t.Error("the mean is not the default, or the learning rate makes no difference")
	}
	if _, err := New(config(), Options{Combine: "most"}); err == nil || !strings.Contains(err.Error(), `combine is "most"`) {
		t.Errorf("an unknown way: %v", err)
	}
}
