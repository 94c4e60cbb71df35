package sharing

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/threshold"
)

// deviceExecutor is the executor of the tests' devices.
var deviceExecutor = func(t *testing.T) program.Executor {
	x := cpu.New(cpu.Options{Threads: 1})
	t.Cleanup(x.Close)
	return &programtest.Apart{Executor: x}
}

// deviceFit is a fit in one goroutine, whose order never changes.
type deviceFit struct {
	net      *nn.MultiLayer
	examples []*data.MultiDataSet
	conf     Config
	encoding encoding
	lag      int  // steps that another worker's updates are late
	masked   bool // momentum
	joins    int  // the minibatch before which the second worker begins anew; 0: never
	workers  int
}

// trained are the bits of a fit.
type trained struct {
	params, residual, state, report []float32
	statistics                      []byte
}

// fit trains an epoch. The network is on a device if executor is not nil; with there, parameters and residual stay on
// it.
func (f deviceFit) fit(t *testing.T, executor program.Executor, there bool) (out trained) {
	t.Helper()
	l := newLockstep(t, f.net, f.examples, f.workers, f.conf, threshold.Options{})
	for _, r := range l.replicas {
		var err error
		o := f.encoding.options(r.net)
		o.Ledger = executor != nil && !there // so that the encoder in this process gets the updates of the device
		r.encoder, err = threshold.NewEncoder(r.coder, r.net.NumParams(), f.conf.algorithm(), f.conf.ResidualPostProcessor, o)
		if err != nil {
			t.Fatal(err)
		}
		r.conf.Summed, r.conf.MaskMomentum, r.conf.Scale = f.encoding.summed, f.masked, 1/float32(f.workers)
		r.momenta = momentaOf(r.net)
		r.inherited = inheritance{carried: f.carried(), portions: &portions{Of: f.workers}}
		if executor != nil {
			r.net.SetExecutor(executor)
		}
		if there {
			if err := r.toDevice(); err != nil {
				t.Fatal(err)
			}
		}
	}
	coder := threshold.NewCoder(1)
	sums := &release{sum: threshold.NewSum(coder, f.net.NumParams()), writer: writer{coder: coder}}
	var late [][]*coordination.Entry // by step
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	apply := func(step int) {
		for w, r := range l.replicas {
			for from, e := range late[step] {
				if from != w {
					must(r.Apply(e))
				}
			}
		}
	}
	for o := range l.replicas[0].feeders[0].minibatches() {
		if f.joins > 0 && o == f.joins {
			first, second := l.replicas[0], l.replicas[1]
			state, err := first.State()
			must(err)
			must(first.catchUp())
			must(second.Install(tensor.AppendBytes(nil, first.net.Params()), state))
		}
		late = append(late, nil)
		var means [][]byte
		var pending []*coordination.Update
		for w, r := range l.replicas {
			got := r.step(coordination.Train{Epoch: 0, Partition: uint32(w), Ordinal: uint32(o), Statistics: o%4 == 3})
			must(got.Err)
			payload := slices.Clone(got.Payload)
			if r.payload = nil; f.encoding.summed {
				must((&decoded{payload: payload}).into(sums, f.net.NumParams()))
			} else {
				late[o] = append(late[o], &coordination.Entry{Kind: coordination.UpdateEntry, Payload: payload})
				pending = append(pending, &coordination.Update{Partition: uint32(w), Payload: payload})
			}
			if o%4 == 3 && len(got.Statistics) > 0 {
				means = append(means, got.Statistics)
			}
		}
		if f.encoding.summed {
			var m threshold.Message
			payload, _ := sums.end(&m)
			for _, r := range l.replicas {
				must(r.Apply(&coordination.Entry{Kind: coordination.SumEntry, Payload: payload}))
			}
		} else if o >= f.lag {
			apply(o - f.lag)
		}
		if len(means) > 0 {
			mean, err := l.replicas[0].statistics.mean(means)
			must(err)
			for _, r := range l.replicas {
				must(r.SetStatistics(mean))
			}
			out.statistics = append(out.statistics, mean...)
		}
		for w, r := range l.replicas {
			if !masters.Constrained(r.net) {
				break
			}
			if f.lag > 0 && !f.encoding.summed {
				must(r.Constrain(pending[w : w+1]))
			} else {
				must(r.Constrain(nil))
			}
		}
		if o == 5 { // a checkpoint
			for w, r := range l.replicas {
				b, err := r.Report(true, pending[min(w, len(pending)):min(w+1, len(pending))])
				must(err)
				report, err := unpackReport(b)
				must(err)
				out.report = append(out.report, report.residual...)
			}
		}
	}
	r := l.replicas[1]
	must(r.catchUp())
	out.params, out.state = slices.Clone(r.net.Params()), slices.Clone(r.net.UpdaterState())
	out.residual = slices.Clone(r.encoder.Residual())
	return out
}

// carried returns the residual that the fit begins with.
func (f deviceFit) carried() (x []float32) {
	s := random.NewSource(4)
	for range f.net.NumParams() {
		x = append(x, 1e-3*float32(s.Normal()))
	}
	return x
}

// into adds the messages of an update to a release.
func (d *decoded) into(sums *release, size int) error {
	if d.read(size); d.err != nil {
		return d.err
	}
	return sums.take(d, size)
}

// equal compares the bits of two fits.
func (a trained) equal(b trained) bool {
	same := func(a, b []float32) bool {
		return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
	}
	return same(a.params, b.params) && same(a.residual, b.residual) && same(a.state, b.state) &&
		same(a.report, b.report) && slices.Equal(a.statistics, b.statistics)
}

// deviceFits are fits with all kinds of updates, updaters and orders.
func deviceFits(t *testing.T) map[string]deviceFit {
	c := config()
	c.ThresholdAlgorithm = threshold.Largest{Share: 0.1}
	adaptive, clipped := c, c
	adaptive.ThresholdAlgorithm = AdaptiveAlgorithm(1e-3)
	clipped.ResidualPostProcessor = threshold.ResidualClipping{ThresholdMultiple: 2, Frequency: 2}
	mean := encoding{mean: true, thresholds: LayerThresholds}
	sum := encoding{mean: true, thresholds: LayerThresholds, summed: true}
	plain := encoding{thresholds: NetworkThreshold}
	digits := singles(digits(t, "train").Range(0, 320))
	normalized := built(t, nn.Configuration{Seed: 3, InputType: inputtype.FeedForward(64), Updater: updater.NewNesterovs(),
		Layers: []layer.Layer{layer.Dense{NOut: 20}, layer.NewBatchNormalization(), layer.Output{NOut: 10,
			Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	held := built(t, nn.Configuration{Seed: 3, InputType: inputtype.FeedForward(64), Updater: updater.NewAdam(),
		WeightConstraints: []regularization.Constraint{regularization.NewMaxNorm(0.5, 1)},
		Layers:            []layer.Layer{layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	mlp := network(t, "mlp", 3)
	recurrent, sequences := truncated(t)
	return map[string]deviceFit{
		"each":                {net: mlp, examples: digits, conf: c, encoding: mean},
		"each of five":        {net: mlp, examples: digits, conf: c, encoding: mean, workers: 5},
		"sum":                 {net: mlp, examples: digits, conf: c, encoding: sum, workers: 3},
		"dense":               {net: mlp, examples: digits, conf: adaptive, encoding: plain, workers: 3},
		"thresholds":          {net: mlp, examples: digits, conf: c, encoding: plain},
		"clipped":             {net: mlp, examples: digits, conf: clipped, encoding: mean},
		"late":                {net: mlp, examples: digits, conf: c, encoding: mean, lag: 3},
		"normalized":          {net: normalized, examples: digits, conf: c, encoding: mean, masked: true},
		"normalized, sum":     {net: normalized, examples: digits, conf: c, encoding: sum},
		"joins":               {net: normalized, examples: digits, conf: c, encoding: mean, joins: 4, masked: true},
		"joins, sum":          {net: mlp, examples: digits, conf: c, encoding: sum, joins: 4},
		"constrained":         {net: held, examples: digits, conf: c, encoding: mean, lag: 1},
		"constrained, sum":    {net: held, examples: digits, conf: c, encoding: sum},
		"truncated":           {net: recurrent, examples: sequences, conf: c, encoding: mean},
		"truncated, sum":      {net: recurrent, examples: sequences, conf: c, encoding: sum},
		"truncated, late":     {net: recurrent, examples: sequences, conf: c, encoding: plain, lag: 2, workers: 3},
		"truncated, adaptive": {net: recurrent, examples: sequences, conf: adaptive, encoding: sum},
	}
}

// truncated returns a network that trains sequences by segments, and sequences.
func truncated(t *testing.T) (*nn.MultiLayer, []*data.MultiDataSet) {
	const steps = 9
	s := random.NewSource(9)
	var all []*data.MultiDataSet
	for range 160 {
		x, y := tensor.New(1, 2, steps), tensor.New(1, 2, steps)
		for k := range steps {
			x.Data[k], x.Data[steps+k] = float32(s.Normal()), float32(s.Normal())
			y.Data[k+steps*(k%2)] = 1
		}
		all = append(all, &data.MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{y}})
	}
	return built(t, nn.Configuration{Seed: 5, Updater: updater.NewAdam(), InputType: inputtype.Recurrent(2, 0),
		BackpropType: nn.TruncatedBPTT, TBPTTForwardLength: 4, TBPTTBackLength: 4,
		Layers: []layer.Layer{layer.NewLSTM(12), layer.RnnOutput{NOut: 2, Activation: activation.Softmax{},
			Loss: loss.NewMCXENT()}}}), all
}

// On a device, statistics stay where the moves of a minibatch are undone, too.
func TestDeviceMovesBack(t *testing.T) {
	net := deviceFits(t)["normalized"].net
	c := config()
	l := newLockstep(t, net, singles(digits(t, "train").Range(0, 32)), 2, c, threshold.Options{})
	r := l.replicas[0]
	r.net.SetExecutor(deviceExecutor(t))
	r.conf.Summed = true
	if err := r.toDevice(); err != nil {
		t.Fatal(err)
	}
	message := &threshold.Message{Form: threshold.Sparse, Length: net.NumParams(), Threshold: 0.5, Count: 2,
		Entries: []int32{1, int32(r.statistics[0].From + 1)}}
	want := slices.Clone(r.net.Params())
	want[0] -= 0.5
	want[r.statistics[0].From] -= 0.5
	if err := errors.Join(r.subtract(message), r.remember(), r.subtract(message)); err != nil {
		t.Fatal(err)
	}
	if r.device.home || len(r.before) > 0 {
		t.Fatal("the parameters came back to this process")
	}
	if err := r.moveBack(); err != nil {
		t.Fatal(err)
	}
	want[r.statistics[0].From] -= 0.5
	if !slices.Equal(r.net.Params(), want) {
		t.Error("the parameters are others")
	}
}

// A fit whose parameters, residuals and updater states stay on a device has the bits of one whose are in this process:
// for all kinds of updates, with workers that join, and in checkpoints.
func TestDeviceKeepsAll(t *testing.T) {
	x := deviceExecutor(t)
	var executor program.Executor
	if _, apart := x.(*programtest.Apart); !apart {
		executor = x // whose forward passes have other bits than the processor's
	}
	for name, f := range deviceFits(t) {
		if executor != nil && slices.Contains([]string{"each of five", "thresholds", "joins, sum", "constrained, sum",
			"truncated", "truncated, late", "normalized"}, name) {
			continue // compiling takes long, and others have all of their programs
		}
		t.Run(name, func(t *testing.T) {
			f.workers = max(f.workers, 2)
			want, got := f.fit(t, executor, false), f.fit(t, x, true)
			if !got.equal(want) {
				t.Error("other bits on the device")
			}
			if slices.Equal(got.params, f.net.Params()) {
				t.Error("the network did not move")
			}
		})
	}
}
