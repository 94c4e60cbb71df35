package distributed

import (
	"context"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/nn"
)

// Network is a network on an engine: it is trained, evaluated and applied on distributed data. The network inside, of either
// kind, stays an ordinary network. It is used by one goroutine at a time.
type Network[N nn.Network] struct {
	engine engine.Engine
	net    N
	master TrainingMaster
	opts   Options
}

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
	// Listen, if not nil, is called after each round of training, by the goroutine that called Fit.
	Listen func(Round)
}

// New wraps a network. master may be nil where nothing is to be trained.
func New[N nn.Network](e engine.Engine, net N, master TrainingMaster, o Options) *Network[N] {
	if o.Batch == 0 {
		o.Batch = 64
	}
	if o.Kernels == "" {
		o.Kernels = kernel.Best().String()
	}
	return &Network[N]{engine: e, net: net, master: master, opts: o}
}

// FromConfiguration makes and initialises a network of layers in a row, and wraps it.
func FromConfiguration(e engine.Engine, c nn.Configuration, master TrainingMaster, o Options) (*MultiLayer, error) {
	net, err := nn.New(c)
	if err != nil {
		return nil, err
	}
	net.Init(uint64(c.Seed))
	return New(e, net, master, o), nil
}

// FromGraphConfiguration makes and initialises a graph, and wraps it.
func FromGraphConfiguration(e engine.Engine, c nn.GraphConfiguration, master TrainingMaster, o Options) (*Graph, error) {
	net, err := nn.NewGraph(c)
	if err != nil {
		return nil, err
	}
	net.Init(uint64(c.Defaults.Seed))
	return New(e, net, master, o), nil
}

// Engine is where the network is trained and applied.
func (m *Network[N]) Engine() engine.Engine { return m.engine }

// Net is the network, with the result of the last fit.
func (m *Network[N]) Net() N { return m.net }

// SetNet replaces the network.
func (m *Network[N]) SetNet(net N) { m.net = net }

// Master is the training master; nil if there is none.
func (m *Network[N]) Master() TrainingMaster { return m.master }

// Listener is Options.Listen.
func (m *Network[N]) Listener() func(Round) { return m.opts.Listen }

// LastScore is the score of the last round of training.
func (m *Network[N]) LastScore() float64 { return m.net.LastScore() }

// Fit trains one epoch on the data: each example is used once. Where it fails, the network is as after the last
// complete round.
func (m *Network[N]) Fit(ctx context.Context, d *Data) error {
	if m.master == nil {
		return errors.New("the network has no training master: it can be evaluated and applied, but not trained")
	}
	return m.master.Fit(ctx, m.net, d, m.opts.Listen)
}

// FitDirectory trains one epoch on all the saved DataSets of a directory, in at least minPartitions partitions where
// there are files enough.
func (m *Network[N]) FitDirectory(ctx context.Context, dir string, minPartitions int) error {
	d, err := FromDirectory(ctx, m.engine, dir, minPartitions)
	if err != nil {
		return err
	}
	return m.Fit(ctx, d)
}

// FitPaths trains one epoch on files, which the loader reads (SavedDataSets for saved DataSets).
func (m *Network[N]) FitPaths(ctx context.Context, paths []string, l Loader) error {
	if len(paths) == 0 {
		return fmt.Errorf("there are no paths to train on")
	}
	return m.Fit(ctx, FromPaths(m.engine, paths, l, 0))
}
