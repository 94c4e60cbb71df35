package train_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/train"
)

// TestLowerLearningRate: the new rate applies to the following steps on every kind of worker, and is in the model file
// and in checkpoints. A rate near 0 leaves the parameters almost unchanged.
func TestLowerLearningRate(t *testing.T) {
	for name, method := range methods(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c := train.Config{Network: network(t, "mlp"), Data: open(t, "digits:train"), Epochs: 4, Seed: 7,
				Save: filepath.Join(dir, "model.zip"), Checkpoint: train.Checkpoint{Dir: filepath.Join(dir, "run")}}
			method(&c)
			const by = 1e-9
			var run *train.Run
			var lowered []train.RateLowered
			var last []float32
			before, _ := c.Network.Base().LearningRate(0, 0)
			c.Listen = func(e train.Event) {
				switch e := e.(type) {
				case train.RateLowered:
					lowered = append(lowered, e)
				case train.EpochEnded:
					if e.Epoch == 2 { // the momentum of the steps before has vanished
						last = slices.Clone(c.Network.Base().Params())
					}
					if e.Epoch > 0 {
						return
					}
					for range 2 {
						if when, err := run.Remote().LowerLearningRate(math.Sqrt(by)); err != nil || when == "" {
							t.Errorf("%q, %v", when, err)
						}
					}
				}
			}
			var err error
			if run, err = train.New(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			defer run.Close()
			if _, err := run.Train(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(lowered) != 1 || !near.Equal(lowered[0].By, by, 0, 1e-9) ||
				!near.Equal(lowered[0].Rate, before*by, 0, 1e-9) {
				t.Errorf("rate %v, lowered %+v", before, lowered)
			}
			if err := near.All(c.Network.Base().Params(), last, 1e-3, 0); err != nil { // otherwise they move by 0.05
				t.Errorf("parameters moved: %v", err)
			}
			if err := run.Close(); err != nil {
				t.Fatal(err)
			}
			from, err := train.Resume(t.Context(), c.Checkpoint.Dir, train.Claim{})
			if err != nil {
				t.Fatal(err)
			}
			defer from.Close()
			saved, err := nn.LoadNetwork(t.Context(), c.Save)
			if err != nil {
				t.Fatal(err)
			}
			for name, net := range map[string]*nn.Network{"checkpoint": from.Network, "model": saved} {
				if rate, _ := net.LearningRate(0, 0); !near.Equal(rate, before*by, 0, 1e-9) {
					t.Errorf("the %s has rate %v", name, rate)
				}
			}
		})
	}
}

// TestEnd: a run ends on request after the current step, and saves its model, also with early stopping.
func TestEnd(t *testing.T) {
	for name, method := range methods(t) {
		for _, stops := range []bool{false, true} {
			c := train.Config{Network: network(t, "mlp"), Data: open(t, "digits:train"), HeldOut: open(t, "digits:test"),
				Epochs: 1000, Seed: 7, Save: filepath.Join(t.TempDir(), "model.zip")}
			method(&c)
			if stops {
				c.Stopping = &train.Stopping{Patience: 1000}
			}
			var run *train.Run
			c.Listen = func(e train.Event) {
				if e, ok := e.(train.Step); ok && e.Epoch == 1 {
					run.Remote().End()
				}
			}
			var err error
			if run, err = train.New(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			result, err := run.Train(t.Context())
			if err != nil {
				t.Fatalf("%s, stopping %v: %v", name, stops, err)
			}
			run.Close()
			if !stops && (result.TimeUp == nil || !result.TimeUp.Asked) || stops && result.Stopped == nil || result.Epochs > 2 {
				t.Errorf("%s, stopping %v: %+v", name, stops, result)
			}
			if _, err := nn.LoadNetwork(t.Context(), c.Save); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestLowerLearningRateRefused: invalid factors and runs are refused.
func TestLowerLearningRateRefused(t *testing.T) {
	c := train.Config{Network: network(t, "mlp"), Data: open(t, "digits:train"), Iterations: 2}
	methods(t)["averaging"](&c)
	run, err := train.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	for _, by := range []float64{0, 1, -1, math.NaN(), 0.5} {
		if _, err := run.Remote().LowerLearningRate(by); err == nil {
			t.Errorf("%v is taken", by)
		}
	}
}
