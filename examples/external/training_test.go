package external

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/train"
)

// outcome is a trained network, and what it was measured by.
type outcome struct {
	params, state []float32
	within        Within
}

func open(t *testing.T, master string) engine.Engine {
	t.Helper()
	e, err := engine.Open(t.Context(), master, engine.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// spread gives 64 examples in partitions, one for each worker.
func spread(t *testing.T, e engine.Engine) *distributed.Data {
	t.Helper()
	d, err := distributed.FromSource(e, opened(t, 64), 2)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// averaging trains on two workers, with the hook.
func averaging(t *testing.T, o paramavg.Options) *paramavg.TrainingMaster {
	t.Helper()
	c := paramavg.Default()
	c.NumWorkers, c.BatchSizePerWorker, c.AveragingFrequency, c.RDDTrainingApproach = 2, 8, 2, paramavg.Direct
	m, err := paramavg.New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	hook, err := NormHook.With(MaxNorm{Norm: 4})
	if err != nil {
		t.Fatal(err)
	}
	m.AddHook(hook)
	return m
}

// gradients trains on two workers that wait for each other, however slow they are, with the threshold algorithm.
func gradients(t *testing.T) *sharing.TrainingMaster {
	t.Helper()
	c := sharing.Default()
	c.NumWorkers, c.BatchSizePerWorker, c.RDDTrainingApproach = 2, 8, sharing.Direct
	c.ThresholdAlgorithm = Cooling{Initial: 1e-2, Factor: 0.9, Least: 1e-4}
	timing := distributed.DefaultTiming()
	for _, d := range []*time.Duration{&timing.Quiet, &timing.Silence, &timing.State, &timing.Join,
		&timing.Absence, &timing.Step, &timing.Orphan} {
		*d = time.Hour
	}
	m, err := sharing.New(c, sharing.Options{MinWorkers: 2, Timing: timing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// fitted is a network after three epochs, evaluated.
func fitted(t *testing.T, e engine.Engine, m distributed.TrainingMaster) outcome {
	t.Helper()
	net, err := distributed.FromConfiguration(e, configuration(), m, distributed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer net.Net().Close()
	d := spread(t, e)
	before, err := net.DoEvaluation(t.Context(), d, distributed.EvaluationOptions{}, &Within{Tolerance: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if err := net.FitEpochs(t.Context(), d, 3); err != nil {
		t.Fatal(err)
	}
	after, err := net.DoEvaluation(t.Context(), d, distributed.EvaluationOptions{}, &Within{Tolerance: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	got := outcome{net.Net().Params(), net.Net().UpdaterState(), *after[0].(*Within)}
	for _, e := range []eval.Evaluator{before[0], after[0]} {
		if w := e.(*Within); w.Count != 64 || w.Hits < 0 || w.Hits > 64 {
			t.Errorf("counted %+v of 64 examples", w)
		}
	}
	if err := finite(got.params); err != nil {
		t.Error(err)
	}
	return got
}

// here is what local[2] makes of it.
func here(t *testing.T) (averaged, shared outcome) {
	t.Helper()
	e := open(t, "local[2]")
	return fitted(t, e, averaging(t, paramavg.Options{})), fitted(t, e, gradients(t))
}

// same wants the results of local[2] from another engine, to the bit.
func same(t *testing.T, master string) {
	t.Helper()
	e := open(t, master)
	averaged, shared := here(t)
	for name, c := range map[string]struct {
		want outcome
		by   distributed.TrainingMaster
	}{"averaging": {averaged, averaging(t, paramavg.Options{})}, "sharing": {shared, gradients(t)}} {
		got := fitted(t, e, c.by)
		if !slices.Equal(got.params, c.want.params) || !slices.Equal(got.state, c.want.state) || got.within != c.want.within {
			t.Errorf("%s on %s: %+v and %d parameters; local[2]: %+v", name, master, got.within, len(got.params), c.want.within)
		}
	}
}

// stored evaluates the configuration's network on data in files, which the workers read.
func stored(t *testing.T, e engine.Engine, dir string) Within {
	t.Helper()
	net := distributed.New(e, network(t, configuration()), nil, distributed.Options{})
	d, err := distributed.FromDirectory(t.Context(), e, dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	done, err := net.DoEvaluation(t.Context(), d, distributed.EvaluationOptions{}, &Within{Tolerance: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	return *done[0].(*Within)
}

// sameFiles wants another engine to find in files what local[2] does.
func sameFiles(t *testing.T, master string) {
	t.Helper()
	dir := temporary(t)
	for i := range 4 {
		if err := minibatch(t, 16+i).SaveFile(t.Context(), fmt.Sprintf("%s/%d.bin", dir, i)); err != nil {
			t.Fatal(err)
		}
	}
	want, got := stored(t, open(t, "local[2]"), dir), stored(t, open(t, master), dir)
	if want.Count != 16+17+18+19 || got != want {
		t.Errorf("%s: %+v; local[2]: %+v", master, got, want)
	}
}

// TestFilesOfWorkers: worker processes read files of the storage scheme.
func TestFilesOfWorkers(t *testing.T) { sameFiles(t, "processes[2]") }

// TestEngines: worker processes, which know the parts by their registered names, train the same network.
func TestEngines(t *testing.T) { same(t, "processes[2]") }

// TestHook: the workers call it, as the parameters show.
func TestHook(t *testing.T) {
	averaged, _ := here(t)
	squares := 0.0
	for _, p := range averaged.params {
		squares += float64(p) * float64(p)
	}
	if squares > 16*1.0001 {
		t.Errorf("the squares of the parameters add up to %v: the hook allows 16", squares)
	}
}

// TestResume: a run that is interrupted, and goes on from its checkpoint, ends as if there had been no break. The
// checkpoint names all parts.
func TestResume(t *testing.T) {
	run := func(ctx context.Context, c train.Config) (*train.Result, error) {
		c.Data, c.Engine, c.Batch, c.Epochs, c.Seed = opened(t, 64), open(t, "local[2]"), 8, 4, 3
		c.Method = train.Averaging{}
		return train.Fit(ctx, c)
	}
	whole := network(t, configuration())
	if _, err := run(t.Context(), train.Config{Network: whole}); err != nil {
		t.Fatal(err)
	}

	dir := temporary(t) + "/checkpoints"
	ctx, interrupt := context.WithCancel(t.Context())
	_, err := run(ctx, train.Config{Network: network(t, configuration()),
		Checkpoint: train.Checkpoint{Dir: dir, Every: time.Nanosecond},
		Listen: func(e train.Event) {
			if _, kept := e.(train.CheckpointKept); kept {
				interrupt()
			}
		}})
	var unfinished *train.UnfinishedError
	if err != nil && !errors.As(err, &unfinished) { // it may have reached the end before it noticed
		t.Fatal(err)
	}
	from, err := train.Resume(t.Context(), dir, train.Claim{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := run(t.Context(), train.Config{Network: from.Network, From: from, Checkpoint: train.Checkpoint{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	if resumed, ok := nn.As[*nn.MultiLayer](again.Network); !ok || !alike(resumed, whole) {
		t.Error("the resumed network is another one")
	}
}

// TestEarlyStopping: a condition of one's own ends training.
func TestEarlyStopping(t *testing.T) {
	e := open(t, "local[2]")
	net, err := distributed.FromConfiguration(e, configuration(), averaging(t, paramavg.Options{}), distributed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer net.Net().Close()
	d := spread(t, e)
	result, err := earlystopping.Fit(t.Context(), earlystopping.Config{
		Epoch:      []earlystopping.EpochCondition{Plateau{Epochs: 3, Share: 1e6}}, // any three epochs are alike
		Calculator: earlystopping.Loss{Data: d},
	}, net, d)
	if err != nil {
		t.Fatal(err)
	}
	if result.Details != "Plateau(3 epochs, share 1e+06)" || result.Epochs != 3 {
		t.Errorf("%+v", result)
	}
}
