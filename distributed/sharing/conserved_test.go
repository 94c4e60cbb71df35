package sharing

import (
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/threshold"
)

// lacking returns a network's parameters minus a residual: what they are when all of it is sent.
func lacking(params, residual []float32) []float32 {
	all := slices.Clone(params)
	for i, v := range residual {
		all[i] -= v
	}
	return all
}

// TestConserved checks that the parameters after a fit, minus the residual that is carried into the next one, have
// moved by the sum of the workers' updates minus the clipped amounts.
func TestConserved(t *testing.T) {
	for name, post := range map[string]threshold.PostProcessor{"clipped": threshold.NewResidualClipping(),
		"not clipped": nil} {
		c := config()
		c.ResidualPostProcessor = post
		net := network(t, "mlp", 3)
		before := slices.Clone(net.Params())
		l := newLockstep(t, net, singles(digits(t, "train").Range(0, 640)), 2, c, threshold.Options{Ledger: true})
		l.fit()
		if err := net.SetParams(l.replicas[0].net.Params()); err != nil {
			t.Fatal(err)
		}
		all := lacking(net.Params(), l.report().residual)
		if slices.Equal(all, net.Params()) {
			t.Errorf("%s: nothing was left in the residuals", name)
		}
		for i, x := range before {
			want, magnitude := float64(x), math.Abs(float64(x))
			for _, r := range l.replicas {
				a := r.encoder.Ledger()
				want -= a.Updates[i] - a.Clipped[i]
				magnitude += a.Magnitude[i]
			}
			if got := float64(all[i]); !near.Equal(got, want, 2e-6*magnitude, 0) {
				t.Fatalf("%s: parameter %d is %v, the updates make it %v", name, i, got, want)
			}
		}
	}
}

// TestResidualsAreKept checks fits whose threshold lets nothing pass. The network does not move, and the master carries
// all updates on, whether they are of one fit or of several, also with another number of workers.
func TestResidualsAreKept(t *testing.T) {
	examples := classes(64, 1)
	for _, fits := range [][]string{{"local[2]"}, {"processes[2]"}, {"local[2]", "processes[2]"}, {"local[2]", "local[4]"},
		{"processes[2]", "local[1]"}} {
		const rate = 0.01
		net := small(t, updater.Sgd{LearningRate: rate})
		all, err := data.Merge(examples)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(net.Params())
		before := slices.Clone(want)
		// No worker's parameters move, so the updates of two epochs are twice the mean gradient of each minibatch.
		_, gradient, err := net.Gradient(all, nn.Key{})
		if err != nil {
			t.Fatal(err)
		}
		c := config()
		for i, g := range gradient {
			want[i] -= 2 * rate * g / float32(c.Minibatch())
		}
		c.ThresholdAlgorithm = threshold.Fixed{T: 1e6}
		var log strings.Builder
		m := master(t, c, Options{Combine: Sum, Log: slog.New(slog.NewTextHandler(&log, nil))})
		for _, on := range fits {
			d, err := distributed.FromDataSets(open(t, on), examples, 2)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.FitEpochs(t.Context(), net, d, 2/len(fits), nil); err != nil {
				t.Fatal(err)
			}
			if last := m.Last(); last.Losses != (Losses{}) || last.Updates != 8/len(fits) {
				t.Errorf("%v: the fit was %+v", fits, last)
			}
		}
		if !slices.Equal(net.Params(), before) {
			t.Errorf("%v: the network has moved", fits)
		}
		if n := strings.Count(log.String(), "all updates are below the threshold"); n != len(fits) {
			t.Errorf("%v: the master has warned %d times: %s", fits, n, &log)
		}
		for i, x := range lacking(net.Params(), m.carried.residual) {
			if !near.Equal(x, want[i], 1e-5, 0) {
				t.Fatalf("%v: parameter %d is %v, the updates make it %v", fits, i, x, want[i])
			}
		}
	}
}

// TestPendingIsUnsent checks that a worker's report for a checkpoint has all updates that the checkpoint lacks: the
// residual, and the updates that are not committed yet.
func TestPendingIsUnsent(t *testing.T) {
	l := newLockstep(t, network(t, "mlp", 3), singles(digits(t, "train").Range(0, 320)), 2, config(),
		threshold.Options{Ledger: true})
	r := l.replicas[1]
	var pending []*coordination.Update
	for o := range uint32(3) {
		out := r.step(coordination.Train{Partition: 1, Ordinal: o})
		if out.Err != nil || len(out.Payload) == 0 {
			t.Fatalf("step %d sends %d bytes: %v", o, len(out.Payload), out.Err)
		}
		pending = append(pending, &coordination.Update{Partition: 1, Ordinal: o, Payload: slices.Clone(out.Payload)})
	}
	left := slices.Clone(r.encoder.Residual())
	var parts [][]byte
	for _, of := range []*replica{l.replicas[0], r} {
		var own []*coordination.Update
		if of == r {
			own = pending
		}
		b, err := of.Report(true, own)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, b)
	}
	b, err := sum(parts)
	if err != nil {
		t.Fatal(err)
	}
	all, err := unpackReport(b)
	if err != nil || all.Workers != 2 || len(all.Ahead) != 1 || all.Ahead[1] != 3 {
		t.Fatalf("%v: %d workers, ahead by %v", err, all.Workers, all.Ahead)
	}
	a := r.encoder.Ledger()
	for i, got := range all.residual {
		if want := a.Updates[i] - a.Clipped[i]; !near.Equal(float64(got), want, 2e-6*a.Magnitude[i], 0) {
			t.Fatalf("parameter %d: %v is unsent, the steps gave %v", i, got, want)
		}
	}
	if !slices.Equal(r.encoder.Residual(), left) {
		t.Error("the report has changed the residual")
	}
}
