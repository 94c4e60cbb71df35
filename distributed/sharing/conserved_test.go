package sharing

import (
	"math"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/threshold"
)

// TestConserved: at the end of a fit the network has moved by the sum of the workers' updates, less what clipping took.
func TestConserved(t *testing.T) {
	for name, post := range map[string]threshold.PostProcessor{"clipped": threshold.NewResidualClipping(), "not clipped": nil} {
		c := config()
		c.ResidualPostProcessor = post
		net := network(t, "mlp", 3)
		before := slices.Clone(net.Params())
		l := newLockstep(t, net, singles(digits(t, "train").Range(0, 640)), 2, c, threshold.Options{Ledger: true})
		l.fit()
		if err := net.SetParams(l.replicas[0].net.Params()); err != nil {
			t.Fatal(err)
		}
		sent := slices.Clone(net.Params())
		if err := settleResidual(net.Params(), l.report().residual); err != nil {
			t.Fatal(err)
		}
		if slices.Equal(sent, net.Params()) {
			t.Errorf("%s: nothing was left in the residuals", name)
		}
		for i, x := range before {
			want, magnitude := float64(x), math.Abs(float64(x))
			for _, r := range l.replicas {
				a := r.encoder.Ledger()
				want -= a.Updates[i] - a.Clipped[i]
				magnitude += a.Magnitude[i]
			}
			if got := float64(net.Params()[i]); !near.Equal(got, want, 2e-6*magnitude, 0) {
				t.Fatalf("%s: parameter %d is %v, the updates make it %v", name, i, got, want)
			}
		}
	}
}

// TestResidualsAreKept: where the threshold lets nothing pass, a fit still moves the network by all updates, once.
func TestResidualsAreKept(t *testing.T) {
	examples := classes(64, 1)
	for _, on := range []string{"local[2]", "processes[2]"} {
		const rate = 0.01
		net := small(t, updater.Sgd{LearningRate: rate})
		all, err := data.Merge(examples)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(net.Params())
		// No worker's parameters move, so the updates of two epochs are twice the mean gradient for each of the minibatches.
		_, gradient, err := net.Gradient(all, nn.Key{})
		if err != nil {
			t.Fatal(err)
		}
		c := config()
		for i, g := range gradient {
			want[i] -= 2 * rate * g / float32(c.Minibatch())
		}
		c.ThresholdAlgorithm = threshold.Fixed{T: 1e6}
		d, err := distributed.FromDataSets(open(t, on), examples, 2)
		if err != nil {
			t.Fatal(err)
		}
		m := master(t, c, Options{})
		if err := m.FitEpochs(t.Context(), net, d, 2, nil); err != nil {
			t.Fatal(err)
		}
		for i, x := range net.Params() {
			if !near.Equal(x, want[i], 1e-5, 0) {
				t.Fatalf("%s: parameter %d is %v, the updates make it %v", on, i, x, want[i])
			}
		}
		if last := m.Last(); last.Losses.Dropped.Count != 0 || last.Updates != 8 {
			t.Errorf("%s: the fit was %+v", on, last)
		}
	}
}
