package train

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

// softmax is a small network for the digits.
func softmax(t *testing.T) *nn.MultiLayer {
	t.Helper()
	conf, err := nn.BuiltIn("softmax", nn.BuiltInData{Input: inputtype.FeedForward(64), Classes: 10}, 1)
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// timed trains until MaxTime with a clock that advances by a second with each reading, which is after each step.
func timed(t *testing.T, c Config, seconds int) *Result {
	t.Helper()
	r, err := New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	looks := 0
	r.time.now = func() time.Time {
		looks++
		return r.begin.Add(time.Duration(looks) * time.Second)
	}
	r.conf.MaxTime = time.Duration(seconds) * time.Second
	result, err := r.Train(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestMaxTime: a run that is out of time ends after the current step, scores and saves that network, and continues
// from its checkpoint to the end of a run without an interruption.
func TestMaxTime(t *testing.T) {
	e, err := engine.Open(t.Context(), "local[2]", engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for name, method := range map[string]Method{"plain": Plain{}, "averaging": Averaging{}, "sharing": Sharing{}} {
		t.Run(name, func(t *testing.T) {
			digits, err := source.Digits("train")
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			c := Config{Network: softmax(t), Data: digits, HeldOut: digits, Epochs: 2, Seed: 1, Method: method, Engine: e,
				MaxTime: time.Hour, Save: filepath.Join(dir, "model.zip"),
				Checkpoint: Checkpoint{Dir: filepath.Join(dir, "run"), Every: time.Hour}}
			var told []TimeUp
			c.Listen = func(e Event) {
				if e, ok := e.(TimeUp); ok {
					told = append(told, e)
				}
			}
			steps := 3
			if name == "sharing" { // an epoch may be one step there
				steps = 1
			}
			result := timed(t, c, steps)
			up := result.TimeUp
			if up == nil || up.After != time.Duration(steps)*time.Second || len(told) != 1 || told[0] != *up ||
				result.HeldOut == nil || steps > 1 && (!up.InEpoch || up.Examples == 0 || result.Epochs != 0 ||
				result.Examples != up.Examples) {
				t.Fatalf("%+v, %+v, told %+v", result, up, told)
			}
			saved, err := nn.LoadNetwork(t.Context(), c.Save)
			if err != nil || !slices.Equal(saved.Params(), c.Network.Base().Params()) {
				t.Errorf("the model file has another network: %v", err)
			}
			if name == "sharing" {
				return
			}
			whole := c
			whole.Network, whole.Save, whole.Checkpoint, whole.MaxTime = softmax(t), "", Checkpoint{}, 0
			if _, err := Fit(t.Context(), whole); err != nil {
				t.Fatal(err)
			}
			if c.From, err = Resume(t.Context(), c.Checkpoint.Dir, Claim{}); err != nil {
				t.Fatal(err)
			}
			if c.From.Network.Iteration() != up.Iteration {
				t.Errorf("the checkpoint is of iteration %d, not %d", c.From.Network.Iteration(), up.Iteration)
			}
			c.Network = c.From.Network
			if _, err := Fit(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(c.Network.Base().Params(), whole.Network.Base().Params()) {
				t.Error("the run that went on came to other parameters than one without a break")
			}
		})
	}
}

// TestMaxTimeWithStopping: a run with early stopping is cut short, too, and has a model even if no epoch was scored.
func TestMaxTimeWithStopping(t *testing.T) {
	digits, err := source.Digits("train")
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Network: softmax(t), Data: digits, HeldOut: digits, MaxTime: time.Hour, Stopping: &Stopping{Patience: 5},
		Save: filepath.Join(t.TempDir(), "model.zip")}
	result := timed(t, c, 2)
	saved, err := nn.LoadNetwork(t.Context(), c.Save)
	if err != nil || result.TimeUp == nil || result.HeldOut == nil || saved.Iteration() != 2 {
		t.Errorf("%v, %+v, %v", err, result, saved)
	}
	minibatches := (1497 + DefaultBatchSmall - 1) / DefaultBatchSmall
	result = timed(t, c, minibatches+3)
	if s := result.Stopped; s == nil || s.Epochs != 1 || s.BestEpoch != 0 {
		t.Errorf("stopped: %+v", s)
	}
}

// TestFastDevRun trains one minibatch of each worker, and keeps nothing.
func TestFastDevRun(t *testing.T) {
	e, err := engine.Open(t.Context(), "local[2]", engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	digits, err := source.Digits("train")
	if err != nil {
		t.Fatal(err)
	}
	for name, method := range map[string]Method{"plain": Plain{}, "averaging": Averaging{}, "sharing": Sharing{}} {
		for _, stopping := range []*Stopping{nil, {Patience: 3}} {
			t.Run(name, func(t *testing.T) {
				dir := t.TempDir()
				result, err := Fit(t.Context(), Config{Network: softmax(t), Data: digits, HeldOut: digits, Epochs: 50,
					Method: method, Engine: e, Stopping: stopping, FastDevRun: true, Save: filepath.Join(dir, "model.zip"),
					Checkpoint: Checkpoint{Dir: filepath.Join(dir, "run")}, StatsFile: filepath.Join(dir, "stats.html")})
				if err != nil {
					t.Fatal(err)
				}
				if want := method.among(e) * DefaultBatchSmall; result.Examples != want || result.HeldOut == nil {
					t.Errorf("%d examples, not %d: %+v", result.Examples, want, result)
				}
				if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
					t.Errorf("left: %q, %v", left, err)
				}
			})
		}
	}
}

// TestOverfitBatches: a network learns a few minibatches by heart, and is scored on them. Its rate does not fall.
func TestOverfitBatches(t *testing.T) {
	digits, err := source.Digits("train")
	if err != nil {
		t.Fatal(err)
	}
	falling := updater.ExponentialSchedule{Type: updater.Epoch, InitialValue: 0.5, Gamma: 0.5}
	net, err := nn.New(nn.Configuration{InputType: inputtype.FeedForward(64),
		Updater: updater.Sgd{LearningRate: math.NaN(), LearningRateSchedule: falling},
		Layers:  []layer.Layer{layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := Fit(t.Context(), Config{Network: net, Data: digits, OverfitBatches: 1, Batch: 1, Epochs: 30})
	if err != nil {
		t.Fatal(err)
	}
	if result.Examples != 30 || *result.Accuracy != 1 {
		t.Errorf("%d examples, accuracy %v", result.Examples, *result.Accuracy)
	}
	if rate, ok := net.LearningRate(30, 30); !ok || rate != 0.5 {
		t.Errorf("the learning rate falls to %v", rate)
	}
}
