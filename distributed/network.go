package distributed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// Network is a network on an engine: it is trained, evaluated and applied on distributed data. The network inside, of
// either kind, stays an ordinary network. Several goroutines may evaluate, score and predict at a time; while one
// trains it, or sets something, no other may use it.
type Network[N nn.AnyNetwork] struct {
	applications
	whole  N // the network given to New or SetNet
	master TrainingMaster
}

// DefaultEvaluationWorkers is the number of replicas that evaluate in a process by default (Deeplearning4j:
// DEFAULT_EVAL_WORKERS).
const DefaultEvaluationWorkers = 4

// MultiLayer is a network of layers in a row on an engine (Deeplearning4j: SparkDl4jMultiLayer).
type MultiLayer = Network[*nn.MultiLayer]

// Graph is a graph on an engine (Deeplearning4j: SparkComputationGraph).
type Graph = Network[*nn.Graph]

// Options are settings of a Network. The zero value has the defaults.
type Options struct {
	// Batch is the number of examples that go through the network at once in evaluation, scoring and prediction: 64 by
	// default.
	Batch int
	// Kernels names the instruction set of the workers' kernels, which decides the last bits of results: avx512, avx2,
	// neon or portable. Empty means the best that the driver has. It may name a device instead, gpu, gpu:N or xla-cpu,
	// with settings as in a URL: gpu?precision=bf16&workers=2&memory=4GiB. See docs/gpu.md.
	Kernels string
	// Listen, unless nil, is called after each round of training, by the goroutine that called Fit, with the score of
	// every minibatch of every worker. It must not wait for a job of the engine, because the workers of the fit occupy the
	// engine's slots. Evaluate between fits instead.
	Listen func(Round)
}

// New puts a network on an engine. master may be nil if nothing is trained. A network whose parameters are all 0,
// because they were never set, is initialised from its seed, as in Deeplearning4j.
func New[N nn.AnyNetwork](e engine.Engine, net N, master TrainingMaster, o Options) *Network[N] {
	if o.Batch == 0 {
		o.Batch = 64
	}
	if o.Kernels == "" {
		o.Kernels = kernel.Best().String()
	}
	if missing(master) { // a nil pointer in a master's type means none, too
		master = nil
	}
	m := &Network[N]{master: master}
	m.engine, m.opts, m.workers = e, o, DefaultEvaluationWorkers
	m.SetNet(net)
	return m
}

// FromConfiguration makes a network of layers in a row from its configuration, and puts it on an engine.
func FromConfiguration(e engine.Engine, c nn.Configuration, master TrainingMaster, o Options) (*MultiLayer, error) {
	net, err := nn.New(c)
	if err != nil {
		return nil, err
	}
	return New(e, net, master, o), nil
}

// FromGraphConfiguration makes a graph from its configuration, and puts it on an engine.
func FromGraphConfiguration(e engine.Engine, c nn.GraphConfiguration, master TrainingMaster, o Options) (*Graph,
	error) {
	net, err := nn.NewGraph(c)
	if err != nil {
		return nil, err
	}
	return New(e, net, master, o), nil
}

// Net returns the network, with the result of the last fit.
func (m *Network[N]) Net() N { return m.whole }

// SetNet replaces the network. If its parameters were never set, as those of an [nn.Replica], it is initialised from
// its seed.
func (m *Network[N]) SetNet(net N) {
	m.whole, m.net = net, nil
	if missing(net) {
		return
	}
	m.net = net.Base()
	if m.net.Iteration() == 0 && !slices.ContainsFunc(m.net.Params(), func(x float32) bool { return x != 0 }) {
		m.net.Init(uint64(m.net.Seed()))
	}
}

// Master returns the training master; nil if there is none.
func (m *Network[N]) Master() TrainingMaster { return m.master }

// Stats returns the durations of the phases of training so far (Deeplearning4j: getSparkTrainingStats). It returns nil
// if there is no training master, or if its CollectTrainingStats is off.
func (m *Network[N]) Stats() *stats.Collector {
	if m.master == nil {
		return nil
	}
	return m.master.Stats()
}

// Fit trains one epoch on the data: each example is used once. If it fails, the network is as after the last complete
// round, or as [TrainingMaster] says. The data may be of any kind: FromDataSets, FromLabeledPoints, FromDirectory,
// FromPaths, FromQuery.
func (m *Network[N]) Fit(ctx context.Context, d *Data) error {
	return m.FitListening(ctx, d, nil)
}

// FitListening is [Network.Fit] with a callback after each round, called after Options.Listen. listen may be nil.
func (m *Network[N]) FitListening(ctx context.Context, d *Data, listen func(Round)) error {
	first := m.opts.Listen
	switch {
	case listen == nil:
		listen = first
	case first != nil:
		second := listen
		listen = func(r Round) { first(r); second(r) }
	}
	return m.fit(ctx, d, func() error { return m.master.Fit(ctx, m.net, d, listen) })
}

// FitEpochs trains a number of epochs, at least 1. If the training master has a method FitEpochs, it is called:
// gradient sharing keeps its workers between epochs.
func (m *Network[N]) FitEpochs(ctx context.Context, d *Data, epochs int) error {
	if epochs < 1 {
		return fmt.Errorf("%d epochs were asked for: at least 1 is needed", epochs)
	}
	if many, ok := m.master.(epochsMaster); ok {
		return m.fit(ctx, d, func() error { return many.FitEpochs(ctx, m.net, d, epochs, m.opts.Listen) })
	}
	for range epochs {
		if err := m.Fit(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// epochsMaster is a TrainingMaster that can train several epochs at once.
type epochsMaster interface {
	FitEpochs(ctx context.Context, net nn.AnyNetwork, d *Data, epochs int, listen func(Round)) error
}

func (m *Network[N]) fit(ctx context.Context, d *Data, train func() error) error {
	if m.master == nil {
		return errors.New("the network has no training master: it can be evaluated and applied, but not trained")
	}
	if err := m.check(d); err != nil {
		return err
	}
	if err := m.checkFirst(d); err != nil {
		return err
	}
	m.training.Store(true)
	defer m.training.Store(false)
	return d.explainFor(ctx, m.net, train())
}

// FitDirectory is Fit on the data of FromDirectory: all saved DataSets of a directory, in at least minPartitions
// partitions if there are enough files.
func (m *Network[N]) FitDirectory(ctx context.Context, dir string, minPartitions int) error {
	d, err := FromDirectory(ctx, m.engine, dir, minPartitions)
	if err != nil {
		return err
	}
	return m.Fit(ctx, d)
}

// FitPaths is Fit on the data of FromPaths: files that the loader reads (SavedDataSets for saved DataSets).
func (m *Network[N]) FitPaths(ctx context.Context, paths []string, l Loader) error {
	if len(paths) == 0 {
		return fmt.Errorf("there are no paths to train on")
	}
	return m.Fit(ctx, FromPaths(m.engine, paths, l, 0))
}
