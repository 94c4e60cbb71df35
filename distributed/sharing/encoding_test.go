package sharing

import (
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/threshold"
)

// TestEncodingDefaults checks that Deeplearning4j's algorithms keep Deeplearning4j's form of updates, and that settings
// replace each default.
func TestEncodingDefaults(t *testing.T) {
	theirs := config()
	theirs.ThresholdAlgorithm = threshold.Default()
	net := small(t, updater.NewNesterovs()).Base()
	for _, c := range []struct {
		conf Config
		o    Options
		want encoding
	}{
		{config(), Options{}, encoding{combine: Mean, mean: true, thresholds: LayerThresholds, summed: true}},
		{config(), Options{Lag: 1}, encoding{combine: Mean, mean: true, thresholds: LayerThresholds}},
		{config(), Options{Combine: Sum, Values: ThresholdValues, Thresholds: NetworkThreshold, Release: EachRelease},
			encoding{combine: Sum, thresholds: NetworkThreshold}},
		{theirs, Options{}, encoding{combine: Sum, thresholds: NetworkThreshold}},
		{theirs, Options{Values: MeanValues, Thresholds: LayerThresholds, Release: SumRelease},
			encoding{combine: Sum, mean: true, thresholds: LayerThresholds, summed: true}},
	} {
		if got := master(t, c.conf, c.o).encoding(net, 8); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.o, got, c.want)
		}
	}
	adam := small(t, updater.NewAdam()).Base()
	ours, dl4j := master(t, config(), Options{}), master(t, theirs, Options{})
	for name, e := range map[string]encoding{
		"by default":          ours.encoding(adam, 8),
		"by Deeplearning4j's": dl4j.encoding(adam, 8),
		"by the sum":          master(t, config(), Options{Combine: Sum}).encoding(adam, 8),
		"with a warm-up of 5": master(t, config(), Options{WarmUp: 5}).encoding(adam, 8),
	} {
		want := map[string]int{"by default": 40, "with a warm-up of 5": 5}[name]
		if e.combine != Sum || e.warmUp != want {
			t.Errorf("the updates of Adam are combined %s: %+v", name, e)
		}
	}
	few, asked := master(t, config(), Options{}), master(t, config(), Options{Release: SumRelease})
	if few.encoding(net, 2).summed || !asked.encoding(net, 2).summed {
		t.Error("a sum is the default for two workers, or can't be had")
	}
	for want, o := range map[string]Options{
		`values is "half"`:    {Values: "half"},
		`thresholds is "all"`: {Thresholds: "all"},
		`release is "some"`:   {Release: "some"},
		`coding is "short"`:   {Coding: "short"},
		"warmUp is -1":        {WarmUp: -1},
		"set Lag to 0":        {Release: SumRelease, Lag: 2},
	} {
		if _, err := New(config(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("wanted an error with %q, got %v", want, err)
		}
	}
}

// TestSumIsSmaller checks that a sum of four workers' updates takes fewer bytes than the updates, that both train
// alike, and that sums give the same bits on goroutines and processes.
func TestSumIsSmaller(t *testing.T) {
	fit := func(on string, release Release, coding Coding) (*TrainingMaster, float64, []float32) {
		net := network(t, "mlp", 3)
		m := master(t, config(), Options{MinWorkers: 4, Release: release, Coding: coding})
		if err := m.FitEpochs(t.Context(), net, spread(t, open(t, on), 0), 6, nil); err != nil {
			t.Fatal(err)
		}
		return m, accuracy(t, net), slices.Clone(net.Params())
	}
	sum, accuracySum, want := fit("local[4]", SumRelease, CompactCoding)
	each, accuracyEach, _ := fit("local[4]", EachRelease, CompactCoding)
	if _, _, got := fit("processes[4]", SumRelease, ""); !slices.Equal(got, want) {
		t.Error("processes[4], with the dense coding, gives other parameters than local[4] with the compact one")
	}
	if sum.Last().Received >= each.Last().Received || accuracySum < 0.9 || accuracyEach < 0.9 {
		t.Errorf("with sums %d bytes are received, accuracy %.3f; with each update %d, %.3f", sum.Last().Received,
			accuracySum, each.Last().Received, accuracyEach)
	}
}

// TestCodings checks that both codings give the same result, and that the default here is the dense one, which takes
// more bytes.
func TestCodings(t *testing.T) {
	fit := func(o Options) (Result, []float32) {
		net := network(t, "mlp", 3)
		o.MinWorkers = 2
		m := master(t, config(), o)
		if err := m.Fit(t.Context(), net, spread(t, open(t, "local[2]"), 0), nil); err != nil {
			t.Fatal(err)
		}
		return m.Last(), slices.Clone(net.Params())
	}
	updates := func(r Result) float64 { return float64(r.Messages) / float64(r.Updates) }
	for _, release := range []Release{EachRelease, SumRelease} {
		usual, want := fit(Options{Release: release})
		dense, _ := fit(Options{Release: release, Coding: DenseCoding})
		compact, got := fit(Options{Release: release, Coding: CompactCoding})
		if !slices.Equal(got, want) {
			t.Errorf("release %s: the codings give different parameters", release)
		}
		if usual.Messages != dense.Messages || usual.Released != dense.Released || dense.Messages <= compact.Messages ||
			dense.Released <= compact.Released {
			t.Errorf("release %s: %d and %d bytes by default, %d and %d dense, %d and %d compact", release, usual.Messages,
				usual.Released, dense.Messages, dense.Released, compact.Messages, compact.Released)
		}
		estimate := usual.Cluster(network(t, "mlp", 3), 8).MessageBytes
		if off := estimate / updates(compact); off < 0.9 || off > 1.1 {
			t.Errorf("release %s: on a cluster an update is %.0f bytes, estimated %.0f", release, updates(compact), estimate)
		}
	}
}

// TestCodingOfEngines checks the default coding: dense if all workers are on this machine, else compact.
func TestCodingOfEngines(t *testing.T) {
	for _, c := range []struct {
		e    engine.Engine
		want bool
	}{
		{named{master: "local[2]"}, true},
		{named{master: "processes[2]"}, true},
		{named{master: "sc://host:15002"}, false},
		{located{named{master: "sc://host:15002"}, false}, false},
		{located{named{master: "sc://localhost:15002"}, true}, true},
	} {
		if got := (Options{}).dense(c.e); got != c.want {
			t.Errorf("on %s messages are dense: %v", c.e.Master(), got)
		}
	}
	if (Options{Coordinator: "keys"}).dense(named{master: "local[2]"}) {
		t.Error("messages to a coordinator in another process are dense")
	}
}

// named is an engine that has only a name.
type named struct {
	engine.Engine
	master string
}

func (n named) Master() string { return n.master }

// TestInexactRelease checks that updates whose sum would be rounded are released one after the other.
func TestInexactRelease(t *testing.T) {
	c := threshold.NewCoder(1)
	r := &release{sum: threshold.NewSum(c, 2)}
	for _, magnitude := range []float32{0.5, 0.3} {
		m := &threshold.Message{Form: threshold.Scaled, Length: 2, Count: 1, Entries: []int32{1},
			Sections: []threshold.Section{{End: 2, Count: 1, Magnitude: magnitude}}}
		w := &writer{coder: threshold.NewCoder(1)}
		w.append(m)
		r.take(&decoded{payload: w.take(), messages: []*threshold.Message{m}, n: 1}, 2)
	}
	var m threshold.Message
	moved := 0.0
	payload, _ := r.end(&m)
	err := eachMessage(payload, 2, &m, func(m *threshold.Message) error {
		moved += m.Moved()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if rest, exact := r.end(&m); float32(moved) != 0.8 || len(rest) != 0 || !exact {
		t.Errorf("released %g, and then more", moved)
	}
}

// TestMaskMomentum checks that sent values lose their momentum, and that an updater without momentum is refused.
func TestMaskMomentum(t *testing.T) {
	net := small(t, updater.NewNesterovs())
	state := net.UpdaterState()
	for i := range state {
		state[i] = 1
	}
	moved := []int32{1, -3, int32(net.NumParams())}
	m := &threshold.Message{Form: threshold.Sparse, Length: net.NumParams(), Threshold: 1, Count: 3, Entries: moved}
	momentaOf(net.Base()).mask(m)
	for i, v := range net.UpdaterState() {
		sent := i == 0 || i == 2 || i == net.NumParams()-1
		if sent != (v == 0) {
			t.Errorf("the momentum of parameter %d is %g", i, v)
		}
	}
	net = small(t, updater.Sgd{LearningRate: 0.1})
	err := master(t, config(), Options{MaskMomentum: true}).Fit(t.Context(), net, spread(t, open(t, "local[2]"), 0), nil)
	if err == nil || !strings.Contains(err.Error(), "maskMomentum") {
		t.Errorf("Sgd has no momentum: %v", err)
	}
}

// TestScales checks the factors of updates for four workers.
func TestScales(t *testing.T) {
	for combine, want := range map[Combine]float32{Sum: 1, Mean: 0.25, Root: 0.5} {
		if got := combine.scale(4); got != want {
			t.Errorf("%s has the factor %g, not %g", combine, got, want)
		}
	}
}

// TestWarmUp checks the factors of updates in a warm-up.
func TestWarmUp(t *testing.T) {
	c := workerConfig{Scale: 0.5, WarmUp: 3}
	for i, want := range []float32{0.125, 0.25, 0.375, 0.5, 0.5} {
		if got := c.scale(i); got != want {
			t.Errorf("iteration %d has the factor %g, not %g", i, got, want)
		}
	}
	if c.WarmUp = 0; c.scale(0) != 0.5 {
		t.Error("updates grow without a warm-up")
	}
}

// TestMoveBack checks that statistics stay where the moves of a minibatch are undone.
func TestMoveBack(t *testing.T) {
	net := small(t, updater.NewSgd()).Base()
	r := &parameters{net: net, statistics: spans{{From: 1, To: 3}}, before: slices.Clone(net.Params()), moved: true}
	want := slices.Clone(r.before)
	want[1], want[2] = 7, 8
	for i := range net.Params() {
		net.Params()[i] = float32(6 + i)
	}
	if err := r.moveBack(); err != nil || !slices.Equal(net.Params(), want) || len(r.before) > 0 {
		t.Errorf("the parameters are %v, want %v (%v)", net.Params(), want, err)
	}
}

// located is an engine that knows whether its workers are on this machine.
type located struct {
	named
	here bool
}

func (l located) OnThisMachine() bool { return l.here }
