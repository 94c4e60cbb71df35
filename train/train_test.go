package train_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/train"
)

func open(t *testing.T, spec string) source.Source {
	t.Helper()
	s, err := source.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func network(t *testing.T, name string) *nn.MultiLayer {
	t.Helper()
	conf, err := nn.BuiltIn(name, nn.BuiltInData{Input: inputtype.ConvolutionalFlat(8, 8, 1), Classes: 10}, 1)
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

func methods(t *testing.T) map[string]func(*train.Config) {
	t.Helper()
	e, err := engine.Open(t.Context(), "local[2]", engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return map[string]func(*train.Config){
		"plain":     func(*train.Config) {},
		"averaging": func(c *train.Config) { c.Method, c.Engine = train.Averaging{}, e },
		"sharing":   func(c *train.Config) { c.Method, c.Engine = train.Sharing{}, e },
	}
}

// TestInterruptedRunGoesOn: the error of a run that a context ended in the middle of an epoch tells what was saved.
// Resumed from its checkpoint, the run ends with the parameters of an uninterrupted run.
func TestInterruptedRunGoesOn(t *testing.T) {
	for name, method := range methods(t) {
		t.Run(name, func(t *testing.T) {
			c := train.Config{Data: open(t, "digits:train"), HeldOut: open(t, "digits:test"), Epochs: 3, Seed: 1}
			method(&c)
			whole := c
			whole.Network = network(t, "softmax")
			if _, err := train.Fit(t.Context(), whole); err != nil {
				t.Fatal(err)
			}

			dir := t.TempDir()
			c.Save = filepath.Join(dir, "model.zip")
			c.Checkpoint = train.Checkpoint{Dir: filepath.Join(dir, "run"), Every: time.Nanosecond,
				Notes: train.Notes{Values: map[string][]string{"mine": {"a"}}}}
			c.Network = network(t, "softmax")
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			c.Listen = func(e train.Event) {
				if e, ok := e.(train.Step); ok && e.Epoch == 1 {
					interrupt()
				}
			}
			_, err := train.Fit(ctx, c)
			var u *train.UnfinishedError
			if !errors.As(err, &u) || !u.Interrupted || u.Model != c.Save || u.Checkpoint != c.Checkpoint.Dir ||
				!errors.Is(err, context.Canceled) {
				t.Fatalf("interrupted: %v, %+v", err, u)
			}

			c.Listen = nil
			if c.From, err = train.Resume(t.Context(), c.Checkpoint.Dir, train.Claim{}); err != nil {
				t.Fatal(err)
			}
			if got := c.From.Notes.Values["mine"]; !slices.Equal(got, []string{"a"}) {
				t.Errorf("the notes are %q", got)
			}
			c.Network = c.From.Network
			result, err := train.Fit(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if result.Epochs != 3 || result.Examples != 3*1497 {
				t.Errorf("it has trained %d epochs with %d examples", result.Epochs, result.Examples)
			}
			if name != "sharing" && !slices.Equal(c.Network.Base().Params(), whole.Network.Base().Params()) {
				t.Error("the parameters differ from those of a run without a break")
			}
		})
	}
}

// TestStoppingKeepsTheBest: without files, the result has the network of the best epoch.
func TestStoppingKeepsTheBest(t *testing.T) {
	for name, method := range methods(t) {
		t.Run(name, func(t *testing.T) {
			var scores []float64
			c := train.Config{Network: network(t, "softmax"), Data: open(t, "digits:train"), HeldOut: open(t, "digits:test"),
				Seed:     1,
				Stopping: &train.Stopping{Metric: "accuracy", Patience: 1}, Listen: func(e train.Event) {
					if e, ok := e.(train.EpochEnded); ok {
						scores = append(scores, e.Metric.Score)
					}
				}}
			method(&c)
			result, err := train.Fit(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			s := result.Stopped
			if s == nil || s.BestScore != slices.Max(scores) || result.Network.Epoch() != s.BestEpoch+1 ||
				*result.Accuracy != s.BestScore {
				t.Errorf("it ended with %+v, a network of epoch %d, scores %v", s, result.Network.Epoch(), scores)
			}
		})
	}
}

// TestWrongSettings: invalid settings are refused by name, before anything is written.
func TestWrongSettings(t *testing.T) {
	good := func() train.Config {
		return train.Config{Network: network(t, "softmax"), Data: open(t, "digits:test")}
	}
	other := filepath.Join(t.TempDir(), "other.zip")
	if err := network(t, "mlp").Save(t.Context(), other, nn.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	for field, set := range map[train.Term]func(*train.Config){
		"Network":          func(c *train.Config) { c.Network = nil },
		"Data":             func(c *train.Config) { c.Data = nil },
		"Epochs":           func(c *train.Config) { c.Epochs = -1 },
		"Iterations":       func(c *train.Config) { c.Epochs, c.Iterations = 1, 1 },
		"Stopping":         func(c *train.Config) { c.Stopping = &train.Stopping{} },
		"Pretraining":      func(c *train.Config) { c.Pretraining = &train.Pretraining{Epochs: 1} },
		"Engine":           func(c *train.Config) { c.Method = train.Averaging{} },
		"StatsFile":        func(c *train.Config) { c.StatsFile = filepath.Join(t.TempDir(), "stats.txt") },
		"Checkpoint.Every": func(c *train.Config) { c.Checkpoint.Every = -1 },
		"Save":             func(c *train.Config) { c.Save = other },
	} {
		c := good()
		set(&c)
		_, err := train.Fit(t.Context(), c)
		var wrong *train.ConfigError
		if !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	c := good()
	c.Save = filepath.Join(t.TempDir(), "nowhere", "model.zip")
	var file *train.FileError
	if _, err := train.Fit(t.Context(), c); !errors.As(err, &file) || file.Field != "Save" {
		t.Errorf("Save: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(c.Save)); err == nil {
		t.Error("the directory was made")
	}
}

// TestParseStopping reads what --early-stopping takes.
func TestParseStopping(t *testing.T) {
	s, err := train.ParseStopping("patience=5, min-improvement=0.1,metric=f1,max-time=10m,every=2,latest=l.zip," +
		"best-score=0.9")
	if err != nil || s.Patience != 5 || s.MinImprovement != 0.1 || s.Metric != "f1" || s.MaxTime != 10*time.Minute ||
		s.Every != 2 || s.Latest != "l.zip" || *s.BestScore != 0.9 {
		t.Errorf("it is read as %+v, %v", s, err)
	}
	for text, problem := range map[string]string{
		"patence=5":                     "did you mean patience?",
		"patience":                      "needs a value",
		"patience=1,patience=2":         "twice",
		"metric=acuracy":                "did you mean accuracy?",
		"min-improvement=1":             "goes with patience",
		"metric=mse,samples=3":          "samples goes with",
		"metric=mse,layer=0":            "layer goes with",
		"max-score=NaN":                 "it must be a number",
		"max-time=10":                   "it must be a time",
		"patience=0":                    "at least 1",
		"patience=2,min-improvement=-1": "it must be a number",
	} {
		if _, err := train.ParseStopping(text); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
