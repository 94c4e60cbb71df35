package distributed_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/faulttest"
	"github.com/dl4go/dl4go/internal/process"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// processes opens an engine whose workers speak text, so that faults can be injected. silence is the time after which
// it gives up a silent worker.
func processes(silence time.Duration) func(t *testing.T) engine.Engine {
	return func(t *testing.T) engine.Engine {
		t.Helper()
		e, err := process.New(2, quiet(t), process.Options{Text: true, Silence: silence})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e
	}
}

// quiet returns options for engines whose tasks must fail.
func quiet(t *testing.T) engine.Options {
	return engine.Options{TempDir: t.TempDir(), Threads: 1, Log: slog.New(slog.DiscardHandler)}
}

// The tasks of parameter averaging.
const (
	training  = "paramavg.fit, paramavg.add" // a worker's part of a round
	averaging = "paramavg.add"               // combining the results of some workers
)

const (
	counters  = 8                              // workers of the counting model; a power of two keeps means exact
	perRound  = counters * 2 * 2               // examples per round: two minibatches of 2 for each worker
	rounds    = 10                             // in each of which a fault hits one worker
	countable = rounds * perRound              // the number of examples, and of parameters
	patience  = time.Duration(5) * time.Minute // for a fit
)

// counting returns a model whose parameter i grows by 1 when example i is trained, and its examples 0 … n-1. The
// features are rows of the identity. The loss is minus the output, so its gradient is -1 where the feature is 1.
func counting(t *testing.T, n int) (*nn.MultiLayer, *data.MultiDataSet) {
	t.Helper()
	net, err := nn.New(nn.Configuration{Updater: updater.Sgd{LearningRate: 2}, Layers: []layer.Layer{
		layer.Output{NIn: n, NOut: 1, NoBias: true, Activation: activation.Identity{}, Loss: loss.Wasserstein{}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(1)
	clear(net.Params())
	x, y := tensor.New(n, n), tensor.New(n, 1)
	for i := range n {
		x.Data[i*n+i], y.Data[i] = 1, -1
	}
	return net, &data.MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{y}}
}

// countingMaster returns a master with minibatches of 2, so an example's learning rate is half of the configured one.
func countingMaster(t *testing.T, approach paramavg.Approach) *paramavg.TrainingMaster {
	t.Helper()
	c := paramavg.Default()
	c.NumWorkers, c.BatchSizePerWorker, c.AveragingFrequency, c.RDDTrainingApproach = counters, 2, 2, approach
	if approach == paramavg.Export {
		c.ExportDirectory = t.TempDir()
	}
	m, err := paramavg.New(c, paramavg.Options{Rounds: paramavg.Jobs}) // the faults are for the tasks of rounds
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// used returns how often each example was trained. The mean divides the parameters of one worker by the number of
// workers.
func used(net *nn.MultiLayer) []float32 {
	times := slices.Clone(net.Params())
	for i := range times {
		times[i] *= counters
	}
	return times
}

func wantUsed(t *testing.T, net *nn.MultiLayer, epochs int) {
	t.Helper()
	for i, times := range used(net) {
		if times != float32(epochs) {
			t.Fatalf("after %d epochs, example %d was used %v times", epochs, i, times)
		}
	}
}

// TestCountingModel checks that the model counts: an example that occurs twice is used twice, and a missing one never.
func TestCountingModel(t *testing.T) {
	net, all := counting(t, countable)
	all.Features[0].Data[1*countable+1], all.Features[0].Data[1*countable+7] = 0, 1 // example 1 is example 7 again
	e := onEngine(t, "local[2]")
	d, err := distributed.FromDataSets(e, []*data.MultiDataSet{all}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := countingMaster(t, paramavg.Direct).Fit(context.Background(), net, d, nil); err != nil {
		t.Fatal(err)
	}
	for i, times := range used(net) {
		want := float32(1)
		if i == 1 {
			want = 0
		} else if i == 7 {
			want = 2
		}
		if times != want {
			t.Fatalf("example %d was used %v times, wanted %v", i, times, want)
		}
	}
}

// faulty describes an engine to test, like faulttest.Engine.
type faulty struct {
	open, silence func(t *testing.T) engine.Engine
	executors     bool
}

// countUnderFaults trains the counting model while a fault hits one worker in each round. A campaign has fits for each
// kind of fault. Otherwise a fit has one fault of each kind.
func (f faulty) countUnderFaults(t *testing.T) {
	runs := campaign.Record(t)
	slots := 0
	if f.executors {
		slots = f.open(t).Slots()
	}
	for _, task := range []struct{ label, name string }{{"training", training}, {"averaging", averaging}} {
		var mixed []faulttest.Fault // one for each round
		for _, deed := range []faulttest.Fault{
			{Deed: faulttest.Kill, Point: faulttest.Told}, {Deed: faulttest.Kill, Point: faulttest.Read, Row: 1},
			{Deed: faulttest.Kill, Point: faulttest.Wrote}, {Deed: faulttest.Kill, Point: faulttest.End},
			{Deed: faulttest.Kill, Point: faulttest.Committed}, {Deed: faulttest.Repeat, Point: faulttest.Committed},
			{Deed: faulttest.Late, Point: faulttest.Committed}, {Deed: faulttest.Stop, Point: faulttest.End},
			{Deed: faulttest.Orphan, Point: faulttest.Committed}, {Deed: faulttest.Ghost, Point: faulttest.End},
		} {
			stops := deed.Deed == faulttest.Stop
			if stops && (f.silence == nil || testing.Short()) || deed.Deed.Parent() &&
				(!f.executors || task.name == averaging) {
				continue
			}
			deed.Task = task.name
			if !campaign.On() && !stops {
				mixed = append(mixed, deed)
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", task.label, deed), func(t *testing.T) {
				count, fits, failed := max(rounds, faulttest.Faults()), 0, 0
				switch {
				case stops:
					count = max(1, faulttest.Faults()/5)
				case deed.Deed.Parent(): // Spark takes half a minute to notice a lost executor
					count = max(1, faulttest.Faults()/10)
				}
				for left := count; left > 0; left -= rounds {
					if fits++; !f.countEpoch(t, slices.Repeat([]faulttest.Fault{deed}, min(left, rounds))) {
						failed++
					}
				}
				runs.Add(count)
				t.Logf("%d faults, %d fits, %d exact, %d failed", count, fits, fits-failed, failed)
			})
		}
		if mixed != nil {
			t.Run(task.label, func(t *testing.T) {
				for range campaign.Count(1, 2, 0) {
					f.countEpoch(t, mixed)
					runs.Add(len(mixed))
					t.Logf("%d faults in one fit", len(mixed))
					slices.Reverse(mixed) // other rounds, and other workers
				}
			})
		}
	}
	if f.executors {
		faulttest.WantSlots(t, f.open, slots)
	}
}

// countEpoch injects a fault into each of the first rounds and reports whether the fit has gone well.
func (f faulty) countEpoch(t *testing.T, deeds []faulttest.Fault) bool {
	t.Helper()
	net, all := counting(t, countable)
	open := f.open
	if deeds[0].Deed == faulttest.Stop {
		open = f.silence
	}
	e := open(t)
	defer e.Close()
	d, err := distributed.FromDataSets(e, []*data.MultiDataSet{all}, 3)
	if err != nil {
		t.Fatal(err)
	}
	var faults []faulttest.Fault
	for round, deed := range deeds {
		deed.Partition, deed.Nth = round%counters, round
		if deed.Task == averaging { // three tasks a round, perhaps one more
			deed.Partition, deed.Nth = faulttest.Any, 3*round
		}
		faults = append(faults, deed)
	}
	armed := faulttest.Arm(t, faults...)
	defer armed.Disarm()
	ctx := await.Context(t)
	err = countingMaster(t, paramavg.Direct).Fit(ctx, net, d, nil)
	if err == nil {
		wantUsed(t, net, 1)
		armed.WantHappened()
	} else {
		t.Error(err)
	}
	armed.Continue()
	if closing := e.Close(); closing != nil {
		t.Error(closing)
	}
	for _, p := range armed.Happened() {
		p.WantGone(t)
	}
	return err == nil
}

func TestCountingOnProcesses(t *testing.T) {
	faulty{open: processes(time.Minute), silence: processes(3 * time.Second)}.countUnderFaults(t)
}

// trainUnderFaults kills workers at all points of training, evaluation, scoring and prediction. The results must be bit
// for bit those of local[2].
func (f faulty) trainUnderFaults(t *testing.T, approaches ...paramavg.Approach) {
	faults := campaign.Record(t)
	points := []faulttest.Fault{{Point: faulttest.Told}, {Point: faulttest.Read, Row: 3}, {Point: faulttest.Wrote},
		{Point: faulttest.Wrote, Row: 1}, {Point: faulttest.End}, {Point: faulttest.Committed}}
	for _, approach := range approaches {
		want := everything(context.Background(), t, onEngine(t, "local[2]"), approach, paramavg.Jobs, "")
		t.Run(string(approach), func(t *testing.T) {
			runs := max(1, faulttest.Faults()/10)
			for range runs {
				var faults []faulttest.Fault
				for i := range 12 { // distant ones, so that Spark does not give up a task
					fault := points[i%len(points)]
					fault.Deed, fault.Partition, fault.Nth = faulttest.Kill, faulttest.Any, 4*i
					faults = append(faults, fault)
				}
				armed := faulttest.Arm(t, faults...)
				everything(await.Context(t), t, f.open(t), approach, paramavg.Jobs, "").expect(t, want)
				armed.WantHappened()
				armed.Disarm()
			}
			faults.Add(12 * runs)
			t.Logf("%d faults, %d runs, %d exact, 0 failed", 12*runs, runs, runs)
		})
	}
}

func TestTrainingUnderFaults(t *testing.T) {
	faulty{open: processes(time.Minute)}.trainUnderFaults(t, paramavg.Direct, paramavg.Export)
}
