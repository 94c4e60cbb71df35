package sharing

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/threshold"
)

func open(t *testing.T, master string) engine.Engine {
	t.Helper()
	if strings.HasPrefix(master, "sc://") {
		return common.Open(t, master, engine.Options{Threads: 1})
	}
	e, err := engine.Open(t.Context(), master, engine.Options{TempDir: t.TempDir(), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func digits(t *testing.T, part string) source.Table {
	t.Helper()
	s, err := source.Digits(part)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func network(t *testing.T, name string, seed int64) *nn.MultiLayer {
	t.Helper()
	c, err := nn.BuiltIn(name, nn.BuiltInData{Input: inputtype.ConvolutionalFlat(8, 8, 1), Classes: 10}, seed)
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(c)
	if err != nil {
		t.Fatal(err)
	}
	net.Init(uint64(seed))
	t.Cleanup(net.Close)
	return net
}

// config returns a configuration for the digits.
func config() Config {
	c := Default()
	c.RDDTrainingApproach, c.BatchSizePerWorker, c.RNGSeed = Direct, 16, 3
	return c
}

// steady returns a timing for slow machines: silent workers are waited for, and broken links are noticed soon.
func steady() distributed.Timing {
	t := distributed.DefaultTiming()
	t.Beat, t.Reconnect, t.Redial, t.Stall = 50*time.Millisecond, 300*time.Millisecond, 20*time.Millisecond, 2*time.Second
	for _, d := range []*time.Duration{&t.Quiet, &t.Silence, &t.State, &t.Join, &t.Absence, &t.Step, &t.Orphan} {
		*d = time.Hour
	}
	return t
}

func master(t *testing.T, c Config, o Options) *TrainingMaster {
	t.Helper()
	if o.Timing == (distributed.Timing{}) {
		o.Timing = steady()
	}
	m, err := New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func spread(t *testing.T, e engine.Engine, partitions int) *distributed.Data {
	t.Helper()
	d, err := distributed.FromSource(e, digits(t, "train"), partitions)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// usual returns the result of six epochs of the mlp with two workers that begin together in lockstep. No order depends
// on chance, so every bit is the same wherever they run.
func usual(t *testing.T) []float32 {
	t.Helper()
	usually.Do(func() {
		net := network(t, "mlp", 3)
		if err := master(t, config(), Options{MinWorkers: 2}).FitEpochs(t.Context(), net, spread(t, open(t, "local[2]"), 0),
			6, nil); err != nil {
			t.Fatal(err)
		}
		usually.params = slices.Clone(net.Params())
		if a := accuracy(t, net); a < 0.9 {
			t.Errorf("two workers in lockstep come to an accuracy of %.4f", a)
		}
	})
	return usually.params
}

var usually struct {
	sync.Once
	params []float32
}

func accuracy(t *testing.T, net *nn.MultiLayer) float64 {
	t.Helper()
	test := digits(t, "test")
	m := test.Range(0, test.Info().Examples)
	out, err := net.Output(m, false)
	if err != nil {
		t.Fatal(err)
	}
	right, classes := 0, 10
	for i := range m.Examples() {
		largest := func(x []float32) int { return slices.Index(x, slices.Max(x)) }
		if largest(out[0].Data[i*classes:(i+1)*classes]) == largest(m.Labels[0].Data[i*classes:(i+1)*classes]) {
			right++
		}
	}
	return float64(right) / float64(m.Examples())
}

// score returns the mean loss of the training data.
func score(t *testing.T, net *nn.MultiLayer) float64 {
	t.Helper()
	s, err := net.Score(digits(t, "train").Range(0, 1497), false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plainly trains in this process.
func plainly(t *testing.T, net *nn.MultiLayer, batch, epochs int) {
	t.Helper()
	train := digits(t, "train")
	for range epochs {
		order := random.Permutation(random.Mix(3, uint64(net.Epoch())), train.Info().Examples)
		if err := net.FitEpoch(train.Examples(order).Batches(batch), 3); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDigitsInTurns checks that two workers that take turns in a fixed order learn as well as one process.
func TestDigitsInTurns(t *testing.T) {
	for _, name := range []string{"mlp", "lenet"} {
		plain, shared := network(t, name, 3), network(t, name, 3)
		l := newLockstep(t, shared, singles(digits(t, "train").Range(0, 1497)), 2, config(), threshold.Options{})
		var a, b []float64 // after each epoch
		for range 5 {
			plainly(t, plain, 16, 1)
			l.fit()
			if err := shared.SetParams(l.replicas[0].net.Params()); err != nil {
				t.Fatal(err)
			}
			a, b = append(a, accuracy(t, plain)), append(b, accuracy(t, shared))
		}
		t.Logf("%s: accuracies %.4f plainly, %.4f in turns", name, a, b)
		if slices.Max(b[3:]) < slices.Max(a[3:])-0.04 {
			t.Errorf("%s: accuracies %.4f, plainly %.4f", name, b, a)
		}
	}
}

// TestDigits checks that a fit trains every minibatch once, however workers are scheduled, and that the network learns:
// with momentum, with Adam, and with batch normalisation and dropout. TestDigitsInTurns checks how well it learns.
func TestDigits(t *testing.T) {
	for _, c := range []struct {
		name   string
		epochs int
	}{{"mlp", 3}, {"lenet", 3}, {"cnn", 3}} {
		if testing.Short() && c.name == "cnn" { // cnn takes longer than the others together
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			shared := network(t, c.name, 3)
			before := score(t, shared)
			e := open(t, "local[2]")
			m, d := master(t, config(), Options{MinWorkers: 2}), spread(t, e, 0)
			for range c.epochs {
				if err := m.Fit(t.Context(), shared, d, nil); err != nil {
					t.Fatal(err)
				}
			}
			last := m.Last()
			if after := score(t, shared); !(after < before/2) {
				t.Errorf("the score of the training data was %.4f and is %.4f", before, after)
			}
			if last.Workers != 2 || last.Updates != 94 || last.Examples != 1497 {
				t.Errorf("the last fit was %+v", last)
			}
			if shared.Epoch() != c.epochs || shared.Iteration() != 47*c.epochs {
				t.Errorf("epoch %d, iteration %d", shared.Epoch(), shared.Iteration())
			}
		})
	}
}

// TestListeners checks that listeners are called for every update.
func TestListeners(t *testing.T) {
	var updates, examples int
	var seen []Progress
	m := master(t, config(), Options{Listen: func(p Progress) { seen = append(seen, p) }})
	err := m.FitEpochs(t.Context(), network(t, "mlp", 3), spread(t, open(t, "local[2]"), 3), 3, func(r distributed.Round) {
		updates += r.Minibatches
		examples += r.Examples
		if math.IsNaN(r.Score) || r.Of != 94 || r.Index+r.Minibatches > r.Of {
			t.Errorf("told %+v", r)
		}
	})
	if err != nil || updates != 3*94 || examples != 3*1497 || m.Last().Updates != 3*94 {
		t.Fatalf("told of %d updates with %d examples (%v)", updates, examples, err)
	}
	p := seen[len(seen)-1]
	if p.Epoch != 2 || p.Updates != 94 || p.Workers != 2 || p.Threshold <= 0 || p.Sparsity <= 0 || p.Messages <= 0 ||
		p.Sent == 0 || p.Received == 0 {
		t.Errorf("told %+v", p)
	}
}

// TestInterrupted checks that the network keeps the committed updates.
func TestInterrupted(t *testing.T) {
	net := network(t, "mlp", 3)
	before := slices.Clone(net.Params())
	ctx, cancel := context.WithCancel(t.Context())
	err := master(t, config(), Options{}).FitEpochs(ctx, net, spread(t, open(t, "local[2]"), 0), 1000,
		func(distributed.Round) { cancel() })
	if err == nil || ctx.Err() == nil {
		t.Fatalf("training has ended with %v", err)
	}
	if slices.Equal(before, net.Params()) || net.Iteration() == 0 || net.Epoch() != 0 {
		t.Errorf("iteration %d, epoch %d", net.Iteration(), net.Epoch())
	}
}

// TestErrorsNameTheirCause checks that an error names the minibatch, the partition and the layer.
func TestErrorsNameTheirCause(t *testing.T) {
	net := network(t, "mlp", 3)
	net.Params()[7] = float32(math.NaN())
	err := master(t, config(), Options{}).Fit(t.Context(), net, spread(t, open(t, "local[2]"), 0), nil)
	if err == nil || !strings.Contains(err.Error(), "minibatch 0 of partition") ||
		!strings.Contains(err.Error(), "layer 0") {
		t.Errorf("parameters that are not numbers: %v", err)
	}
}

// TestAdvice checks that a fit's measurements are enough for advice.
func TestAdvice(t *testing.T) {
	net, m := network(t, "mlp", 3), master(t, config(), Options{})
	if err := m.Fit(t.Context(), net, spread(t, open(t, "local[2]"), 0), nil); err != nil {
		t.Fatal(err)
	}
	c := m.Last().Cluster(net, 32)
	if c.StepTime <= 0 || c.EncodeTime <= 0 || c.ApplyTime <= 0 || c.MessageBytes <= 0 ||
		c.ModelBytes != 4*float64(net.NumParams()+net.NumStates()) {
		t.Errorf("measured: %+v", c)
	}
	// With links of 10 kB/s nothing helps. With fast ones, more workers do.
	c.Bandwidth, c.Latency = 1e4, time.Millisecond
	slow := c.Advise()
	c.StepTime, c.Bandwidth, c.Latency = 100*time.Millisecond, 1e9, 100*time.Microsecond
	if fast := c.Advise(); !slow.Alone || fast.Alone {
		t.Errorf("advice: %v; %v", slow, fast)
	}
}
