package train

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/engine"
)

// TestInterruptedRunKeepsEachStep: a run that its context ends in an epoch, between two epochs, or while it is scored,
// keeps a checkpoint of everything that was trained, however long ago the last one was.
func TestInterruptedRunKeepsEachStep(t *testing.T) {
	e, err := engine.Open(t.Context(), "local[2]", engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	digits, err := source.Digits("train")
	if err != nil {
		t.Fatal(err)
	}
	patient := sharing.Options{Timing: distributed.DefaultTiming()}
	patient.Timing.State = time.Hour // for the workers' reports
	for name, method := range map[string]Method{"plain": Plain{}, "averaging": Averaging{},
		"sharing": Sharing{Options: patient}} {
		for _, stopping := range []*Stopping{nil, {Patience: 9}} {
			if stopping != nil {
				name += " with stopping"
			}
			c := Config{Network: softmax(t), Data: digits, HeldOut: digits, Epochs: 2, Seed: 1, Method: method, Engine: e,
				Stopping: stopping}
			whole, err := Fit(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			for when, ends := range map[string]func(r *Run, e Event) bool{
				"in an epoch": func(r *Run, e Event) bool { return r.at.Part.Examples > 0 },
				// Plain training ends there, the masters end while the network is scored.
				"after its last step": func(r *Run, e Event) bool { return r.at.Part.Examples == 1497 },
				"between two epochs": func(_ *Run, e Event) bool {
					ended, ok := e.(EpochEnded)
					return ok && ended.Epoch == 0
				},
			} {
				t.Run(name+" "+when, func(t *testing.T) {
					dir := t.TempDir()
					c := c
					c.Network, c.Save = softmax(t), filepath.Join(dir, "model.zip")
					c.Checkpoint = Checkpoint{Dir: filepath.Join(dir, "run"), Every: time.Hour}
					trained := interrupted(t, c, ends)
					if c.From, err = Resume(t.Context(), c.Checkpoint.Dir, Claim{}); err != nil {
						t.Fatal(err)
					}
					if kept := 1497*c.From.Epochs + c.From.Examples; kept < trained || trained == 0 {
						t.Errorf("%d examples were trained, the checkpoint has %d", trained, kept)
					}
					c.Network = c.From.Network
					result, err := Fit(t.Context(), c)
					if err != nil {
						t.Fatal(err)
					}
					if result.Epochs != 2 || result.Examples != 2*1497 || math.IsNaN(result.Score) {
						t.Errorf("it went on to %+v", result)
					}
					if _, shares := method.(Sharing); !shares && !slices.Equal(result.Network.Params(), whole.Network.Params()) {
						t.Error("the parameters differ from those of a run without a break")
					}
				})
			}
		}
	}
}

// interrupted begins a run, which ends at an event. It returns the number of examples that were trained until then.
func interrupted(t *testing.T, c Config, ends func(r *Run, e Event) bool) (trained int) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var r *Run
	c.Listen = func(e Event) {
		if s, ok := e.(Step); ok && ctx.Err() == nil {
			trained += s.Examples
		}
		if r != nil && ends(r, e) {
			interrupt()
		}
	}
	r, err := New(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, err = r.Train(ctx)
	var u *UnfinishedError
	if !errors.As(err, &u) || !u.Interrupted || u.Checkpoint != c.Checkpoint.Dir {
		t.Errorf("it ended with %v", err)
	}
	return trained
}
