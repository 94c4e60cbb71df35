package train_test

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/train"
)

// TestFindLearningRate: the rates rise by a factor, the network learns at the proposed rate, and the network is
// unchanged.
func TestFindLearningRate(t *testing.T) {
	e, err := engine.Open(t.Context(), "local[2]", engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	patient := distributed.DefaultTiming() // a worker that stands still is waited for
	for _, d := range []*time.Duration{&patient.Quiet, &patient.Silence, &patient.Orphan} {
		*d = time.Hour
	}
	for name, method := range map[string]train.Method{"plain": train.Plain{}, "averaging": train.Averaging{},
		"sharing": train.Sharing{Options: sharing.Options{Lag: 4, Timing: patient}}} {
		t.Run(name, func(t *testing.T) {
			net := network(t, "mlp")
			before := slices.Clone(net.Params())
			c := train.Config{Network: net, Data: open(t, "digits:train"), Seed: 1, Method: method, Engine: e}
			got, err := train.FindLearningRate(t.Context(), c, train.RangeTest{From: 1e-6, To: 10, Steps: 71})
			if err != nil {
				t.Fatal(err)
			}
			for i, rate := range got.Rate {
				if exponent := 10 * math.Log10(rate/1e-6); math.Round(exponent) != float64(i) {
					t.Fatalf("step %d has the rate %v", i, rate)
				}
			}
			rate, ok := got.Proposed()
			most := 0.3
			if name == "sharing" { // its threshold limits the updates for any rate
				most = 10
			}
			if !ok || rate < 1e-4 || rate > most {
				t.Errorf("%v is proposed: %v", rate, got.Smoothed)
			}
			again, err := train.FindLearningRate(t.Context(), c, train.RangeTest{From: 1e-6, To: 10, Steps: 71})
			if err != nil || !slices.Equal(again.Loss, got.Loss) { // in lockstep, too, no worker is ahead of others
				t.Errorf("another test has the losses %v, not %v (%v)", again.Loss, got.Loss, err)
			}
			if !slices.Equal(before, net.Params()) || net.Iteration() != 0 {
				t.Error("the test has changed the network")
			}
		})
	}
	c := train.Config{Network: network(t, "mlp"), Data: open(t, "digits:train"), Engine: e}
	var wrong *train.ConfigError
	if _, err := train.FindLearningRate(t.Context(), c, train.RangeTest{From: 1, To: 0.1}); !errors.As(err, &wrong) {
		t.Errorf("rates that fall: %v", err)
	}
}
