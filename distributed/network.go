package distributed

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// Network is a network on an engine: it is trained, evaluated and applied on distributed data. The network inside, of
// either kind, stays an ordinary network. Several goroutines may evaluate, score and predict at a time; while one
// trains it, or sets something, no other may use it.
type Network[N nn.AnyNetwork] struct {
	engine engine.Engine
	whole  N           // as New or SetNet was given it
	net    *nn.Network // the base of that; nil if there is none
	master TrainingMaster
	opts   Options

	held     held
	here     sync.Mutex // held to compute with net in this process
	workers  int
	training atomic.Bool // a fit is under way
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
	// Batch is the number of examples that evaluation, scoring and prediction put through the network at once: 64.
	Batch int
	// Kernels names the instruction set of the workers' kernels, which decides the last bits of results: avx512, avx2 or
	// portable. Empty means the best that the driver has.
	Kernels string
	// Listen, if not nil, is called after each round of training, by the goroutine that called Fit, with the score of
	// every minibatch of every worker. It must not wait for a job of the engine, whose slots the fit's workers have:
	// evaluate between fits.
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
	if missing(master) { // a nil pointer of a master's type is none either
		master = nil
	}
	m := &Network[N]{engine: e, master: master, opts: o, workers: DefaultEvaluationWorkers}
	m.SetNet(net)
	return m
}

// FromConfiguration makes a network of layers in a row, and wraps it.
func FromConfiguration(e engine.Engine, c nn.Configuration, master TrainingMaster, o Options) (*MultiLayer, error) {
	net, err := nn.New(c)
	if err != nil {
		return nil, err
	}
	return New(e, net, master, o), nil
}

// FromGraphConfiguration makes a graph, and wraps it.
func FromGraphConfiguration(e engine.Engine, c nn.GraphConfiguration, master TrainingMaster, o Options) (*Graph, error) {
	net, err := nn.NewGraph(c)
	if err != nil {
		return nil, err
	}
	return New(e, net, master, o), nil
}

// Engine is where the network is trained and applied.
func (m *Network[N]) Engine() engine.Engine { return m.engine }

// Net is the network, with the result of the last fit.
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

// Master is the training master; nil if there is none.
func (m *Network[N]) Master() TrainingMaster { return m.master }

// DefaultEvaluationWorkers returns the number that [Network.SetDefaultEvaluationWorkers] set, or the constant of that
// name.
func (m *Network[N]) DefaultEvaluationWorkers() int { return m.workers }

// SetDefaultEvaluationWorkers sets how many replicas of the network evaluate, score and predict at once in a process.
// EvaluationOptions may override it. The replicas share one copy of the parameters; each has memory of its own for the
// activations of a minibatch. If a process runs more tasks than it has replicas, as local[N] may, tasks take turns at
// each minibatch, and a replica has the threads of several tasks. A worker of processes[N] or Spark runs one task at a
// time, and has one replica.
func (m *Network[N]) SetDefaultEvaluationWorkers(n int) error {
	if n < 1 {
		return fmt.Errorf("%d evaluation workers were asked for: at least 1 is needed", n)
	}
	m.workers = n
	return nil
}

// LastScore is the score of the last round of training: the mean of its workers' last minibatches (Deeplearning4j:
// getScore). It is the network's own.
func (m *Network[N]) LastScore() float64 { return m.net.LastScore() }

// SetLastScore sets it (Deeplearning4j: setScore).
func (m *Network[N]) SetLastScore(score float64) { m.net.SetLastScore(score) }

// Stats returns the durations of the phases of training so far (Deeplearning4j: getSparkTrainingStats). It returns nil
// if there is no training master, or if its CollectTrainingStats is off.
func (m *Network[N]) Stats() *stats.Collector {
	if m.master == nil {
		return nil
	}
	return m.master.Stats()
}

// Fit trains one epoch on the data: each example is used once. Where it fails, the network is as after the last
// complete round. The data may be of any kind: FromDataSets, FromLabeledPoints, FromDirectory, FromPaths, FromQuery.
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

// FitEpochs trains n epochs. Training masters that can, such as gradient sharing, keep their workers from one epoch to
// the next.
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

// ready says what is missing of a network that is to work.
func (m *Network[N]) ready() error {
	switch {
	case missing(m.engine):
		return errors.New("the network has no engine: New was given nil")
	case m.net == nil:
		return errors.New("there is no network: New or SetNet was given nil")
	case m.training.Load(): // the workers of the fit may have all slots, until the listener that asks gives back
		return errors.New("the network is in training: ask when Fit has ended, not in a listener")
	}
	return nil
}

// check is ready, for work on the data.
func (m *Network[N]) check(d *Data) error {
	if err := m.ready(); err != nil {
		return err
	}
	switch {
	case d == nil:
		return errors.New("there is no data: it is nil")
	case d.Engine() != m.engine && d.Engine().Master() != m.engine.Master(): // one may wrap the other
		return fmt.Errorf("the data is on another engine, %s, than the network, %s: make both on one", d.Engine().Master(), m.engine.Master())
	}
	return nil
}

// missing says that x is nil, or a nil pointer.
func missing(x any) bool {
	if x == nil {
		return true
	}
	v := reflect.ValueOf(x)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// epochsMaster is a TrainingMaster that trains many epochs at once.
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

// FitDirectory is Fit on FromDirectory's data: all the saved DataSets of a directory, in at least minPartitions
// partitions where there are files enough.
func (m *Network[N]) FitDirectory(ctx context.Context, dir string, minPartitions int) error {
	d, err := FromDirectory(ctx, m.engine, dir, minPartitions)
	if err != nil {
		return err
	}
	return m.Fit(ctx, d)
}

// FitPaths is Fit on FromPaths' data: files that the loader reads (SavedDataSets for saved DataSets).
func (m *Network[N]) FitPaths(ctx context.Context, paths []string, l Loader) error {
	if len(paths) == 0 {
		return fmt.Errorf("there are no paths to train on")
	}
	return m.Fit(ctx, FromPaths(m.engine, paths, l, 0))
}
