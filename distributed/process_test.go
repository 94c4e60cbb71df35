package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/enginetest"
	"github.com/dl4go/dl4go/internal/faulttest"
	"github.com/dl4go/dl4go/internal/process"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

func TestMain(m *testing.M) {
	faulttest.Main()
	os.Exit(common.Run(m))
}

// common has the engine on Spark of the tests that do not close theirs.
var common enginetest.Common

// fatal kills the worker's process before some iterations, once for each.
type fatal struct{ conf fatalConfig }

type fatalConfig struct {
	Dir   string // for the marks
	Every int
}

func (f fatal) PreUpdate(net *nn.Network, _ *data.MultiDataSet) error {
	if net.Iteration()%f.conf.Every != 0 {
		return nil
	}
	mark, err := os.OpenFile(filepath.Join(f.conf.Dir, fmt.Sprint(net.Iteration())), os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	mark.Close()
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	return err
}

func (fatal) PostUpdate(*nn.Network, *data.MultiDataSet) error { return nil }

var fatalHook = paramavg.RegisterHook("distributed_test.fatal",
	func(c fatalConfig) (paramavg.Hook, error) { return fatal{c}, nil })

// results has the results of training, evaluation, scoring and prediction.
type results struct {
	trained    []float32 // parameters and updater state
	scores     []float64
	outputs    []float32
	evaluation string
}

func (r results) expect(t *testing.T, want results) {
	t.Helper()
	if !slices.Equal(r.trained, want.trained) || !slices.Equal(r.scores, want.scores) ||
		!slices.Equal(r.outputs, want.outputs) ||
		r.evaluation != want.evaluation {
		t.Errorf("equal to the undisturbed run: parameters and updater state %v, scores %v, outputs %v, evaluation %v",
			slices.Equal(r.trained, want.trained), slices.Equal(r.scores, want.scores), slices.Equal(r.outputs, want.outputs),
			r.evaluation == want.evaluation)
	}
}

// everything trains a small network with two workers and applies it. Hooks kill workers if kills is a directory.
func everything(ctx context.Context, t *testing.T, e engine.Engine, approach paramavg.Approach, way paramavg.Way,
	kills string) results {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	net, err := nn.New(nn.Configuration{Updater: updater.NewAdam(), Activation: activation.TanH{}, Layers: []layer.Layer{
		layer.Dense{NIn: 64, NOut: 20},
		layer.Output{Base: layer.Base{Dropout: regularization.NewDropout(0.8)}, NIn: 20, NOut: 10,
			Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
	}})
	must(err)
	net.Init(5)
	c := paramavg.Default()
	c.NumWorkers, c.BatchSizePerWorker, c.AveragingFrequency, c.RNGSeed, c.RDDTrainingApproach = 2, 16, 4, 11, approach
	if approach == paramavg.Export {
		c.ExportDirectory = t.TempDir()
	}
	tm, err := paramavg.New(c, paramavg.Options{Rounds: way})
	must(err)
	defer tm.Close()
	if kills != "" {
		hook, err := fatalHook.With(fatalConfig{kills, 4})
		must(err)
		tm.AddHook(hook)
	}
	d, err := distributed.FromDataSets(e, []*data.MultiDataSet{digits(t, "train").Range(0, 700)}, 3)
	must(err)
	for range 2 {
		must(tm.Fit(ctx, net, d, nil))
	}
	m := distributed.New(e, net, nil, distributed.Options{})
	d, err = distributed.FromSource(e, digits(t, "test"), 3)
	must(err)
	evaluation, err := m.Evaluate(ctx, d, nil, 1)
	must(err)
	r := results{trained: append(slices.Clone(net.Params()), net.UpdaterState()...), evaluation: evaluation.Stats()}
	scores, err := m.ScoreExamples(ctx, d, true, 0)
	must(err)
	defer scores.Release()
	must(scores.Each(ctx, func(_ string, s float64) error {
		r.scores = append(r.scores, s)
		return nil
	}))
	predictions, err := m.Predict(ctx, d, distributed.PredictOptions{})
	must(err)
	defer predictions.Release()
	must(predictions.Each(ctx, func(_ string, out []*tensor.Dense) error {
		r.outputs = append(r.outputs, out[0].Data...)
		return nil
	}))
	return r
}

// TestProcesses compares processes, whose workers are killed between minibatches, with goroutines. Training,
// evaluation, scores and predictions must be the same bit for bit.
func TestProcesses(t *testing.T) {
	ctx := context.Background()
	for _, approach := range []paramavg.Approach{paramavg.Direct, paramavg.Export} {
		want := everything(ctx, t, onEngine(t, "local[2]"), approach, paramavg.Jobs, "")
		for _, kills := range []string{"", t.TempDir()} {
			e, err := process.New(2, quiet(t), process.Options{})
			if err != nil {
				t.Fatal(err)
			}
			everything(ctx, t, e, approach, "", kills).expect(t, want)
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			if kills != "" {
				if killed, err := os.ReadDir(kills); err != nil || len(killed) < 10 {
					t.Errorf("%s: %d kills, wanted 10; error %v", approach, len(killed), err)
				}
			}
		}
	}
}
