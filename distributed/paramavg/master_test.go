package paramavg

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/stats"
)

func network(t *testing.T, u updater.Updater, d regularization.Dropout) *nn.MultiLayer {
	t.Helper()
	net, err := nn.New(nn.Configuration{Updater: u, Activation: activation.TanH{}, Layers: []layer.Layer{
		layer.Dense{NIn: 6, NOut: 9},
		layer.Output{Base: layer.Base{Dropout: d}, NIn: 9, NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
	}})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(5)
	return net
}

func config(batch, frequency int) Config {
	c := Default()
	c.BatchSizePerWorker, c.AveragingFrequency, c.RNGSeed, c.RDDTrainingApproach = batch, frequency, 11, Direct
	return c
}

// train trains epochs and returns the parameters and updater state.
func train(t *testing.T, master string, c Config, net *nn.MultiLayer, m *data.MultiDataSet, epochs,
	partitions int) []float32 {
	t.Helper()
	d, err := distributed.FromDataSets(open(t, master), single(m), partitions)
	if err != nil {
		t.Fatal(err)
	}
	tm, err := New(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tm.Close()
	for range epochs {
		if err := tm.Fit(context.Background(), net, d, nil); err != nil {
			t.Fatal(err)
		}
	}
	return append(slices.Clone(net.Params()), net.UpdaterState()...)
}

func single(m *data.MultiDataSet) []*data.MultiDataSet {
	var out []*data.MultiDataSet
	for i := range m.Examples() {
		out = append(out, m.Slice(i, i+1))
	}
	return out
}

// plain trains in a single process on the same permutation.
func plain(t *testing.T, net *nn.MultiLayer, m *data.MultiDataSet, seed uint64, batch, epochs int) []float32 {
	t.Helper()
	for range epochs {
		var order []int
		for _, i := range Permutation(seed, uint64(net.Epoch()), m.Examples()) {
			order = append(order, int(i))
		}
		if err := net.FitEpoch(m.Select(order).Batches(batch), seed); err != nil {
			t.Fatal(err)
		}
	}
	return append(slices.Clone(net.Params()), net.UpdaterState()...)
}

// TestOneWorkerIsPlainTraining checks that one worker gives, bit for bit, the result of plain training, whatever the
// averaging frequency is.
func TestOneWorkerIsPlainTraining(t *testing.T) {
	m := examples(t, 50)
	want := plain(t, network(t, updater.NewAdam(), regularization.NewDropout(0.7)), m, 11, 4, 2)
	for _, frequency := range []int{1, 3, 100} {
		for _, approach := range []Approach{Direct, Export} {
			c := config(4, frequency)
			c.RDDTrainingApproach = approach
			c.PrefetchNumBatches = frequency % 3
			got := train(t, "local[1]", c, network(t, updater.NewAdam(), regularization.NewDropout(0.7)), m, 2, 3)
			if !slices.Equal(got, want) {
				t.Errorf("%s with averaging frequency %d differs from plain training", approach, frequency)
			}
		}
	}
}

// TestWorkersWithFrequency1AreOneLargeMinibatch checks that the mean of the workers' steps is the step on all their
// examples.
func TestWorkersWithFrequency1AreOneLargeMinibatch(t *testing.T) {
	m := examples(t, 60)
	sgd := updater.NewSgd()
	sgd.LearningRate = 0.3
	want := plain(t, network(t, sgd, nil), m, 11, 3*5, 2)
	got := train(t, "local[3]", config(5, 1), network(t, sgd, nil), m, 2, 4)
	for i := range got {
		if !near.Equal(got[i], want[i], 1e-6, 0) {
			t.Fatalf("parameter %d is %v, on the combined minibatches %v", i, got[i], want[i])
		}
	}
}

// TestPartitionsDoNotMatter checks that the partitions of the data and the order in which workers finish have no
// effect, because rounds are split by index.
func TestPartitionsDoNotMatter(t *testing.T) {
	m := examples(t, 70)
	want := train(t, "local[2]", config(4, 2), network(t, updater.NewNesterovs(), nil), m, 2, 1)
	for partitions := 2; partitions <= 7; partitions += 5 {
		if got := train(t, "local[2]", config(4, 2), network(t, updater.NewNesterovs(), nil), m, 2,
			partitions); !slices.Equal(got, want) {
			t.Errorf("%d partitions give other parameters than 1", partitions)
		}
	}
}

// TestSaveUpdater checks that without SaveUpdater each round begins with the updater state from the start of the fit.
func TestSaveUpdater(t *testing.T) {
	m := examples(t, 40)
	net := network(t, updater.NewAdam(), nil)
	c := config(4, 1)
	c.SaveUpdater = false
	train(t, "local[2]", c, net, m, 1, 2)
	for i, v := range net.UpdaterState() {
		if v != 0 {
			t.Fatalf("updater state %d is %v, it should be as before the fit", i, v)
		}
	}
}

func TestIterationCountsTheMostMinibatches(t *testing.T) {
	net := network(t, updater.NewAdam(), nil)
	// With 2 workers and 2 minibatches of 4, there are 3 rounds of 16 examples, and one of 2, in which each worker has
	// a minibatch of 1.
	train(t, "local[2]", config(4, 2), net, examples(t, 50), 1, 2)
	if net.Iteration() != 3*2+1 || net.Epoch() != 1 {
		t.Errorf("iteration %d, epoch %d; want 7 and 1", net.Iteration(), net.Epoch())
	}
}

// TestDivergenceKeepsTheLastGoodNetwork checks that on each engine the error is the worker's, unchanged.
func TestDivergenceKeepsTheLastGoodNetwork(t *testing.T) {
	for _, by := range []graphWay{{"local[2]", Jobs}, {"local[2]", Resident}, {"processes[2]", Jobs},
		{"processes[2]", Resident}} {
		net := network(t, updater.Sgd{LearningRate: 1e38}, nil)
		d, err := distributed.FromDataSets(open(t, by.master), single(examples(t, 40)), 2)
		if err != nil {
			t.Fatal(err)
		}
		tm, _ := New(config(4, 2), Options{Rounds: by.way})
		defer tm.Close()
		err = tm.Fit(context.Background(), net, d, nil)
		var diverged *nn.DivergedError
		if !errors.As(err, &diverged) || !strings.Contains(err.Error(), diverged.Error()) {
			t.Errorf("%s, %s: got %v, want a DivergedError", by.master, by.way, err)
		}
		if err := net.CheckParams(); err != nil {
			t.Errorf("%s, %s: the network was left with %v", by.master, by.way, err)
		}
	}
}

// TestNothingLearnedIsAWarning checks the warning that plain training and gradient sharing also have.
func TestNothingLearnedIsAWarning(t *testing.T) {
	d, err := distributed.FromDataSets(open(t, "local[1]"), single(examples(t, 8)), 1)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	tm, _ := New(config(4, 1), Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	defer tm.Close()
	still := updater.NewSgd()
	still.LearningRate = 0
	err = tm.Fit(context.Background(), network(t, still, nil), d, nil)
	if err != nil || !strings.Contains(log.String(), "training changed no parameter") {
		t.Errorf("training that changed nothing gave %v and said %s", err, &log)
	}
}

// counting counts calls. All tasks of this process share the counter.
type counting struct{ calls *atomic.Int64 }

var calls atomic.Int64

func (c counting) PreUpdate(*nn.Network, *data.MultiDataSet) error  { c.calls.Add(1); return nil }
func (c counting) PostUpdate(*nn.Network, *data.MultiDataSet) error { c.calls.Add(1000); return nil }
func (c counting) BeforeTraining(*nn.Network) error                 { c.calls.Add(1000000); return nil }
func (c counting) AfterTraining(*nn.Network) error                  { c.calls.Add(1000000); return nil }

var countingHook = RegisterHook("paramavg.test.counting", func(struct{}) (Hook, error) { return counting{&calls}, nil })

func TestHooksAndStatistics(t *testing.T) {
	calls.Store(0)
	c := config(4, 2)
	c.CollectTrainingStats = true
	c.RDDTrainingApproach = Export
	c.ExportDirectory = t.TempDir() + "/export"
	tm, err := New(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := countingHook.With(struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	tm.AddHook(h)
	d, err := distributed.FromDataSets(open(t, "local[2]"), single(examples(t, 32)), 2)
	if err != nil {
		t.Fatal(err)
	}
	net := network(t, updater.NewAdam(), nil)
	if err := tm.Fit(context.Background(), net, d, nil); err != nil {
		t.Fatal(err)
	}
	if calls.Load() != 2008008 { // 8 minibatches
		t.Errorf("hooks were called %d times, coded", calls.Load())
	}
	tm.RemoveHook(h)
	if err := tm.Fit(context.Background(), net, d, nil); err != nil {
		t.Fatal(err)
	}
	if calls.Load() != 2008008 {
		t.Error("a removed hook was called")
	}
	seen := map[stats.Phase]int{}
	for _, e := range tm.Stats().Events() {
		seen[e.Phase]++
	}
	if seen[stats.MasterExport] != 1 || seen[stats.MasterFit] != 2 || seen[stats.WorkerFit] != 16 ||
		seen[stats.WorkerTotal] != 8 {
		t.Errorf("events: %v", seen)
	}
	if files, _ := os.ReadDir(c.ExportDirectory); len(files) != 1 {
		t.Errorf("%d exports for two fits of one data set", len(files))
	}
	if err := tm.Close(); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(c.ExportDirectory); len(files) != 0 {
		t.Errorf("Close left %v", files)
	}
}

// TestDivergenceInTheLastRound checks that parameters that are not finite never reach the network, even if no score
// shows them.
func TestDivergenceInTheLastRound(t *testing.T) {
	net := network(t, updater.Sgd{LearningRate: 1e39}, nil) // infinite as a float32
	d, err := distributed.FromDataSets(open(t, "local[1]"), single(examples(t, 4)), 1)
	if err != nil {
		t.Fatal(err)
	}
	tm, _ := New(config(4, 1), Options{})
	defer tm.Close()
	var diverged *nn.DivergedError
	if err := tm.Fit(context.Background(), net, d, nil); !errors.As(err, &diverged) || net.CheckParams() != nil {
		t.Errorf("the fit ended with %v and left %v", err, net.CheckParams())
	}
}

// TestWhatIsTheUsersStaysTheUsers checks that data that the user has persisted stays persisted, and that saved files
// are not exported again.
func TestWhatIsTheUsersStaysTheUsers(t *testing.T) {
	e := open(t, "local[1]")
	d, err := distributed.FromDataSets(e, single(examples(t, 8)), 1)
	if err != nil {
		t.Fatal(err)
	}
	d.Persist("MEMORY_ONLY")
	tm, _ := New(config(4, 1), Options{})
	if err := tm.Fit(context.Background(), network(t, updater.NewAdam(), nil), d, nil); err != nil {
		t.Fatal(err)
	}
	if err := tm.Close(); err != nil || !d.Persisted() {
		t.Errorf("closing the training master unpersisted the user's data (%v)", err)
	}
	path := t.TempDir() + "/a.bin"
	if err := examples(t, 8).SaveFile(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	c := config(4, 1)
	c.RDDTrainingApproach, c.ExportDirectory = Export, t.TempDir()
	tm, _ = New(c, Options{})
	defer tm.Close()
	if err := tm.Fit(context.Background(), network(t, updater.NewAdam(), nil),
		distributed.FromFiles(e, []string{path}, 1), nil); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(c.ExportDirectory); len(files) != 0 {
		t.Errorf("saved DataSets were exported: %v", files)
	}
}

func TestSettingsWithoutEffectAreSaid(t *testing.T) {
	var log strings.Builder
	c := config(4, 1)
	c.RDDDataSetNumExamples, c.ExportDirectory, c.Repartition, c.NumWorkers = 4, "somewhere", Never, 3
	if _, err := New(c, Options{Log: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"rddDataSetNumExamples", "exportDirectory", "numWorkers"} {
		if !strings.Contains(log.String(), want+" has no effect") {
			t.Errorf("nothing was said of %s: %s", want, log.String())
		}
	}
}
