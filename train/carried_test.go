package train_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/train"
)

// TestSharingGoesOnBetweenEpochs: gradient sharing that is interrupted between two epochs, and resumed, ends with the
// bits of a run without a break. So checkpoints have the residual that one epoch leaves to the next.
func TestSharingGoesOnBetweenEpochs(t *testing.T) {
	e, err := engine.Open(t.Context(), "local[2]", engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	c := train.Config{Data: open(t, "digits:train"), HeldOut: open(t, "digits:test"), Epochs: 4, Seed: 1, Engine: e,
		Method: train.Sharing{Options: sharing.Options{MinWorkers: 2}}} // a late worker would change the order of updates
	whole := c
	whole.Network = network(t, "mlp")
	if _, err := train.Fit(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c.Save = filepath.Join(dir, "model.zip")
	c.Checkpoint = train.Checkpoint{Dir: filepath.Join(dir, "run"), Every: time.Hour}
	c.Network = network(t, "mlp")
	for epoch := range 3 {
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		c.Listen = func(e train.Event) {
			if _, ended := e.(train.EpochEnded); ended {
				interrupt()
			}
		}
		_, err := train.Fit(ctx, c)
		if u := new(train.UnfinishedError); !errors.As(err, &u) || u.Checkpoint != c.Checkpoint.Dir {
			t.Fatalf("interrupted after epoch %d: %v", epoch+1, err)
		}
		if c.From, err = train.Resume(t.Context(), c.Checkpoint.Dir, train.Claim{}); err != nil {
			t.Fatal(err)
		}
		if c.Network = c.From.Network; c.Network.Base().Epoch() != epoch+1 || c.From.InEpoch {
			t.Fatalf("the checkpoint is of epoch %d", c.Network.Base().Epoch())
		}
	}
	c.Listen = nil
	if _, err := train.Fit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Network.Base().Params(), whole.Network.Base().Params()) {
		t.Error("the parameters differ from those of a run without a break")
	}
}
