package sharing

import (
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/threshold"
)

// TestNaively compares three fits with a second implementation in plain loops: two workers in lockstep, whose residuals
// begin each fit as half of the sum that the fit before has left. The threshold is a power of two, so sums of updates
// are exact.
func TestNaively(t *testing.T) {
	const workers, fits, by = 2, 3, 1.0 / 512
	examples := singles(digits(t, "train").Range(0, 480))
	c := config()
	c.Repartition, c.Repartitioner = Never, nil
	c.ThresholdAlgorithm, c.ResidualPostProcessor = threshold.Fixed{T: by}, nil
	net := built(t, nn.Configuration{Updater: updater.Sgd{LearningRate: 0.05}, InputType: inputtype.FeedForward(64),
		Layers: []layer.Layer{layer.Dense{NOut: 20, Activation: activation.TanH{}},
			layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	l := newLockstep(t, net, examples, workers, c, threshold.Options{}) // for its feeders
	params, carried := slices.Clone(net.Params()), make([]float32, net.NumParams())
	passed := 0
	for epoch := range uint32(fits) {
		residuals := make([][]float32, workers)
		for w := range residuals {
			for _, v := range carried {
				residuals[w] = append(residuals[w], v/workers)
			}
		}
		for o := range l.replicas[0].feeders[0].minibatches() {
			sent := make([]float32, len(params))
			for w, r := range l.replicas {
				m, err := r.feeders[uint32(w)].minibatch(t.Context(), epoch, uint32(o))
				if err != nil {
					t.Fatal(err)
				}
				copy(r.net.Params(), params)
				_, err = r.net.Updates(m, nn.Key{}, func(update []float32) error {
					for i, u := range update {
						x := residuals[w][i] + u
						switch {
						case x >= by:
							x, sent[i] = x-by, sent[i]+by
						case x <= -by:
							x, sent[i] = x+by, sent[i]-by
						}
						residuals[w][i] = x
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			for i, v := range sent {
				if params[i] -= v; v != 0 {
					passed++
				}
			}
		}
		for i := range carried {
			carried[i] = residuals[0][i] + residuals[1][i]
		}
	}
	for _, on := range []string{"local[2]", "processes[2]"} {
		d, err := distributed.FromDataSets(open(t, on), examples, workers)
		if err != nil {
			t.Fatal(err)
		}
		m := master(t, c, Options{MinWorkers: workers, Release: SumRelease, Combine: Sum})
		got := net.Copy()
		defer got.Close()
		for range fits {
			if err := m.Fit(t.Context(), got, d, nil); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got.Params(), params) || !slices.Equal(m.carried.residual, carried) || passed < len(params) {
			t.Errorf("%s: the parameters are the same: %v, the residual: %v; %d values have passed", on,
				slices.Equal(got.Params(), params), slices.Equal(m.carried.residual, carried), passed)
		}
	}
}

// TestFitsAreOne checks that two fits of an epoch have, to the bit, the result of one fit of two epochs, if there is
// one worker with sums. The updater states of several workers are averaged between fits, and without sums the network
// and a replica may differ in the last bit.
func TestFitsAreOne(t *testing.T) {
	for _, on := range []string{"local[1]", "processes[1]"} {
		var all [2][]float32
		for fits := range 2 {
			net, m := network(t, "mlp", 3), master(t, config(), Options{Release: SumRelease})
			d := spread(t, open(t, on), 0)
			for range fits + 1 {
				if err := m.FitEpochs(t.Context(), net, d, 2-fits, nil); err != nil {
					t.Fatal(err)
				}
			}
			all[fits] = slices.Concat(net.Params(), net.UpdaterState(), m.carried.residual)
		}
		if !slices.Equal(all[0], all[1]) {
			t.Errorf("%s: two fits of an epoch and one of two have other bits", on)
		}
	}
}

// TestRestore checks that another master that has the state of a first one, with the network of that time, goes on with
// the same bits. Without the state, it has no residual.
func TestRestore(t *testing.T) {
	for _, on := range []string{"local[2]", "processes[2]"} {
		d, m, net := spread(t, open(t, on), 0), master(t, config(), Options{MinWorkers: 2}), network(t, "mlp", 3)
		fit := func(m *TrainingMaster, net *nn.Network) []float32 {
			t.Helper()
			if err := m.Fit(t.Context(), net, d, nil); err != nil {
				t.Fatal(err)
			}
			return slices.Concat(net.Params(), net.UpdaterState(), m.carried.residual)
		}
		fit(m, net.Base())
		state, err := m.State()
		if err != nil {
			t.Fatal(err)
		}
		var all [][]float32
		for _, s := range [][]byte{state, nil} {
			next, own := master(t, config(), Options{MinWorkers: 2}), net.Copy()
			defer own.Close()
			own.SetIteration(net.Iteration())
			own.SetEpoch(net.Epoch())
			if err := next.Restore(s); err != nil {
				t.Fatal(err)
			}
			all = append(all, fit(next, own))
		}
		want := fit(m, net.Base())
		if !slices.Equal(all[0], want) || slices.Equal(all[1], want) {
			t.Errorf("%s: with the state, the bits are the same: %v; without: %v", on, slices.Equal(all[0], want),
				slices.Equal(all[1], want))
		}
	}
	for _, bad := range [][]byte{{1}, []byte("{}xx\x02\x00\x00\x00")} {
		if err := new(TrainingMaster).Restore(bad); err == nil ||
			!strings.Contains(err.Error(), "gradient sharing: the residual") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestOtherParameters: if a program changes the network between two fits, the residual is dropped and counted.
func TestOtherParameters(t *testing.T) {
	var log strings.Builder
	m := master(t, config(), Options{MinWorkers: 2, Log: slog.New(slog.NewTextHandler(&log, nil))})
	fresh := master(t, config(), Options{MinWorkers: 2})
	d, net := spread(t, open(t, "local[2]"), 0), network(t, "mlp", 3)
	fit := func(m *TrainingMaster, net *nn.Network) {
		t.Helper()
		if err := m.Fit(t.Context(), net, d, nil); err != nil {
			t.Fatal(err)
		}
	}
	fit(m, net.Base())
	net.Params()[7] += 0.5
	same := net.Copy()
	defer same.Close()
	same.SetIteration(net.Iteration())
	same.SetEpoch(net.Epoch())
	magnitude := 0.0
	for _, v := range m.carried.residual {
		magnitude += math.Abs(float64(v))
	}
	fit(m, net.Base())
	fit(fresh, same)
	if !slices.Equal(net.Params(), same.Params()) {
		t.Error("the network has not the bits of a fit without a residual")
	}
	if l := m.Last().Losses.Dropped; l.Count == 0 || !near.Equal(l.Magnitude, magnitude, 1e-5, 0) {
		t.Errorf("dropped is %+v, of a magnitude of %v", l, magnitude)
	}
	if !strings.Contains(log.String(), "not those of the last fit's end") {
		t.Errorf("told %s", &log)
	}
}

// TestPortionsOfLostWorkers kills a worker before it sends its first update of a fit, which has the portion of its
// partition. The replacement must send the portion, once. The threshold lets nothing pass, so the master carries all
// updates.
func TestPortionsOfLostWorkers(t *testing.T) {
	const rate, batch, minibatches = 0.01, 16, 8
	one := classes(1, 1)[0]
	all, err := data.Merge(slices.Repeat([]*data.MultiDataSet{one}, batch))
	if err != nil {
		t.Fatal(err)
	}
	for _, stay := range []bool{false, true} {
		deaths = dying{Mark: t.TempDir() + "/dead", Epoch: 1, Partition: 1}
		net := small(t, updater.Sgd{LearningRate: rate})
		d, err := distributed.FromDataSets(open(t, "processes[2]"), slices.Repeat([]*data.MultiDataSet{one},
			batch*minibatches), 2)
		if err != nil {
			t.Fatal(err)
		}
		c := config()
		c.ThresholdAlgorithm = threshold.Fixed{T: 1e6}
		m := master(t, c, Options{MinWorkers: 2, Combine: Sum, Stay: stay, anywhere: stay, transport: dyingTransport})
		replaced := 0
		for range 3 {
			if err := m.Fit(t.Context(), net, d, nil); err != nil {
				t.Fatal(err)
			}
			replaced += m.Last().Replaced
		}
		if replaced != 1 {
			t.Errorf("%d workers were replaced", replaced)
		}
		compare(t, "three fits", lacking(net.Params(), m.carried.residual), moved(t, net, all, rate, 3*minibatches))
	}
}

// TestPortionsOfFewerWorkers checks a fit in which no worker comes for one of two partitions. The other worker must
// train both from a checkpoint, with both portions of the carried residual.
func TestPortionsOfFewerWorkers(t *testing.T) {
	const rate, batch, minibatches = 0.01, 16, 20
	one := classes(1, 1)[0]
	all, err := data.Merge(slices.Repeat([]*data.MultiDataSet{one}, batch))
	if err != nil {
		t.Fatal(err)
	}
	net := small(t, updater.Sgd{LearningRate: rate})
	timing := steady()
	timing.Join = time.Second // one of the two workers never comes
	c := config()
	c.ThresholdAlgorithm = threshold.Fixed{T: 1e6}
	m := master(t, c, Options{Combine: Sum, Timing: timing})
	for _, on := range []engine.Engine{open(t, "local[2]"), narrow{open(t, "local[1]"), 2}} {
		d, err := distributed.FromDataSets(on, slices.Repeat([]*data.MultiDataSet{one}, batch*minibatches), 2)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Fit(t.Context(), net, d, nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.ready.tasks) != 1 || len(m.ready.ends) != 2 || m.Last().Losses != (Losses{}) {
		t.Errorf("%d workers of %d partitions; lost is %+v", len(m.ready.tasks), len(m.ready.ends), m.Last().Losses)
	}
	compare(t, "two fits", lacking(net.Params(), m.carried.residual), moved(t, net, all, rate, 2*minibatches))
}

// TestPortionsInCheckpoints: a checkpoint has the portions of partitions that have not trained yet. The workers'
// residuals have the others.
func TestPortionsInCheckpoints(t *testing.T) {
	net := small(t, updater.Sgd{LearningRate: 1})
	params := net.NumParams()
	full := func(v float32) (x []float32) {
		for range params {
			x = append(x, v)
		}
		return x
	}
	at := func(next ...uint32) (all []coordination.Progress) {
		for _, n := range next {
			all = append(all, coordination.Progress{Next: n})
		}
		return all
	}
	m := &TrainingMaster{base: new(masters.Base), conf: config(), carried: carriedBy(net.Params(), full(12))}
	m.ready = assigned{ends: []int{32, 64, 96, 112}, tasks: []int{64, 112}} // 2, 2, 2 and 1 minibatches of 16
	for name, c := range map[string]struct {
		from, at []coordination.Progress
		epoch    uint32
		of       int
		want     float32
	}{
		"nothing trained":         {nil, at(0, 0, 0, 0), 5, 4, 13},
		"some trained":            {nil, at(1, 0, 2, 0), 5, 4, 7},
		"all trained":             {nil, at(2, 1, 1, 1), 5, 4, 1},
		"the next epoch":          {nil, at(0, 0, 0, 0), 6, 4, 1},
		"the end":                 {nil, nil, 0, 4, 1},
		"resumed, nothing":        {at(1, 2, 0, 1), at(1, 2, 0, 1), 5, 2, 13},
		"resumed, some":           {at(1, 2, 0, 1), at(2, 2, 0, 1), 5, 2, 7},
		"resumed, the end":        {at(1, 2, 0, 1), nil, 0, 2, 1},
		"nothing left":            {at(2, 2, 2, 1), at(2, 2, 2, 1), 5, 0, 13},
		"nothing left, the end":   {at(2, 2, 2, 1), nil, 0, 0, 13},
		"nothing left, next ones": {at(2, 2, 2, 1), at(1, 0, 0, 0), 6, 0, 13},
	} {
		r := &run{master: m, net: net.Base()}
		net.SetEpoch(5)
		m.carried.inherit(r, net.Base())
		r.portion(r.minibatches(), c.from)
		var s state
		if r.give(&s); r.portions.Of != c.of || (c.of > 0) != (len(s.carried) == params) {
			t.Errorf("%s: %d portions, %d values for the workers", name, r.portions.Of, len(s.carried))
		}
		if got := r.unsent(full(1), r.minibatches(), c.epoch, c.at); !slices.Equal(got, full(c.want)) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if got := r.unsent(nil, r.minibatches(), c.epoch, c.at); c.want == 1 != (got == nil) ||
			got != nil && !slices.Equal(got, full(c.want-1)) {
			t.Errorf("%s: without reports %v, want %v", name, got, c.want-1)
		}
	}
	if got := new(inheritance).unsent(nil, nil, 5, at(0, 0, 0, 0)); got != nil {
		t.Errorf("without any residual: %v", got)
	}
}

// TestStatesOfWorkers checks that a joiner gets the carried residual from another worker, as long as its epoch lasts,
// and that states that make no sense are refused.
func TestStatesOfWorkers(t *testing.T) {
	net := network(t, "mlp", 3)
	l := newLockstep(t, net, singles(digits(t, "train").Range(0, 64)), 2, config(), threshold.Options{})
	begin := func(s state) error {
		s.updater = net.UpdaterState()
		b, err := s.pack()
		if err != nil {
			t.Fatal(err)
		}
		params, err := (&reference{params: net.Params()}).Params()
		if err != nil {
			t.Fatal(err)
		}
		return l.replicas[0].Install(params, b)
	}
	carried := slices.Repeat([]float32{2}, net.NumParams())
	for _, bad := range []state{{carried: carried}, {carried: carried, Portions: &portions{}},
		{carried: carried[1:], Portions: &portions{Of: 2}}} {
		if err := begin(bad); err == nil {
			t.Errorf("%v values and %+v are taken", len(bad.carried), bad.Portions)
		}
	}
	if err := begin(state{carried: carried, Portions: &portions{Of: 2}}); err != nil {
		t.Fatal(err)
	}
	has := func(want bool) {
		t.Helper()
		b, err := l.replicas[0].State()
		if err != nil {
			t.Fatal(err)
		}
		s, err := unpackState(b)
		if err != nil || want != slices.Equal(s.carried, carried) || len(s.updater) != net.NumStates() {
			t.Errorf("the state has %d values of a residual, and %d of the updater (%v)", len(s.carried), len(s.updater), err)
		}
	}
	has(true)
	l.fit()
	has(true)
	l.fit()
	has(false)
}
