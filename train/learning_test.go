package train_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/train"
)

// TestLearningIsRecorded: each way of training records the same figures, and measuring does not change the network.
// (The result of gradient sharing depends on the order of the updates.)
func TestLearningIsRecorded(t *testing.T) {
	for name, method := range methods(t) {
		t.Run(name, func(t *testing.T) {
			fit := func(file string) *train.Result {
				c := train.Config{Network: network(t, "mlp"), Data: open(t, "digits:train"), HeldOut: open(t, "digits:test"),
					Epochs: 2, Seed: 7, StatsFile: file}
				method(&c)
				var epochs []train.EpochEnded
				c.Listen = func(e train.Event) {
					if e, ok := e.(train.EpochEnded); ok {
						epochs = append(epochs, e)
					}
				}
				r, err := train.Fit(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				for i, e := range epochs {
					for name, want := range map[string]float64{"epochLoss": e.Score, "heldOutLoss": *e.HeldOut,
						"accuracy": *e.Accuracy} {
						if s := seriesNamed(r.Series, name); len(s.Values) != 2 || s.Values[i] != want || s.Iterations[i] != e.Iteration {
							t.Errorf("epoch %d: %s is %v, in the series %+v", i, name, want, s)
						}
					}
					if e.LearningRate == nil {
						t.Errorf("epoch %d has no learning rate", i)
					}
				}
				return r
			}
			without := fit("")
			file := filepath.Join(t.TempDir(), "run.json")
			with := fit(file)
			if name != "sharing" && !slices.Equal(with.Network.Params(), without.Network.Params()) {
				t.Error("measuring has changed the network")
			}
			names := []string{"loss", "learningRate", "ratio/0_W", "gradients/1_b", "activations/layer0", "dead/layer0",
				"norm/gradient", "norm/update", "cpu/driver", "gc/driver", "memory/driver"}
			if name != "plain" {
				names = append(names, "speed/partition 0", "slower/partition 0", "cpu/partition 0", "gc/partition 0",
					"memory/partition 0", "restarts/partition 0", "workers/training")
			}
			if name == "sharing" {
				names = append(names, "bytesSent", "sharing/bytesReceived", "sharing/lag", "sharing/residualNorm")
			}
			for _, name := range names {
				s := seriesNamed(with.Series, name)
				if len(s.Values) == 0 {
					t.Errorf("there is no series %s", name)
				}
			}
			if s := seriesNamed(without.Series, "ratio/0_W"); len(s.Values) != 0 {
				t.Error("a run without statistics was measured")
			}
		})
	}
}

// TestLossesAreApart: with early stopping by the held-out loss, the steps' losses are a series of their own.
func TestLossesAreApart(t *testing.T) {
	for _, metric := range []string{"loss", "accuracy"} {
		steps := 0
		c := train.Config{Network: network(t, "softmax"), Data: open(t, "digits:train"), HeldOut: open(t, "digits:test"),
			Epochs: 3, Stopping: &train.Stopping{Patience: 5, Metric: metric}}
		c.Listen = func(e train.Event) {
			if _, ok := e.(train.Step); ok {
				steps++
			}
		}
		r, err := train.Fit(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for name, n := range map[string]int{"loss": steps, "heldOutLoss": 3, "accuracy": 3} {
			if s := seriesNamed(r.Series, name); len(s.Values) != n {
				t.Errorf("by %s: %s has %d points, wanted %d", metric, name, len(s.Values), n)
			}
		}
	}
}

func seriesNamed(all []stats.Series, name string) stats.Series {
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	return stats.Series{}
}

// TestKilledRunKeepsItsFigures: statistics are written beside checkpoints, so that a run that goes on has those of a
// part that was killed.
func TestKilledRunKeepsItsFigures(t *testing.T) {
	dir := t.TempDir()
	c := train.Config{Network: network(t, "softmax"), Data: open(t, "digits:train"), Epochs: math.MaxInt32, Seed: 1,
		Save: filepath.Join(dir, "model.zip"), StatsFile: filepath.Join(dir, "run.json"),
		Checkpoint: train.Checkpoint{Dir: filepath.Join(dir, "run"), Every: time.Nanosecond}}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var soFar []byte
	c.Listen = func(e train.Event) {
		if e, ok := e.(train.CheckpointKept); ok && e.Iteration > 0 && ctx.Err() == nil {
			soFar, _ = os.ReadFile(c.StatsFile)
			interrupt()
		}
	}
	if _, err := train.Fit(ctx, c); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.StatsFile, soFar, 0o600); err != nil { // a killed run does not write the last ones
		t.Fatal(err)
	}
	var err error
	if c.From, err = train.Resume(t.Context(), c.Checkpoint.Dir, train.Claim{}); err != nil {
		t.Fatal(err)
	}
	c.Network, c.Listen, c.Epochs = c.From.Network, nil, c.From.Network.Base().Epoch()+1
	from := c.Network.Base().Iteration()
	result, err := train.Fit(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if s := seriesNamed(result.Series, "loss"); len(s.Iterations) == 0 || s.Iterations[0] > from {
		t.Errorf("the losses are of iterations %v, and the run went on from %d", s.Iterations, from)
	}
}
