package dl4go_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go"
	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/train"
)

func TestMain(m *testing.M) {
	dl4go.Main()
	os.Exit(m.Run())
}

// parts returns 400 and 200 readings.
func parts(t *testing.T) (training, heldOut source.Table) {
	t.Helper()
	all, err := machines.Data(readings(600))
	if err == nil {
		training, heldOut, err = dl4go.Split(all, 2./3, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return training, heldOut
}

// configured returns a run of 4 epochs that tests modify.
func configured(t *testing.T) dl4go.Config {
	training, heldOut := parts(t)
	return dl4go.Config{Network: dl4go.MLP(8), Data: training, HeldOut: heldOut, Normalizer: dl4go.Standardize, Epochs: 4}
}

func trained(t *testing.T, c dl4go.Config) *dl4go.Model {
	t.Helper()
	m, err := dl4go.Train(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func opened(t *testing.T, master string) engine.Engine {
	t.Helper()
	e, err := dl4go.Open(t.Context(), master)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func same(t *testing.T, what string, got, want *nn.Network) {
	t.Helper()
	if !slices.Equal(got.Params(), want.Params()) || !slices.Equal(got.UpdaterState(), want.UpdaterState()) {
		t.Errorf("%s: other parameters or updater state", what)
	}
	if got.Iteration() != want.Iteration() || got.Epoch() != want.Epoch() {
		t.Errorf("%s: iteration %d and epoch %d, want %d and %d", what, got.Iteration(), got.Epoch(), want.Iteration(),
			want.Epoch())
	}
}

// byHand returns MLP(8) built with package nn, and the normalizer of the data.
func byHand(t *testing.T, training source.Table) (*nn.Network, data.Normalizer) {
	t.Helper()
	net, err := nn.New(nn.Configuration{Seed: 1, Updater: updater.NewAdam(), InputType: inputtype.FeedForward(2),
		Layers: []layer.Layer{
			layer.Dense{NOut: 8, Activation: activation.ReLU{}},
			layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	n := data.NewStandardize(false)
	if err := n.Fit(data.Of(training.Range(0, training.Objects()))); err != nil {
		t.Fatal(err)
	}
	return net.Base(), n
}

// Training in this process gives the same bits as a loop over minibatches.
func TestTrainIsALoop(t *testing.T) {
	c := configured(t)
	training := c.Data.(source.Table)
	want, n := byHand(t, training)
	for epoch := range uint64(4) {
		order, key := paramavg.Permutation(1, epoch, training.Objects()), nn.Key{Seed: 1, Epoch: epoch}
		for batch := range slices.Chunk(order, 16) {
			var rows []int
			for _, i := range batch {
				rows = append(rows, int(i))
			}
			m := training.Examples(rows)
			if err := n.Transform(m); err != nil {
				t.Fatal(err)
			}
			if _, err := want.Fit(m, key); err != nil {
				t.Fatal(err)
			}
			key.Example += uint64(len(batch))
		}
		want.SetEpoch(want.Epoch() + 1)
	}
	same(t, "Train", trained(t, c).Network(), want)
}

// Averaging gives the bits of package paramavg, on goroutines and on processes.
func TestAveragingIsParamavg(t *testing.T) {
	c := configured(t)
	training := c.Data.(source.Table)
	for _, master := range []string{"local[2]", "processes[2]"} {
		e := opened(t, master)
		m, err := dl4go.On(t.Context(), e, dl4go.Averaging{}, c)
		if err != nil {
			t.Fatal(err)
		}
		want, n := byHand(t, training)
		settings := paramavg.Default()
		settings.RNGSeed = 1
		averaging, err := paramavg.New(settings, paramavg.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := distributed.FromSource(e, training, 0)
		if err == nil {
			d, err = d.Normalize(n)
		}
		if err == nil {
			err = distributed.New(e, want, averaging, distributed.Options{}).FitEpochs(t.Context(), d, 4)
		}
		if err != nil {
			t.Fatal(err)
		}
		same(t, master, m.Network(), want)
		averaging.Close()
		m.Close()
	}
}

// Gradient sharing learns on goroutines and on processes, with statistics, and stops early. Both workers begin
// together, so that no order depends on chance.
func TestSharing(t *testing.T) {
	for _, master := range []string{"local[2]", "processes[2]"} {
		c := configured(t)
		c.Epochs, c.Patience, c.Metric = 40, 5, "accuracy"
		c.StatsFile = filepath.Join(t.TempDir(), "stats.html")
		m, err := dl4go.On(t.Context(), opened(t, master), dl4go.Sharing{Options: sharing.Options{MinWorkers: 2}}, c)
		if err != nil {
			t.Fatal(err)
		}
		e, err := m.Evaluate(t.Context(), c.HeldOut)
		if err != nil || e.Accuracy() < 0.9 {
			t.Errorf("%s: accuracy %v, %v", master, e.Accuracy(), err)
		}
		if stopped := m.Result().Stopped; stopped == nil || stopped.Metric != "accuracy" ||
			stopped.BestScore != e.Accuracy() {
			t.Errorf("%s: stopped %+v, and the accuracy is %v", master, stopped, e.Accuracy())
		}
		if _, err := os.Stat(c.StatsFile); err != nil {
			t.Error(err)
		}
		m.Close()
	}
}

// Data that is read for an engine equals that of Read. Queries need a cluster.
func TestReadOn(t *testing.T) {
	e := opened(t, "local[2]")
	want, err := dl4go.Read(t.Context(), "digits:test")
	if err != nil {
		t.Fatal(err)
	}
	got, err := dl4go.ReadOn(t.Context(), e, "digits:test")
	if err != nil || got.Info().Examples != want.Info().Examples {
		t.Errorf("%v: %v", got, err)
	}
	for _, bad := range []string{"sql:SELECT 1 AS label", "cvs:x.csv", "csv:no-such-file.csv", ""} {
		if _, err := dl4go.ReadOn(t.Context(), e, bad); err == nil {
			t.Errorf("%q is read", bad)
		}
		if _, err := dl4go.Read(t.Context(), bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
	if _, err := dl4go.ReadOn(t.Context(), nil, "digits"); err == nil {
		t.Error("data is read for no engine")
	}
}

// Patience ends training, and the model is the best network of all epochs.
func TestPatience(t *testing.T) {
	c := configured(t)
	c.Epochs, c.Patience, c.Metric = 60, 3, "accuracy"
	best, epochs := 0., 0
	c.Listen = func(e dl4go.Event) {
		if e, ok := e.(dl4go.EpochEnded); ok {
			epochs++
			best = max(best, *e.Accuracy)
		}
	}
	e, err := trained(t, c).Evaluate(t.Context(), c.HeldOut)
	if err != nil || e.Accuracy() != best {
		t.Errorf("accuracy %v, and the best was %v: %v", e.Accuracy(), best, err)
	}
	if epochs == 60 {
		t.Error("no epoch was spared")
	}
}

// An interrupted run that is resumed from its checkpoint gives the bits of an uninterrupted one, also with early
// stopping.
func TestResume(t *testing.T) {
	for _, patience := range []int{0, math.MaxInt32} { // a disk may be slow: only the checkpoint ends the first run
		c := configured(t)
		c.Patience = patience
		alone := c
		dir := t.TempDir()
		c.Checkpoint, c.Save, c.Resume = filepath.Join(dir, "run"), filepath.Join(dir, "model.zip"), true
		c.Adjust = func(r *train.Config) { r.Checkpoint.Every = 1 } // after each step
		ctx, cancel := context.WithCancel(t.Context())
		steps, epochs := 0, 0
		c.Listen = func(e dl4go.Event) {
			switch e := e.(type) {
			case dl4go.Step:
				steps++
			case train.CheckpointKept:
				if e.Iteration > 0 {
					epochs = max(epochs, e.Epoch+2)
					cancel()
				}
			}
		}
		c.Epochs = math.MaxInt32
		_, err := dl4go.Train(ctx, c)
		var unfinished *train.UnfinishedError
		if !errors.As(err, &unfinished) || !unfinished.Interrupted || unfinished.Checkpoint == "" {
			t.Fatalf("the run was not broken off: %v", err)
		}
		steps, c.Epochs, alone.Epochs = 0, epochs, epochs
		got, want := trained(t, c), trained(t, alone)
		same(t, "resumed", got.Network(), want.Network())
		if steps == epochs*25 {
			t.Error("it started over")
		}
		if !slices.Equal(got.Columns(), want.Columns()) || !slices.Equal(got.Classes(), want.Classes()) {
			t.Errorf("names %v and %v", got.Columns(), got.Classes())
		}
		c.Seed = 7
		if _, err := dl4go.Train(t.Context(), c); err == nil || !strings.Contains(err.Error(), "Seed") {
			t.Errorf("with another seed: %v", err)
		}
	}
}

// Mistakes in a Config are found before anything is trained, and name the field.
func TestConfigRefuses(t *testing.T) {
	training, heldOut := parts(t)
	few, err := dl4go.Table[Reading]{Features: machines.Features, Class: machines.Class,
		Columns: []string{"a", "b"}}.Data(readings(4))
	if err != nil {
		t.Fatal(err)
	}
	one, err := machines.Data(readings(1))
	if err != nil {
		t.Fatal(err)
	}
	other := machines
	other.Classes = []string{"worn", "good"}
	swapped, err := other.Data(readings(4))
	if err != nil {
		t.Fatal(err)
	}
	unlabelled, err := dl4go.Table[Reading]{Features: machines.Features}.Data(readings(4))
	if err != nil {
		t.Fatal(err)
	}
	model := trained(t, configured(t))
	for name, c := range map[string]dl4go.Config{
		"Data: there is none":                               {},
		"Data: dl4go_test.Reading":                          {Data: unlabelled},
		"can be negative":                                   {Data: training, Epochs: -1},
		"Patience: it needs":                                {Data: training, Patience: 1},
		"Metric: it has no effect":                          {Data: training, HeldOut: heldOut, Metric: "f1"},
		"Resume: it has no dir":                             {Data: training, Resume: true},
		"HeldOut: dl4go_test.Reading: the columns are a, b": {Data: training, HeldOut: few},
		"the classes are worn, good":                        {Data: training, HeldOut: swapped},
		"needs two":                                         {Data: one},
		"no built-in network is called":                     {Data: training, Network: dl4go.Named("mpl")},
		"it takes images":                                   {Data: training, Network: dl4go.Named("lenet")},
		"it is nil":                                         {Data: training, Network: dl4go.Trained(nil)},
		"no-such-file.zip":                                  {Data: training, Network: dl4go.File("no-such-file.zip")},
		"has a normalizer already": {Data: training, Network: dl4go.Trained(model.Network()),
			Normalizer: dl4go.MinMax},
		"and the model's good, worn": {Data: swapped, Network: dl4go.Trained(model.Network())},
		"nosuchmetric":               {Data: training, HeldOut: heldOut, Patience: 1, Metric: "nosuchmetric"},
	} {
		if _, err := dl4go.Train(t.Context(), c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v; want %q in it", err, name)
		}
	}
	if _, err := dl4go.On(t.Context(), nil, dl4go.Averaging{}, configured(t)); err == nil {
		t.Error("On no engine")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dl4go.Train(ended, configured(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// Errors about files and directories name the field of Config, and nothing remains claimed.
func TestFilesRefused(t *testing.T) {
	dir := t.TempDir()
	run, other, text := filepath.Join(dir, "run"), filepath.Join(dir, "other.zip"), filepath.Join(dir, "text.zip")
	if err := os.WriteFile(text, []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	first := configured(t)
	first.Checkpoint, first.Save = run, other
	trained(t, first)
	others := machines
	others.Columns = []string{"turns", "vibration"}
	renamed, err := others.Data(readings(60))
	if err != nil {
		t.Fatal(err)
	}
	for _, try := range []struct {
		change func(c *dl4go.Config)
		want   string
	}{
		{func(c *dl4go.Config) { c.Checkpoint = run }, "Config.Checkpoint: " + run +
			": there are checkpoints of another run"},
		{func(c *dl4go.Config) { c.Checkpoint, c.Resume, c.Epochs = run, true, 2 }, "Config.Epochs: 2: the run in"},
		{func(c *dl4go.Config) { c.Checkpoint, c.Resume, c.Batch = run, true, 4 }, "Config.Batch: 4: the run in"},
		{func(c *dl4go.Config) { c.Checkpoint, c.Resume = text, true }, "is a file, not a directory"},
		{func(c *dl4go.Config) { c.Save = text }, "Config.Save: " + text},
		{func(c *dl4go.Config) { c.Save, c.Network = other, dl4go.MLP(9) }, "Config.Save: " + other +
			" holds another network"},
		{func(c *dl4go.Config) { c.Save, c.Data, c.HeldOut = other, renamed, nil }, "Config.Save: " + other +
			" holds a model for the columns speed, vibration, not turns, vibration; set another file, or Overwrite"},
		{func(c *dl4go.Config) { c.Save = filepath.Join(dir, "none", "model.zip") }, "Config.Save: "},
		{func(c *dl4go.Config) { c.Network = dl4go.File(text) }, "Config.Network: network " + text},
		{func(c *dl4go.Config) { c.StatsFile = filepath.Join(dir, "stats.txt") }, "Config.StatsFile: "},
		{func(c *dl4go.Config) { c.Patience, c.Checkpoint = 1, filepath.Join(dir, "new") }, "Config.Save: it is empty"},
		{func(c *dl4go.Config) { c.Overwrite = true }, "Config.Overwrite: "},
	} {
		c := configured(t)
		try.change(&c)
		if _, err := dl4go.Train(t.Context(), c); err == nil || !strings.Contains(err.Error(), try.want) {
			t.Errorf("%v; want %q in it", err, try.want)
		}
	}
	last := configured(t)
	last.Save, last.Overwrite, last.Network = other, true, dl4go.MLP(9)
	trained(t, last)
}

// Every kind of network can be trained: built-in, layers, a graph, a trained one, which stays unchanged, and networks
// of files.
func TestNetworks(t *testing.T) {
	c := configured(t)
	dense := layer.Dense{NOut: 4, Activation: activation.TanH{}}
	out := layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	first := trained(t, c)
	params := slices.Clone(first.Network().Params())
	zip := filepath.Join(t.TempDir(), "first.zip")
	if err := first.Save(t.Context(), zip); err != nil {
		t.Fatal(err)
	}
	text, err := first.Network().Configuration()
	if err != nil {
		t.Fatal(err)
	}
	json := filepath.Join(t.TempDir(), "first.json")
	if err := os.WriteFile(json, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]dl4go.Network{
		"none":    nil,
		"softmax": dl4go.Named("softmax"),
		"layers":  dl4go.Layers(nn.Configuration{Layers: []layer.Layer{dense, out}}),
		"open":    dl4go.Layers(nn.Configuration{Layers: []layer.Layer{dense, layer.Output{}}}),
		"graph": dl4go.Graph(nn.GraphConfiguration{Inputs: []string{"in"},
			InputTypes: []inputtype.Type{inputtype.FeedForward(2)},
			Vertices: []nn.GraphVertex{{Name: "hidden", Layer: dense, Inputs: []string{"in"}},
				{Name: "out", Layer: out, Inputs: []string{"hidden"}}},
			Outputs: []string{"out"}}),
		"trained": dl4go.Trained(first.Network()),
		"zip":     dl4go.File(zip),
		"json":    dl4go.File(json),
	} {
		c.Network, c.Seed = n, 5
		c.Normalizer = dl4go.MinMax
		before := 0
		if name == "trained" || name == "zip" {
			c.Normalizer, before = nil, 4
		}
		m := trained(t, c)
		if m.Network().Seed() != 5 || m.Network().Epoch() != before+4 || m.Network().Normalizer() == nil ||
			!slices.Equal(m.Classes(), []string{"good", "worn"}) {
			t.Errorf("%s: seed %d, epoch %d, classes %v", name, m.Network().Seed(), m.Network().Epoch(), m.Classes())
		}
	}
	if !slices.Equal(params, first.Network().Params()) {
		t.Error("training on has changed the network that it began with")
	}
}
